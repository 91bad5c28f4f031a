import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { readWindowMemory, writeWindowMemory } from "./window-memory.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-window-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "window.json");
const NOTHING = { port: 0, place: null };

test("what was written comes back, and only its owner can read it", () => {
  assert.deepEqual(readWindowMemory(folder), NOTHING);
  const place = { left: -1200, top: 0, width: 1000, height: 700, isMaximized: true };
  writeWindowMemory(folder, { port: 40123, place });
  assert.deepEqual(readWindowMemory(folder), { port: 40123, place });
  assert.equal(statSync(file).mode & 0o077, 0);
});

test("one broken value does not lose the other", () => {
  writeFileSync(file, '{"port":40123,"place":{"left":0,"top":0,"width":1,"height":1,"isMaximized":false}}');
  assert.deepEqual(readWindowMemory(folder), { port: 40123, place: null });
});

test("whatever is in the file, a window can be opened by it", () => {
  const anything = fc.oneof(fc.string(), fc.json(), fc.record({ port: fc.anything(), place: fc.anything() }));
  fc.assert(
    fc.property(anything, (written) => {
      writeFileSync(file, typeof written === "string" ? written : (JSON.stringify(written, harmless) ?? ""));
      const { port, place } = readWindowMemory(folder);
      assert.ok(Number.isInteger(port) && port >= 0 && port <= 65_535);
      assert.ok(place === null || (place.width >= 320 && place.height >= 240));
    }),
    { numRuns: 200 },
  );
});

const harmless = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
