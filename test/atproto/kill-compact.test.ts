/** Readers while an archive is compacted by another process, which is killed again and again: they see the newest of every account, and no damage. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findProven } from "../../src/atproto/catalogue/find-repo.ts";
import { RepoArchive } from "../../src/atproto/rca/read/archive.ts";
import { signedCar } from "../../src/atproto/rca/repair/signed-car.ts";
import { verifyEverySegment } from "../../src/atproto/rca/repair/verify-every-segment.ts";
import { childEnd } from "../servers/child-end.ts";
import { seededRandom } from "../servers/random.ts";
import { crawlAll, makeFolder, startNetwork } from "./crawling.ts";

const SCRIPT = fileURLToPath(new URL("run-compact.ts", import.meta.url));
const KILLS = Number(process.env["KILLS"] ?? 8);
const noDamage = ({ path, reason }: { path: string; reason: string }): never => assert.fail(`${path}: ${reason}`);

async function assertReadable(folder: string, revs: ReadonlyMap<string, string>): Promise<void> {
  for (const [did, rev] of revs) {
    const found = await findProven(folder, did, noDamage);
    assert.equal(found?.repo.rev, rev, did);
    assert.ok(signedCar(found.proof), `${did} has no proof`);
  }
  {
    await using archive = await RepoArchive.open(folder, noDamage);
    for (const [did, rev] of revs) assert.equal((await archive.find(did))?.rev, rev);
  }
  for await (const { problems, path } of verifyEverySegment(folder, { proofs: true, onDamage: noDamage })) {
    assert.equal(problems, 0, path);
  }
}

test("kill -9 of a compaction, at any moment: readers notice neither it nor its end", async (t) => {
  const network = await startNetwork(t, { accounts: [10], records: 20 });
  const folder = makeFolder(t);
  const rca = join(folder, "rca");
  await crawlAll(network, folder, { segmentSize: 6_000 });
  for (let round = 0; round < 2; round++) {
    for (const { did } of network.good) await network.change(did);
    await crawlAll(network, folder, { segmentSize: 6_000, since: rca });
  }
  const revs = new Map(network.good.map(({ did, repo }) => [did, repo.rev]));
  const work = join(folder, "work");
  const random = seededRandom(20261119);
  for (let kill = 0; kill <= KILLS; kill++) {
    rmSync(work, { recursive: true, force: true });
    cpSync(rca, work, { recursive: true });
    const child = spawn(process.execPath, [SCRIPT, work], { stdio: ["ignore", "ignore", "pipe"] });
    t.after(() => child.kill("SIGKILL"));
    const ended = childEnd(child);
    let isOver = false;
    ended.finally(() => {
      isOver = true;
    });
    if (kill > 0) wait(random(3_000)).then(() => child.kill("SIGKILL"));
    while (!isOver) await assertReadable(work, revs);
    const { code, said } = await ended;
    if (kill === 0) assert.equal(code, 0, said);
    await assertReadable(work, revs);
  }
  const last = spawn(process.execPath, [SCRIPT, work], { stdio: ["ignore", "ignore", "pipe"] });
  const { code, said } = await childEnd(last);
  assert.equal(code, 0, said);
  await assertReadable(work, revs);
  await using archive = await RepoArchive.open(work, noDamage);
  let blocks = 0;
  for await (const _ of archive.repos()) blocks++;
  assert.equal(blocks, revs.size);
});
