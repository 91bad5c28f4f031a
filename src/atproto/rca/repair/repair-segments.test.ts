import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { encodeBlock, type RepoBlock } from "../format/block.ts";
import { encodeHeader } from "../format/frame.ts";
import { SegmentReader } from "../read/segment-reader.ts";
import {
  byHandSegment,
  collect,
  collectDamage,
  noDamage,
  posts,
  sampleDid,
  sampleRepo,
  sampleWriter,
  temporaryFolder,
  writeSegment,
} from "../testing/samples.ts";
import { repairSegment, salvageFolder } from "./repair-segments.ts";
import { verifySegment } from "./verify-segments.ts";

const CREATED = 1_700_000_000_000_000n;
const partialHeader = encodeHeader({ kind: "rca", createdAt: CREATED, repoCount: 0, indexOffset: 0n });

/** What the segment has now; it must be whole. */
async function repaired(path: string): Promise<string[]> {
  const counts = await verifySegment(path, { proofs: false, onDamage: noDamage });
  assert.ok(counts.indexed);
  const reader = await SegmentReader.open(path, { onDamage: noDamage });
  const dids = (await collect(reader.repos())).map(({ did }) => did);
  await reader.close();
  return dids;
}

const threeRepos = (): RepoBlock[] => [1, 2, 3].map((number) => sampleRepo(sampleDid(number), posts(number)));

test("a segment that a crash left is cut behind its last whole block and finished, at every byte", async (t) => {
  const folder = await temporaryFolder(t);
  const [first, second] = threeRepos();
  const blocks = [encodeBlock(first!), encodeBlock(second!)];
  const bytes = Buffer.concat([partialHeader, ...blocks]);
  const path = join(folder, "segment_0001.rca");
  const tail = 64 + blocks[0]!.length;
  for (let length = 0; length <= bytes.length; length += length < 64 ? 9 : 1) {
    await writeFile(`${path}.partial`, bytes.subarray(0, length));
    const [result] = await salvageFolder(folder, ({ torn }) => assert.ok(torn || length < 64));
    const whole = length === bytes.length ? [first!, second!] : length >= tail ? [first!] : [];
    assert.equal(result!.repos, whole.length);
    assert.equal(result!.action, whole.length === 0 ? "removed" : "finished");
    if (whole.length === 0) assert.deepEqual(await readdir(folder), [], `cut at ${length}`);
    else assert.deepEqual(await readFile(path), byHandSegment(whole, CREATED));
  }
});

test("a crash in the midst of finishing loses nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = threeRepos();
  const good = byHandSegment(repos, CREATED);
  const indexOffset = Number(good.readBigInt64LE(24));
  const path = join(folder, "segment_0001.rca");
  for (let length = indexOffset; length <= good.length; length++) {
    await writeFile(`${path}.partial`, Buffer.concat([partialHeader, good.subarray(64, length)]));
    await salvageFolder(folder, () => {});
    assert.deepEqual(await readFile(path), good, `cut at ${length}`);
  }
  await rename(path, `${path}.partial`);
  const [result] = await salvageFolder(folder, noDamage);
  assert.equal(result!.action, "finished");
  assert.deepEqual(await readFile(path), good);
});

