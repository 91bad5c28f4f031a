import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { TrawlError } from "../../../errors.ts";
import { encodeRecords } from "../format/collection.ts";
import {
  collectDamage,
  noDamage,
  posts,
  type Records,
  sampleDid,
  sampleRepo,
  temporaryFolder,
  writeSegment,
} from "../testing/samples.ts";
import { verifySegment } from "./verify.ts";

test("a segment that is true has no problems", async (t) => {
  const repos = [0, 1, 5].map((count) => sampleRepo(sampleDid(count), posts(count)));
  const path = await writeSegment(await temporaryFolder(t), repos);
  const counts = await verifySegment(path, { proofs: false, onDamage: noDamage });
  assert.deepEqual([counts.repos, counts.records, counts.problems, counts.indexed], [3, 6, 0, true]);
});

test("a changed bit in any byte is found, but for the time in the header, which nothing covers", async (t) => {
  const path = await writeSegment(await temporaryFolder(t), [
    sampleRepo("did:plc:b", posts(1)),
    sampleRepo("did:plc:a"),
  ]);
  const good = await readFile(path);
  const missed: number[] = [];
  for (let at = 0; at < good.length; at++) {
    const bytes = Buffer.from(good);
    bytes[at]! ^= 1 << (at % 8);
    await writeFile(path, bytes);
    try {
      const { damage, onDamage } = collectDamage();
      await verifySegment(path, { proofs: false, onDamage });
      if (damage.length === 0) missed.push(at);
    } catch (error) {
      assert.ok(error instanceof TrawlError, `byte ${at}: ${error}`);
    }
  }
  assert.deepEqual(missed, [12, 13, 14, 15, 16, 17, 18, 19]);
});

test("what is wrong inside the frames is found, although every CRC is right", async (t) => {
  const folder = await temporaryFolder(t);
  const frame = (records: [string, string][]) =>
    zstdCompressSync(encodeRecords(records.map(([rkey, value]) => ({ rkey, value: Buffer.from(value, "latin1") }))));
  const cases: [RegExp, number, Uint8Array][] = [
    [/not JSON/, 1, frame([["a", "{"]])],
    [/not JSON/, 1, frame([["a", '"\xff"']])],
    [/not JSON/, 1, frame([["a", ""]])],
    [/out of order/, 2, frame([["b", "1"], ["a", "1"]])], // biome-ignore format: one case a line
    [/out of order/, 2, frame([["a", "1"], ["a", "1"]])], // biome-ignore format: one case a line
    [/behind the last/, 1, frame([["a", "1"], ["b", "1"]])], // biome-ignore format: one case a line
    [/beyond the end/, 3, frame([["a", "1"], ["b", "1"]])], // biome-ignore format: one case a line
    [/one zstd frame/, 1, Buffer.concat([frame([["a", "1"]]), frame([["b", "1"]])])],
  ];
  for (const [reason, recordCount, bytes] of cases) {
    const collections = [
      { name: "a.b", recordCount, frame: bytes },
      ...sampleRepo("did:plc:x", { "c.d": { x: 1 } } satisfies Records).collections,
    ];
    const path = await writeSegment(folder, [sampleRepo("did:plc:a", {}, { collections })]);
    const { damage, onDamage } = collectDamage();
    const counts = await verifySegment(path, { proofs: false, onDamage });
    assert.deepEqual([counts.problems, counts.records], [1, 1]);
    assert.match(damage[0]!.reason, reason);
    assert.deepEqual([damage[0]!.did, damage[0]!.offset], ["did:plc:a", 64]);
  }
});
