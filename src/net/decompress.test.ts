import assert from "node:assert/strict";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { zstdFrames } from "./decompress.ts";

test("cuts a body exactly where its frames end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 500 }), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      (bodies, sum) => {
        const frames = bodies.map((body) => zstdCompressSync(body, { params: { 201: sum ? 1 : 0 } }));
        const found = zstdFrames(Buffer.concat(frames), 100)!;
        assert.equal(found.length, frames.length);
        for (const [index, frame] of frames.entries()) assert.ok(found[index]!.equals(frame));
      },
    ),
  );
});

test("finds the end of frames of many blocks, of one repeated byte, and of unknown size", () => {
  for (const body of [Buffer.alloc(1_000_000), Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * i) >> 3))]) {
    const frame = zstdCompressSync(body);
    assert.equal(zstdFrames(Buffer.concat([frame, frame]), 9)!.length, 2);
  }
});

test("any bytes give pieces of themselves, and the limit holds", () => {
  const magic = Buffer.from("28b52ffd", "hex");
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant(magic), fc.uint8Array({ maxLength: 9 }))), (parts) => {
      const bytes = Buffer.concat(parts);
      const frames = zstdFrames(bytes, 3);
      assert.ok(frames === null || frames.length <= 3);
      assert.ok(frames === null || frames.reduce((sum, frame) => sum + frame.length, 0) <= bytes.length);
    }),
  );
});
