import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockIndex } from "./block-index.ts";
import { encodeCid } from "./multibase.ts";
import { RepoParseError } from "./parsed-repo.ts";
import { type Block, blockOf, varint, writeCar } from "./testing/build-car.ts";
import { array, link, map, unsigned } from "./testing/cbor.ts";

const half = () => 0.5;
const blocks = (count: number): Block[] =>
  Array.from({ length: count }, (_, index) => blockOf(Buffer.from(`block ${index}`)));

function indexOf(car: Uint8Array, verify = true): BlockIndex {
  return new BlockIndex(car, { verify, random: half });
}

/** The index looks digests up where they stand in the CAR, so they are put behind its blocks. */
function found(car: Buffer, index: BlockIndex, { cid }: Block): string | null {
  const block = index.find(car.indexOf(cid) + 4);
  return block === 0 ? null : car.subarray(index.start(block), index.end(block)).toString();
}

function reason(car: Uint8Array): string {
  try {
    indexOf(car);
  } catch (error) {
    assert.ok(error instanceof RepoParseError);
    assert.equal(error.class, "invalid_car");
    return error.message;
  }
  return assert.fail("it was accepted");
}

test("finds every block, in any order, with duplicates, at the offset of a view", () => {
  const all = blocks(2_000);
  const root = all[0]!;
  const car = Buffer.concat([Buffer.alloc(7), writeCar(root.cid, [...all, all[5]!, ...all.toReversed()])]).subarray(7);
  const index = indexOf(car);
  assert.equal(index.rootDigest, car.indexOf(root.cid) + 4);
  for (const block of all) assert.equal(found(car, index, block), block.data.toString());
});

test("does not find a missing key", () => {
  const [root, other, missing] = blocks(3) as [Block, Block, Block];
  // The absent one is named in the data of another.
  const car = writeCar(root.cid, [root, other, blockOf(link(missing.cid))]);
  assert.equal(found(car, indexOf(car), missing), null);
});

test("passes over blocks that are named by another hash, and knows CIDs of version 0", () => {
  const root = blockOf(Buffer.from("root"));
  const identity = { ...root, cid: Buffer.from([1, 0x55, 0, 3, 1, 2, 3]), data: Buffer.from("x") };
  const old = { ...root, cid: blockOf(Buffer.from("old")).cid.subarray(2), data: Buffer.from("old") };
  const raw = { ...root, cid: Buffer.concat([Buffer.of(1, 0x55), root.cid.subarray(2)]) };
  const car = writeCar(root.cid, [identity, old, raw]);
  const index = indexOf(car);
  assert.equal(found(car, index, root), "root");
  const at = index.find(car.indexOf(old.cid) + 2);
  assert.equal(car.subarray(index.start(at), index.end(at)).toString(), "old");
});

test("a digest that does not fit is found, unless nobody asked", () => {
  const [root, other] = blocks(2) as [Block, Block];
  const car = writeCar(root.cid, [root, { ...other, data: Buffer.from("changed") }]);
  assert.match(reason(car), /does not match the hash/);
  assert.equal(found(car, indexOf(car, false), other), "changed");
});

test("a wrong digest is found wherever it is among many", () => {
  const all = blocks(200);
  for (const wrong of [0, 62, 63, 64, 65, 127, 128, 199]) {
    const changed = all.map((block, at) => (at === wrong ? { ...block, data: Buffer.from("changed") } : block));
    assert.match(reason(writeCar(all[0]!.cid, changed)), new RegExp(`block ${encodeCid(all[wrong]!.cid, 4)} does not`));
  }
});

test("every bit of a digest is checked against the block", () => {
  const root = blockOf(Buffer.from("root"));
  for (let bit = 0; bit < 256; bit++) {
    const cid = Buffer.from(root.cid);
    cid[4 + (bit >> 3)]! ^= 1 << (bit & 7);
    assert.match(reason(writeCar(root.cid, [{ ...root, cid }])), /does not match the hash/);
  }
});

