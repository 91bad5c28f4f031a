import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { RepoNotStorable } from "../format/block.ts";
import { SegmentReader } from "../read/segment-reader.ts";
import { salvageFolder } from "../repair/repair-segments.ts";
import {
  byHandSegment,
  collect,
  collectDamage,
  noDamage,
  posts,
  recordsText,
  sampleDid,
  sampleRepo,
  sampleWriter,
  temporaryFolder,
  writeSegment,
} from "../testing/samples.ts";
import type { FinishedSegment } from "./segment-file.ts";

test("a finished segment is what the seed says, byte for byte", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = [
    sampleRepo("did:plc:zz", posts(2)),
    sampleRepo("did:plc:b"),
    sampleRepo("did:web:b.example", { "a.b": { self: { n: 1 } }, "a.c": { x: [] } }),
    sampleRepo("did:plc:Z", posts(1)),
  ];
  const path = await writeSegment(folder, repos);
  assert.equal(path, join(folder, "segment_0001.rca"));
  assert.deepEqual(await readFile(path), byHandSegment(repos, 1_700_000_000_000_000n));
  assert.deepEqual(await readdir(folder), ["segment_0001.rca"]);
});

test("an append that resolved is in the .partial, and those made together share a sync", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder);
  const repos = Array.from({ length: 50 }, (_, index) => sampleRepo(sampleDid(index), posts(1)));
  const written = await Promise.all(repos.map((repo) => writer.append(repo)));
  const bytes = await readFile(join(folder, "segment_0001.rca.partial"));
  for (const [index, { offset, size, segment }] of written.entries()) {
    assert.equal(segment, 1);
    assert.equal(bytes.readUInt32LE(offset), size);
    assert.ok(bytes.subarray(offset, offset + size).includes(sampleDid(index)));
  }
  // RepoCount and IndexOffset of an unfinished segment.
  assert.deepEqual([...bytes.subarray(20, 32)], new Array(12).fill(0));
  await writer.close();
  await assert.rejects(writer.append(repos[0]!), /closed/);
});

test("a segment is finished when a write has reached the size, and none is empty", async (t) => {
  const folder = await temporaryFolder(t);
  const finished: FinishedSegment[] = [];
  const repo = (index: number) => sampleRepo(sampleDid(index), posts(3));
  const { size } = await sampleSize(t, repo(0));
  const writer = sampleWriter(folder, { targetBytes: 2 * size, onFinished: (segment) => finished.push(segment) });
  const written = await Promise.all([0, 1, 2, 3].map((index) => writer.append(repo(index))));
  assert.deepEqual(
    written.map(({ segment }) => segment),
    [1, 1, 2, 2],
  );
  await writer.close();
  assert.deepEqual(await readdir(folder), ["segment_0001.rca", "segment_0002.rca"]);
  assert.deepEqual(
    finished.map(({ repoCount }) => repoCount),
    [2, 2],
  );
  for (const { path, size: bytes } of finished) assert.equal((await readFile(path)).length, bytes);
  const unused = sampleWriter(folder);
  await unused.close();
  assert.equal((await readdir(folder)).length, 2);
});

async function sampleSize(t: Parameters<typeof temporaryFolder>[0], repo: ReturnType<typeof sampleRepo>) {
  const writer = sampleWriter(await temporaryFolder(t));
  const written = await writer.append(repo);
  await writer.close();
  return written;
}

test("a repo that cannot be stored fails alone", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder);
  const long = writer.append(sampleRepo("did:plc:a", {}, { pds: "x".repeat(70_000) }));
  await assert.rejects(long, RepoNotStorable);
  await writer.append(sampleRepo("did:plc:b"));
  await writer.close();
  assert.deepEqual(await readdir(folder), ["segment_0001.rca"]);
});

test("a folder that cannot be made is reported, and the next append tries again", async (t) => {
  const folder = join(await temporaryFolder(t), "out");
  await writeFile(folder, "a file in the way");
  const writer = sampleWriter(folder);
  await assert.rejects(writer.append(sampleRepo("did:plc:a")));
  await rm(folder);
  await writer.append(sampleRepo("did:plc:a"));
  await writer.close();
  assert.deepEqual(await readdir(folder), ["segment_0001.rca"]);
});

test("two writers at once have segments of their own, and nothing is lost", async (t) => {
  const folder = await temporaryFolder(t);
  const writers = [sampleWriter(folder, { targetBytes: 400 }), sampleWriter(folder, { targetBytes: 700 })];
  const dids = Array.from({ length: 40 }, (_, index) => sampleDid(index));
  const written = await Promise.all(
    dids.map((did, index) => writers[index % 2]!.append(sampleRepo(did, posts(index % 5)))),
  );
  const own = [0, 1].map((which) => new Set(written.filter((_, index) => index % 2 === which).map(({ path }) => path)));
  assert.ok([...own[0]!].every((path) => !own[1]!.has(path)));
  await Promise.all(writers.map((writer) => writer.close()));
  const names = await readdir(folder);
  assert.ok(
    names.every((name) => /^segment_\d{4}\.rca$/.test(name)),
    names.join(),
  );
  assert.equal(names.length, own[0]!.size + own[1]!.size);
  const { damage, onDamage } = collectDamage();
  const found: string[] = [];
  for (const name of names) {
    const reader = await SegmentReader.open(join(folder, name), { onDamage });
    for await (const { did } of reader.repos()) found.push(did);
    await reader.close();
  }
  assert.deepEqual(found.sort(), dids.sort());
  assert.deepEqual(damage, []);
});

test("a segment that is being written is left alone by whoever cleans up", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder);
  await writer.append(sampleRepo("did:plc:a"));
  assert.deepEqual(await salvageFolder(folder, noDamage), []);
  assert.ok(existsSync(join(folder, "segment_0001.rca.partial")));
  await writer.append(sampleRepo("did:plc:b", posts(1)));
  await writer.close();
  const reader = await SegmentReader.open(join(folder, "segment_0001.rca"), { onDamage: noDamage });
  assert.equal((await collect(reader.repos())).length, 2);
  await reader.close();
});

test("numbers go on behind what is there, a damaged file included", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "segment_0007.rca.damaged"), "");
  assert.equal(await writeSegment(folder, [sampleRepo("did:plc:a")]), join(folder, "segment_0008.rca"));
  await writeFile(join(folder, "segment_12345.rca"), "");
  assert.equal(await writeSegment(folder, [sampleRepo("did:plc:a")]), join(folder, "segment_12346.rca"));
});

test("what was written is read", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = Array.from({ length: 20 }, (_, index) => sampleRepo(sampleDid(index), posts(index)));
  const reader = await SegmentReader.open(await writeSegment(folder, repos), { onDamage: noDamage });
  const read = await collect(reader.repos());
  await reader.close();
  assert.deepEqual(
    read.map((repo) => [repo.did, repo.pds, repo.rev, repo.crawledAt, recordsText(repo)]),
    repos.map((repo) => [repo.did, repo.pds, repo.rev, repo.crawledAt, recordsText(repo)]),
  );
});
