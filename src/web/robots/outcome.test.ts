import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { robotsOutcome } from "./outcome.ts";

const HOUR = 3_600_000;

test("each kind of answer means what RFC 9309, 2.3.1 says", () => {
  const cases: [number, string][] = [
    [200, "rules"],
    [204, "rules"],
    [301, "allow-all"],
    [401, "allow-all"],
    [403, "allow-all"],
    [404, "allow-all"],
    [410, "allow-all"],
    [429, "disallow-all"],
    [500, "disallow-all"],
    [503, "disallow-all"],
    [599, "disallow-all"],
    [0, "disallow-all"],
  ];
  for (const [status, kind] of cases) assert.equal(robotsOutcome({ status }).kind, kind, String(status));
  const failed = robotsOutcome({ error: "timeout" });
  assert.equal(failed.kind, "disallow-all");
  assert.match(failed.reason, /timeout/);
});

test("after a failure, robots.txt is requested again after a minute, then after twice as long each time, up to a day", () => {
  const waits = [1, 2, 3, 11, 12, 1000].map((attempt) => robotsOutcome({ status: 503 }, attempt).ttlMs / 60_000);
  assert.deepEqual(waits, [1, 2, 4, 1024, 1440, 1440]);
  assert.equal(robotsOutcome({ status: 200 }).ttlMs, 24 * HOUR);
});

test("nothing is kept for longer than a day, whatever comes", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (status, attempt) => {
      const { ttlMs } = robotsOutcome({ status }, attempt);
      assert.ok(ttlMs >= 60_000 && ttlMs <= 24 * HOUR);
    }),
  );
});
