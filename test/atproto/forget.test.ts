/** `trawl atproto compact` and `forget` on the archive of a crawl. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { forgetAccount } from "../../src/atproto/atproto-status.ts";
import { compactArchive } from "../../src/atproto/catalogue/compact.ts";
import { verifySegment } from "../../src/atproto/rca/repair/verify-segments.ts";
import { crawlAll, makeFolder, startCrawl, startNetwork, storedDids } from "./crawling.ts";

const LIMITS = { targetBytes: 2 ** 31, now: () => Date.now(), onDamage: () => assert.fail() };

test("an updated archive is compacted with its proofs, and an account is erased from every file", async (t) => {
  const network = await startNetwork(t, { accounts: [6], faults: ["takendown"] });
  const folder = makeFolder(t);
  const rca = join(folder, "rca");
  await crawlAll(network, folder);
  const [changed, erased] = network.good.map(({ did }) => did) as [string, string];
  await network.change(changed);
  await crawlAll(network, folder, { since: rca });
  assert.equal((await storedDids(folder)).length, network.good.length + 1);
  const { droppedBlocks } = await compactArchive({ folder: rca, ...LIMITS });
  assert.equal(droppedBlocks, 1);
  assert.deepEqual(await storedDids(folder), network.good.map(({ did }) => did).sort());

  const config = parseAtprotoConfig({ source: ["dids:x"], outputDir: rca });
  const running = await startCrawl(network, folder);
  await assert.rejects(forgetAccount(config, erased, LIMITS), { code: "STATE_BUSY" });
  await running.outcome;
  for (const did of [erased, network.faulty("takendown").did]) {
    await forgetAccount(config, did, LIMITS);
    for (const path of filesOf(rca)) assert.equal(readFileSync(path).includes(did), false, `${path} has ${did}`);
  }
  assert.equal((await storedDids(folder)).length, network.good.length - 1);
  for (const path of filesOf(rca).filter((name) => name.endsWith(".rca"))) {
    const { problems, repos } = await verifySegment(path, {
      proofs: true,
      onDamage: ({ reason }) => assert.fail(reason),
    });
    assert.ok(problems === 0 && repos > 0);
  }
});

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
