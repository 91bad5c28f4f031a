import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { encodeBlock } from "../format/block.ts";
import { encodeHeader } from "../format/frame.ts";
import {
  collect,
  collectDamage,
  noDamage,
  posts,
  sampleDid,
  sampleRepo,
  temporaryFolder,
  writeSegment,
} from "../testing/samples.ts";
import { SegmentReader } from "./segment-reader.ts";

const didsOf = async (reader: SegmentReader): Promise<string[]> =>
  (await collect(reader.repos())).map(({ did }) => did);

const partialHeader = encodeHeader({ kind: "rca", createdAt: 1n, repoCount: 0, indexOffset: 0n });

test("an unfinished segment is read up to a torn block, cut at every byte of its last block", async (t) => {
  const path = join(await temporaryFolder(t), "segment_0001.rca.partial");
  const first = encodeBlock(sampleRepo("did:plc:a", posts(2)));
  const last = encodeBlock(sampleRepo("did:plc:b", posts(1)));
  const bytes = Buffer.concat([partialHeader, first, last]);
  const tail = partialHeader.length + first.length;
  for (let length = tail; length <= bytes.length; length++) {
    await writeFile(path, bytes.subarray(0, length));
    const { damage, onDamage } = collectDamage();
    const reader = await SegmentReader.open(path, { onDamage });
    assert.deepEqual(await didsOf(reader), length === bytes.length ? ["did:plc:a", "did:plc:b"] : ["did:plc:a"]);
    assert.equal((await reader.find("did:plc:a")).length, 1);
    await reader.close();
    if (length === tail || length === bytes.length) assert.deepEqual(damage, []);
    else assert.deepEqual([damage[0]!.offset, damage[0]!.torn], [tail, true], `cut at ${length}`);
  }
});

test("zeros at the end of an unfinished segment, as a power cut leaves them, are a torn end", async (t) => {
  const path = join(await temporaryFolder(t), "segment_0001.rca.partial");
  const block = encodeBlock(sampleRepo("did:plc:a", posts(2)));
  await writeFile(path, Buffer.concat([partialHeader, block, Buffer.alloc(5000)]));
  const { damage, onDamage } = collectDamage();
  const reader = await SegmentReader.open(path, { onDamage });
  assert.deepEqual(await didsOf(reader), ["did:plc:a"]);
  assert.deepEqual(
    damage.map(({ torn }) => torn),
    [true],
  );
  await reader.close();
});

test("a damaged block is reported with its offset and skipped, with an index and without", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = ["did:plc:c", "did:plc:a", "did:plc:b"].map((did) => sampleRepo(did, posts(2)));
  const path = await writeSegment(folder, repos);
  const bytes = await readFile(path);
  const offset = 64 + encodeBlock(repos[0]!).length;
  bytes[offset + 60]! ^= 4;
  await writeFile(path, bytes);
  const blocksEnd = 64 + repos.reduce((total, repo) => total + encodeBlock(repo).length, 0);
  const unfinished = join(folder, "segment_0002.rca.partial");
  await writeFile(unfinished, Buffer.concat([partialHeader, bytes.subarray(64, blocksEnd)]));
  for (const [file, did] of [
    [path, "did:plc:a"],
    [unfinished, null],
  ] as const) {
    const { damage, onDamage } = collectDamage();
    const reader = await SegmentReader.open(file, { onDamage });
    assert.deepEqual(await didsOf(reader), ["did:plc:c", "did:plc:b"]);
    assert.deepEqual(
      damage.map((found) => [found.offset, found.did, found.torn]),
      [[offset, did, false]],
    );
    await reader.close();
  }
});

test("a damaged index is reported, and the blocks are walked", async (t) => {
  const path = await writeSegment(await temporaryFolder(t), [
    sampleRepo("did:plc:b", posts(1)),
    sampleRepo("did:plc:a"),
  ]);
  const bytes = await readFile(path);
  bytes[bytes.length - 40]! ^= 1;
  await writeFile(path, bytes);
  const { damage, onDamage } = collectDamage();
  const reader = await SegmentReader.open(path, { onDamage });
  assert.equal(reader.indexed, false);
  assert.match(damage[0]!.reason, /CRC32 of the index/);
  assert.deepEqual(await didsOf(reader), ["did:plc:b", "did:plc:a"]);
  assert.equal((await reader.find("did:plc:a")).length, 1);
  await reader.close();
});

