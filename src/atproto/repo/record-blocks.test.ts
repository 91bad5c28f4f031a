import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockIndex } from "./block-index.ts";
import { CborReader } from "./cbor-reader.ts";
import { LARGEST_OUTPUT_RATIO, MOST_COLLECTIONS, OUTPUT_ALLOWANCE_BYTES, RepoParseError } from "./parsed-repo.ts";
import { RecordBlocks } from "./record-blocks.ts";
import { blockOf, writeCar } from "./testing/build-car.ts";
import { encode } from "./testing/cbor.ts";

/** Visits keys that all name the same record, as `MstWalk` would. */
function visitor(record: unknown, cids = false): { blocks: RecordBlocks; car: Buffer; visit: (key: string) => void } {
  const block = blockOf(encode(record));
  const car = writeCar(block.cid, [block]);
  const index = new BlockIndex(car, { verify: true, random: () => 0.2 });
  const blocks = new RecordBlocks(new CborReader(car), index, "seed", { cids, blocks: false });
  let before = "";
  const visit = (key: string) => {
    let shared = 0;
    while (shared < key.length && key[shared] === before[shared]) shared++;
    before = key;
    blocks.visit(Buffer.from(key), key.length, shared, index.find(index.rootDigest), index.rootDigest);
  };
  return { blocks, car, visit };
}

test("a collection continues after a key that was not valid, and another begins with its name alone", () => {
  const { blocks, visit } = visitor({});
  for (const key of ["a.b/1", "a.b/2/3", "a.b/4", "a.b/4 ", "a.c/1", "a.cc/1", "b"]) visit(key);
  assert.deepEqual(
    blocks.collections().map(({ name, recordCount }) => [name, recordCount]),
    [
      ["a.b", 2],
      ["a.c", 1],
      ["a.cc", 1],
    ],
  );
  assert.equal(blocks.undecodableCount, 3);
});

test("more collections than an archive can count are refused", () => {
  const { visit } = visitor({});
  for (let index = 0; index < MOST_COLLECTIONS; index++) visit(`c${index}/r`);
  assert.throws(() => visit("d/r"), RepoParseError);
});

test("memory has a limit that is known beforehand, for records and for CIDs", () => {
  for (const record of [{}, { text: "\u0000".repeat(9_000) }]) {
    const { blocks, car, visit } = visitor(record, true);
    const limit = LARGEST_OUTPUT_RATIO * car.length + OUTPUT_ALLOWANCE_BYTES;
    assert.throws(() => {
      for (let index = 0; index < 200_000; index++) visit(`a.b/${index}`);
    }, RepoParseError);
    assert.ok(blocks.capacity <= 2 * limit, `${blocks.capacity} over ${limit}`);
  }
});