test("many looked up together are those that are found one by one, and 0 for those that are missing", () => {
  const all = blocks(300);
  const missing = Array.from({ length: 100 }, (_, index) => blockOf(Buffer.from(`missing ${index}`)));
  const names = [...all.toReversed(), ...missing, ...all];
  const root = blockOf(Buffer.concat(names.map(({ cid }) => cid)));
  const car = writeCar(root.cid, [...all, all[7]!, root]);
  const named = car.indexOf(root.data);
  const digests = Int32Array.from(names, (_, at) => named + 36 * at + 4);
  for (const verify of [true, false]) {
    const index = indexOf(car, verify);
    for (const count of [0, 1, 63, 64, 65, names.length]) {
      const found = new Int32Array(names.length).fill(-1);
      index.findAll(digests, count, found);
      assert.deepEqual(
        [...found.subarray(0, count)],
        [...digests.subarray(0, count)].map((digest) => index.find(digest)),
      );
      assert.ok(found.subarray(count).every((block) => block === -1));
    }
    assert.equal(index.find(digests[300]!), 0);
    const [first] = digests;
    assert.equal(car.subarray(index.start(index.find(first!)), index.end(index.find(first!))).toString(), "block 299");
  }
});

test("digests that all begin alike are still distinguished", () => {
  const alike = Array.from({ length: 500 }, (_, index): Block => {
    const cid = Buffer.concat([Buffer.of(1, 0x71, 0x12, 0x20), Buffer.alloc(32)]);
    cid.writeUInt32BE(index, 32);
    return { cid, data: Buffer.from(`${index}`), newest: "" };
  });
  const car = writeCar(alike[0]!.cid, alike);
  // Factors of 1: no better than adding the words up.
  const index = new BlockIndex(car, { verify: false, random: () => 0 });
  for (const block of alike.slice(1)) assert.equal(found(car, index, block), block.data.toString());
});

test("anything but a CAR of version 1 is refused with the reason", () => {
  const root = blockOf(Buffer.from("root"));
  const car = writeCar(root.cid, [root]);
  const withHeader = (header: Buffer) => Buffer.concat([varint(header.length), header]);
  const roots: [string, Buffer] = ["roots", array([link(root.cid)])];
  assert.match(reason(Buffer.alloc(0)), /cut off/);
  assert.match(reason(Buffer.from("<!doctype html><title>502</title>")), /header/);
  assert.match(reason(Buffer.from("0aa16776657273696f6e02", "hex")), /version 2/);
  assert.match(
    reason(
      withHeader(
        map([
          ["roots", array([])],
          ["version", unsigned(1)],
        ]),
      ),
    ),
    /no root/,
  );
  assert.match(reason(withHeader(map([["version", unsigned(1)]]))), /no root/);
  assert.match(reason(withHeader(map([roots]))), /version 0/);
  assert.match(reason(Buffer.alloc(40, 0xff)), /too large/);
  assert.match(reason(Buffer.concat([car, Buffer.of(0)])), /out of step/);
  assert.match(reason(Buffer.concat([car, Buffer.of(5, 1, 0x71, 0x12, 0x20, 0)])), /too short/);
  assert.match(reason(Buffer.concat([car, Buffer.of(4, 9, 9, 9, 9)])), /unknown version/);
  const header = car.indexOf(root.cid, 30) - 1;
  for (let end = 0; end < car.length; end++) {
    // Cut exactly between two blocks it is a whole CAR, with a block less.
    if (end !== header) assert.match(reason(car.subarray(0, end)), /cut off|header/);
  }
});

test("the table stays under twice the CAR, even with the smallest blocks there are", () => {
  const smallest = Array.from({ length: 5_000 }, (_, index): Block => {
    const cid = Buffer.concat([Buffer.of(1, 0x71, 0x12, 0x20), Buffer.alloc(32)]);
    cid.writeUInt32BE(index, 32);
    return { cid, data: Buffer.alloc(0), newest: "" };
  });
  const car = writeCar(smallest[0]!.cid, smallest);
  const index = indexOf(car, false);
  for (const block of smallest.slice(1)) assert.equal(found(car, index, block), "");
  assert.ok(index.byteLength < 2 * car.length, `${index.byteLength} for ${car.length}`);
});