test("a changed bit costs the block it is in and no other, with an index and without", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = threeRepos();
  const good = byHandSegment(repos, CREATED);
  const indexOffset = Number(good.readBigInt64LE(24));
  const ends = repos.map((_, number) =>
    repos.slice(0, number + 1).reduce((end, repo) => end + encodeBlock(repo).length, 64),
  );
  const path = join(folder, "segment_0001.rca");
  for (let at = 64; at < indexOffset; at += 5) {
    const changed = Buffer.from(good);
    changed[at]! ^= 1 << (at % 8);
    const hit = ends.findIndex((end) => at < end);
    const expected = repos.filter((_, number) => number !== hit).map(({ did }) => did);
    for (const indexed of [true, false]) {
      const source = indexed ? path : `${path}.partial`;
      await writeFile(source, indexed ? changed : Buffer.concat([partialHeader, changed.subarray(64, indexOffset)]));
      const result = await repairSegment(source, () => {});
      const dids = await repaired(path);
      if (indexed) assert.deepEqual(dids, expected, `byte ${at}`);
      // Without an index nothing covers the strings before the CRC: such a block stays, as it is.
      else
        assert.ok(
          expected.every((did) => dids.includes(did)),
          `byte ${at}, no index: ${dids}`,
        );
      if (result.kept !== null) {
        assert.equal(result.action, "rewritten");
        await rm(result.kept);
      }
      assert.ok(!existsSync(`${path}.partial`));
    }
  }
});

test("header, index and footer are rebuilt from the blocks", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = threeRepos();
  const good = byHandSegment(repos, CREATED);
  const path = join(folder, "segment_0001.rca");
  const indexOffset = Number(good.readBigInt64LE(24));
  const places = [0, 8, 20, 24, 31, 40, indexOffset, indexOffset + 9, good.length - 32, good.length - 1];
  for (const at of places) {
    const changed = Buffer.from(good);
    changed[at]! ^= 1;
    await writeFile(path, changed);
    const { damage, onDamage } = collectDamage();
    const { action, kept } = await repairSegment(path, onDamage);
    assert.ok(damage.length > 0, `byte ${at}`);
    assert.ok(action === "finished" || kept !== null);
    assert.deepEqual(await readFile(path), good, `byte ${at}`);
  }
});

test("with both ends missing, the blocks are still found", async (t) => {
  const path = join(await temporaryFolder(t), "segment_0001.rca");
  const good = byHandSegment(threeRepos(), CREATED);
  const changed = Buffer.from(good);
  changed.fill(0xee, 0, 64);
  changed.fill(0xee, good.length - 32);
  await writeFile(path, changed);
  const result = await repairSegment(path, () => {});
  assert.equal(result.repos, 3);
  assert.deepEqual(
    await repaired(path),
    threeRepos().map(({ did }) => did),
  );
});

test("a whole segment is left as it is; a file without blocks is refused", async (t) => {
  const folder = await temporaryFolder(t);
  const path = await writeSegment(folder, threeRepos());
  const good = await readFile(path);
  assert.deepEqual(await repairSegment(path, noDamage), { action: "whole", path, repos: 3, kept: null });
  assert.deepEqual(await readFile(path), good);
  await writeFile(path, Buffer.alloc(3000, "did:"));
  await assert.rejects(
    repairSegment(path, () => {}),
    { code: "NOT_A_SEGMENT" },
  );
  assert.equal((await readFile(path)).length, 3000);
});

test("a segment that is being written is not repaired", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder);
  await writer.append(sampleRepo("did:plc:a"));
  await assert.rejects(
    repairSegment(join(folder, "segment_0001.rca.partial"), () => {}),
    { code: "SEGMENT_BUSY" },
  );
  await writer.close();
});

test("a record that looks like many blocks does not make the search endless", async (t) => {
  const path = join(await temporaryFolder(t), "segment_0001.rca.partial");
  const fake = encodeBlock(
    sampleRepo(sampleDid(9), {}, { collections: [{ name: "a", recordCount: 1, frame: Buffer.alloc(9) }] }),
  );
  // Each claims all that follows: whoever checked them all would read the file squared.
  const fakes = Buffer.concat(Array.from({ length: 20_000 }, () => fake));
  for (let at = 0; at < fakes.length; at += fake.length) fakes.writeUInt32LE(fakes.length - at, at);
  await writeFile(
    path,
    Buffer.concat([partialHeader, encodeBlock(sampleRepo("did:plc:a")), Buffer.from("torn"), fakes]),
  );
  const result = await repairSegment(path, () => {});
  assert.equal(result.repos, 1);
});
