/** Notes of robots.txt stand in the format of the workspace, and come back to the character. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { RobotsNote } from "../../politeness/robots-keeper.ts";
import { decodeRobots, encodeRobots } from "./robots-line.ts";

const noteOf = (note: RobotsNote, origin = "https://github.com") => ({
  key: `robots:${origin}`,
  value: JSON.stringify(note),
});

it("begins with the four keys of the format", () => {
  const note = noteOf({ kind: "rules", why: "robots.txt", text: "User-agent: *\n", expiresAt: 1_700_000_600_500 });
  assert.deepEqual(Object.entries(JSON.parse(encodeRobots(note, 1_700_000_000_123, 4)!)), [
    ["domain", "github.com"],
    ["content", "User-agent: *\n"],
    ["fetched_at", 1_700_000_000],
    ["expires_at", 1_700_000_600.5],
    ["origin", "https://github.com"],
    ["why", "robots.txt"],
    ["commit", 4],
  ]);
});

it("any note comes back to the character, or is left to the commits", () => {
  const kind = fc.constantFrom("rules" as const, "allow-all" as const, "disallow-all" as const);
  const text = fc.string({ unit: "binary" });
  const time = fc.integer({ min: 0, max: 1e14 });
  const expiresAt = fc.oneof(time, fc.double());
  fc.assert(
    fc.property(fc.record({ kind, why: text, text, expiresAt }), fc.nat(), (value, commit) => {
      const note = noteOf(value, "http://localhost:8080");
      const line = encodeRobots(note, 0, commit);
      if (line === null) assert.ok(!Number.isInteger(value.expiresAt) || value.expiresAt > 1e14 || value.expiresAt < 0);
      else assert.deepEqual(decodeRobots(Buffer.from(line)), { note, commit });
    }),
  );
});

it("other notes and other lines are refused without an exception", () => {
  fc.assert(
    fc.property(fc.string(), fc.oneof(fc.string(), fc.json()), (key, value) => {
      assert.equal(encodeRobots({ key, value }, 0, 1), null);
      assert.equal(encodeRobots({ key: "robots:https://a.example", value }, 0, 1), null);
      assert.equal(decodeRobots(Buffer.from(value)), null);
    }),
  );
  assert.equal(encodeRobots(noteOf({ kind: "rules", why: "", text: "", expiresAt: 1 }, "no origin"), 0, 1), null);
});
