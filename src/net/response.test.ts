import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteSink } from "./response.ts";

test("gives back what was written, in order, whatever length was claimed", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 12 }), fc.nat(1e7), (chunks, claim) => {
      const sink = new ByteSink(claim);
      for (const chunk of chunks) sink.write(Buffer.from(chunk));
      assert.ok(sink.bytes().equals(Buffer.concat(chunks)));
    }),
    { numRuns: 50 },
  );
});

test("a million one-byte chunks stay one buffer", () => {
  const sink = new ByteSink(0);
  const byte = Buffer.from("x");
  for (let index = 0; index < 1_000_000; index++) sink.write(byte);
  assert.equal(sink.bytes().length, 1_000_000);
  assert.ok(sink.bytes().buffer.byteLength < 4_000_000);
});