test("lengths that lie are bounded by the file", async (t) => {
  const folder = await temporaryFolder(t);
  const path = await writeSegment(folder, [sampleRepo("did:plc:a", posts(1))]);
  const good = await readFile(path);
  const footer = good.length - 32;
  const changes: ((bytes: Buffer) => void)[] = [
    (bytes) => bytes.writeUInt32LE(0xffff_ffff, 64),
    (bytes) => bytes.writeBigInt64LE(-1n, footer),
    (bytes) => bytes.writeBigInt64LE(2n ** 62n, footer),
    (bytes) => bytes.writeUInt32LE(0xffff_ffff, footer + 8),
    (bytes) => bytes.writeUInt32LE(0xffff_ffff, footer + 12),
    (bytes) => bytes.writeBigInt64LE(2n ** 62n, 24),
    (bytes) => withIndex(bytes, (index) => index.writeUInt32LE(0xffff_ffff, 0)),
    (bytes) => withIndex(bytes, (index) => index.writeBigInt64LE(2n ** 60n, 15)),
    (bytes) => withIndex(bytes, (index) => index.writeBigInt64LE(-5n, 15)),
    (bytes) => withIndex(bytes, (index) => index.writeUInt32LE(0xffff_ffff, 23)),
    (bytes) => withIndex(bytes, (index) => index.writeUInt16LE(0xffff, 4)),
  ];
  for (const [number, change] of changes.entries()) {
    const bytes = Buffer.from(good);
    change(bytes);
    await writeFile(path, bytes);
    const { damage, onDamage } = collectDamage();
    const reader = await SegmentReader.open(path, { onDamage });
    await didsOf(reader);
    await reader.close();
    assert.ok(damage.length > 0, `change ${number}`);
  }
});

/** Changes the index and makes its CRC true again. */
function withIndex(bytes: Buffer, change: (index: Buffer) => void): void {
  const footer = bytes.length - 32;
  const index = bytes.subarray(Number(bytes.readBigInt64LE(footer)), footer);
  change(index);
  bytes.writeUInt32LE(crc32(index), footer + 16);
}

test("a file that is not a segment is refused", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "segment_0001.rca");
  for (const text of ["", "x", "y".repeat(500)]) {
    await writeFile(path, text);
    await assert.rejects(SegmentReader.open(path, { onDamage: noDamage }), { code: "NOT_A_SEGMENT" });
  }
  await assert.rejects(SegmentReader.open(join(folder, "none.rca"), { onDamage: noDamage }), {
    code: "FILE_NOT_READABLE",
  });
});

test("find gives every block of a DID and nothing else", async (t) => {
  const folder = await temporaryFolder(t);
  const long = `did:web:${"x".repeat(9000)}.example`;
  const number = fc.integer({ min: 0, max: 250 });
  await fc.assert(
    fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 400 }), async (numbers) => {
      const dids = [...numbers.map(sampleDid), long];
      const path = await writeSegment(
        folder,
        dids.map((did) => sampleRepo(did)),
      );
      const reader = await SegmentReader.open(path, { onDamage: noDamage });
      for (const did of new Set([...dids, sampleDid(0), sampleDid(125), sampleDid(250), "did:a", "did:z"])) {
        const entries = await reader.find(did);
        assert.equal(entries.length, dids.filter((each) => each === did).length, did);
        for (const entry of entries) assert.equal((await reader.read(entry))!.did, did);
      }
      await reader.close();
    }),
    { numRuns: 6 },
  );
});

test("rev and counts are read without the records, however long the TOC is", async (t) => {
  const records = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`app.c${1000 + index}`, { a: index }]));
  const path = await writeSegment(await temporaryFolder(t), [sampleRepo("did:plc:a", records, { rev: "3kzz" })]);
  const reader = await SegmentReader.open(path, { onDamage: noDamage });
  const [entry] = await reader.find("did:plc:a");
  const { head, counts } = (await reader.readCounts(entry!))!;
  assert.equal(head.rev, "3kzz");
  assert.equal(counts.length, 400);
  assert.deepEqual(counts[0], { name: "app.c1000", recordCount: 1 });
  await reader.close();
});
