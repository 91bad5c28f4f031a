/** Which revisions a stored repo includes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tidText } from "./repo/tid.ts";
import { includesRev } from "./since.ts";

const HOUR = 3_600_000;
const CRAWLED = Date.UTC(2026, 10, 19);
const revAt = (ms: number): string => tidText(BigInt(ms * 1000) << 10n);
const stored = (rev: string | null) => ({ rev, at: BigInt(CRAWLED * 1000) });

test("a stored repo includes its own revision and earlier ones, and nothing that was written after it", () => {
  const repo = stored(revAt(CRAWLED - HOUR));
  assert.deepEqual(
    [-2, -1, 0].map((hours) => includesRev(repo, revAt(CRAWLED + hours * HOUR))),
    [true, true, false],
  );
  assert.equal(includesRev(stored(null), revAt(0)), false);
});

test("a revision of the future, or one that is not a time, includes nothing but itself", () => {
  for (const rev of [revAt(CRAWLED + 24 * HOUR), "jzzzzzzzzzzzz", "zzz"]) {
    assert.equal(includesRev(stored(rev), rev), true);
    assert.equal(includesRev(stored(rev), revAt(CRAWLED - HOUR)), false, rev);
  }
  // Clocks differ a little.
  assert.equal(includesRev(stored(revAt(CRAWLED + HOUR / 2)), revAt(CRAWLED)), true);
});
