import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { endOfWholeLines, MAX_LINE_BYTES, readLines } from "./read-lines.ts";
import { collect, temporaryFolder } from "./testing/files.ts";

test("lines come back with their places, whatever the size of the reads", async (t) => {
  const path = join(await temporaryFolder(t), "lines");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom("a", "é", "\r", "\0"), maxLength: 12 }), { maxLength: 12 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 20 }),
      async (texts, torn, chunk) => {
        const whole = Buffer.from(texts.map((text) => `${text}\n`).join("") + (torn ? "x" : ""));
        await writeFile(path, whole);
        const lines = await collect(readLines(path, { chunk }));
        const expected = torn ? [...texts, "x"] : texts;
        assert.deepEqual(
          lines.map(({ bytes }) => bytes.toString()),
          expected,
        );
        assert.deepEqual(
          lines.map(({ number }) => number),
          expected.map((_, index) => index + 1),
        );
        for (const { offset, length, bytes, flaw, number } of lines) {
          assert.deepEqual(whole.subarray(offset, offset + length), bytes);
          assert.equal(flaw, torn && number === expected.length ? "torn" : null);
        }
        const read = async (offset: number, length: number) => whole.subarray(offset, offset + length);
        assert.equal(await endOfWholeLines(read, whole.length), whole.length - (torn ? 1 : 0));
      },
    ),
    { numRuns: 60 },
  );
});

test("a range is read, and a missing file has no lines", async (t) => {
  const path = join(await temporaryFolder(t), "lines");
  await writeFile(path, "one\ntwo\nthree\n");
  const texts = async (range: object) => (await collect(readLines(path, range))).map(({ bytes }) => `${bytes}`);
  assert.deepEqual(await texts({ from: 4 }), ["two", "three"]);
  assert.deepEqual(await texts({ to: 8 }), ["one", "two"]);
  await rm(path);
  assert.deepEqual(await texts({}), []);
});

test("an endless line costs no more than our longest line", async (t) => {
  const path = join(await temporaryFolder(t), "lines");
  await writeFile(path, Buffer.concat([Buffer.alloc(MAX_LINE_BYTES + 5, "x"), Buffer.from("\nshort\n")]));
  const [long, short] = await collect(readLines(path));
  assert.equal(long!.flaw, "long");
  assert.equal(long!.bytes.length, MAX_LINE_BYTES);
  assert.equal(long!.length, MAX_LINE_BYTES + 5);
  assert.equal(`${short!.bytes}`, "short");
});
