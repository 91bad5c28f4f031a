/** A crawl after a crawl: only what changed is fetched, into a new archive or the same one. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogueFolder } from "../../src/atproto/catalogue/catalogue.ts";
import { diffArchives } from "../../src/atproto/catalogue/diff-archives.ts";
import { openWholeCatalogue } from "../../src/atproto/catalogue/index-segments.ts";
import { repairSegment } from "../../src/atproto/rca/repair/repair-segments.ts";
import { crawlAll, makeFolder, startNetwork, storedDids } from "./crawling.ts";

test("--since: repos whose rev is the same are not fetched; the others, and new ones, are", async (t) => {
  const network = await startNetwork(t, { accounts: [12, 8], faults: ["deactivated"] });
  const [before, after] = [makeFolder(t), makeFolder(t)];
  await crawlAll(network, before);
  const changed = [network.good[3]!.did, network.good[15]!.did];
  for (const did of changed) await network.change(did);
  const returned = network.faulty("deactivated");
  returned.fault = null;
  network.reset();
  const { progress } = await crawlAll(network, after, { since: join(before, "rca") });
  const fetched = network.requests().flatMap(({ did }) => (did === null ? [] : [did]));
  const expected = [...changed, returned.did].sort();
  assert.deepEqual(fetched.sort(), expected);
  assert.deepEqual(await storedDids(after), expected);
  assert.equal(progress.skipped.unchanged, network.good.length - changed.length);
  const changes: string[] = [];
  for await (const { did, change } of diffArchives(join(before, "rca"), join(after, "rca"), () => assert.fail())) {
    if (change !== "removed") changes.push(`${change} ${did}`);
  }
  assert.deepEqual(changes.sort(), [`added ${returned.did}`, ...changed.map((did) => `changed ${did}`)].sort());
});

test("--since its own folder: the archive gets a second, newer block of what changed", async (t) => {
  const network = await startNetwork(t, { accounts: [9] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const { did } = network.good[4]!;
  await network.change(did);
  network.reset();
  await crawlAll(network, folder, { since: join(folder, "rca") });
  assert.deepEqual(
    network.requests().flatMap((request) => request.did ?? []),
    [did],
  );
  assert.equal((await storedDids(folder)).filter((stored) => stored === did).length, 2);
  const { RepoArchive } = await import("../../src/atproto/rca/read/archive.ts");
  await using archive = await RepoArchive.open(join(folder, "rca"), () => assert.fail());
  assert.equal((await archive.find(did))!.rev, network.good[4]!.repo.rev, "the newest is found");
});

test("the catalogue is complete after a crawl, and what a repair dropped is fetched again", async (t) => {
  const network = await startNetwork(t, { accounts: [5], faults: ["deactivated"] });
  const folder = makeFolder(t);
  const rca = join(folder, "rca");
  await crawlAll(network, folder);
  const catalogue = await openWholeCatalogue(rca, catalogueFolder(rca));
  assert.ok(catalogue !== null, "every segment is covered");
  const { did } = network.good[2]!;
  assert.equal(catalogue.get(did)!.rev, network.good[2]!.repo.rev);
  assert.equal(catalogue.get(network.faulty("deactivated").did)!.status, "deactivated");
  const { offset, size } = catalogue.get(did)!.place!;
  catalogue.close();

  const path = join(rca, "segment_0001.rca");
  const bytes = readFileSync(path);
  bytes[offset + size - 1]! ^= 1;
  writeFileSync(path, bytes);
  await repairSegment(path, () => {});
  network.reset();
  await crawlAll(network, folder, { since: rca });
  assert.deepEqual(
    network.requests().flatMap((request) => request.did ?? []),
    [did],
  );
});
