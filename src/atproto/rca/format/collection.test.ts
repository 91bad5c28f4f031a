import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { BadBytes } from "./bytes.ts";
import { compressCollections, contentOf, contentSize, encodeRecords, recordsOf } from "./collection.ts";

const compress = (bytes: Uint8Array, level = 3): Buffer =>
  Buffer.from(compressCollections([{ name: "c", recordCount: 1, bytes }], level)[0]!.frame);
const asCollection = (frame: Uint8Array) => ({ name: "c", recordCount: 1, frame });

const CHECKSUM_FLAG = 4;
/** Text that repeats at long distances, so that levels differ. */
const text = Buffer.from(
  Array.from({ length: 20_000 }, (_, index) => `{"n":${(index * 7919) % 1009},"w":"${(index * 31) % 97}"}`).join(),
);

test("a frame has checksum and content size, for every size class of the header", () => {
  for (const length of [0, 1, 255, 256, 65_791, 65_792, 200_000]) {
    const bytes = Buffer.alloc(length, "abc");
    const frame = compress(bytes);
    assert.equal(frame[4]! & CHECKSUM_FLAG, CHECKSUM_FLAG);
    assert.equal(contentSize(frame), length);
    assert.deepEqual(contentOf(asCollection(frame)), bytes);
  }
});

test("the level is really set", () => {
  const sizes = [1, 3, 9, 19].map((level) => compress(text, level).length);
  assert.equal(new Set(sizes).size, sizes.length, sizes.join());
  assert.ok(sizes[3]! < 0.9 * sizes[0]!, sizes.join());
});

test("two frames, a frame with something behind it, and no frame are all found", () => {
  const frame = compress(text);
  const two = Buffer.concat([frame, compress(Buffer.from("more"))]);
  // The trap: node:zlib says nothing.
  assert.equal(zstdDecompressSync(two).length, text.length);
  const skippable = Buffer.from("502a4d1802000000ffff", "hex");
  for (const bytes of [
    two,
    Buffer.concat([frame, Buffer.from("x")]),
    Buffer.concat([frame, skippable]),
    Buffer.concat([skippable, frame]),
    frame.subarray(0, -1),
    Buffer.from("no frame at all"),
    Buffer.alloc(0),
  ]) {
    assert.throws(() => contentOf(asCollection(bytes)), BadBytes);
  }
});

test("the content size is checked against the limit before anything is unpacked", () => {
  const frame = compress(text);
  assert.throws(() => contentOf(asCollection(frame), text.length - 1), /unpacks to \d+ bytes, over/);
  assert.equal(contentOf(asCollection(frame), text.length).length, text.length);
  const forged = Buffer.from(frame);
  // The header has a content size of four bytes here.
  forged.writeUInt32LE(0xffff_ffff, 5);
  assert.equal(contentSize(forged), 0xffff_ffff);
  assert.throws(() => contentOf(asCollection(forged)), /over/);
  forged.writeUInt32LE(10, 5);
  assert.throws(() => contentOf(asCollection(forged)), BadBytes);
});

test("a frame without content size is read up to the limit", () => {
  // As a stream writes it that does not know its end.
  const frame = zstdCompressSync(text, { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } });
  assert.equal(contentSize(frame), null);
  assert.equal(contentOf(asCollection(frame)).length, text.length);
  assert.throws(() => contentOf(asCollection(frame), 1000), BadBytes);
});

test("a changed bit in a frame is found", () => {
  const frame = compress(text.subarray(0, 300));
  for (let at = 0; at < frame.length; at++) {
    const changed = Buffer.from(frame);
    changed[at]! ^= 1 << (at % 8);
    let content: Buffer | null = null;
    try {
      content = contentOf(asCollection(changed));
    } catch (error) {
      assert.ok(error instanceof BadBytes);
    }
    // Some bits of a zstd header may change without changing what comes out.
    if (content !== null) assert.deepEqual(content, text.subarray(0, 300));
  }
});

test("records are read as they were written", () => {
  const record = fc.record({ rkey: fc.string({ unit: "binary" }), value: fc.uint8Array({ maxLength: 30 }) });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 20 }), (records) => {
      const content = encodeRecords(records);
      const read = Array.from(recordsOf(content, records.length), ({ rkey, value }) => ({ rkey, value: [...value] }));
      assert.deepEqual(
        read,
        records.map(({ rkey, value }) => ({ rkey, value: [...value] })),
      );
      assert.throws(() => [...recordsOf(content, records.length + 1)], BadBytes);
      if (records.length > 0) assert.throws(() => [...recordsOf(content, records.length - 1)], BadBytes);
    }),
  );
});

test("a record with a huge length is bad bytes", () => {
  const content = Buffer.from([1, 0, 0x61, 0xff, 0xff, 0xff, 0xff, 0x7b, 0x7d]);
  assert.throws(() => [...recordsOf(content, 1)], BadBytes);
});
