import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  formatBytes,
  formatCompact,
  formatDateTime,
  formatDateTimeIn,
  formatDuration,
  formatNumber,
  formatRate,
  formatRelative,
  formatShare,
  NOTHING,
  plural,
} from "./format.ts";

describe("numbers", () => {
  it("show a dash if there isn't one", () => {
    for (const format of [formatNumber, formatCompact, formatBytes, formatDuration, formatRate]) {
      assert.equal(format(null), NOTHING);
      assert.equal(format(undefined), NOTHING);
      assert.equal(format(Number.NaN), NOTHING);
    }
  });

  it("say one and many", () => {
    assert.equal(plural(1, "page"), "1 page");
    assert.equal(plural(0, "page"), "0 pages");
    assert.equal(plural(2, "query", "queries"), "2 queries");
  });
});

describe("formatShare", () => {
  it("never rounds something to 0%, or a part to 100%", () => {
    assert.equal(formatShare(1, 1_000_000), "<0.1%");
    assert.equal(formatShare(999_999, 1_000_000), ">99.9%");
    assert.equal(formatShare(9_960, 10_000), "99%");
    assert.equal(formatShare(5, 5), "100%");
    assert.equal(formatShare(0, 5), "0%");
    assert.equal(formatShare(1, 0), NOTHING);
  });
});

describe("formatBytes", () => {
  it("moves to the next unit before four digits", () => {
    assert.equal(formatBytes(0), "0 B");
    assert.equal(formatBytes(999), "999 B");
    assert.equal(formatBytes(1_000), "1 kB");
    assert.equal(formatBytes(999_499), "999 kB");
    assert.equal(formatBytes(999_999), "1 MB");
    assert.equal(formatBytes(12_345_678), "12.3 MB");
  });
});

describe("formatDuration", () => {
  it("names two units at most", () => {
    assert.equal(formatDuration(340), "340 ms");
    assert.equal(formatDuration(4_200), "4.2 s");
    assert.equal(formatDuration(192_000), "3 min 12 s");
    assert.equal(formatDuration(7_500_000), "2 h 5 min");
    assert.equal(formatDuration(273_600_000), "3 d 4 h");
  });

  it("never says 60 of a unit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400_000_000 }), (ms) => {
        assert.doesNotMatch(formatDuration(ms), /\b60 (s|min)\b|\b24 h\b/);
      }),
    );
  });
});

describe("formatRelative", () => {
  const now = Date.UTC(2026, 0, 1);
  it("says how long ago in the largest unit", () => {
    assert.equal(formatRelative(now - 5_000, now), "just now");
    assert.equal(formatRelative(now - 3 * 60_000, now), "3 minutes ago");
    assert.equal(formatRelative(now - 26 * 3_600_000, now), "yesterday");
    assert.equal(formatRelative(now + 2 * 3_600_000, now), "in 2 hours");
  });
});

it("gives times of another zone", () => {
  const noon = Date.UTC(2026, 0, 15, 12);
  assert.match(formatDateTimeIn(noon, "Asia/Tokyo"), /9:00|21:00/);
  assert.equal(formatDateTimeIn(noon, "Nowhere/City"), formatDateTime(noon));
});
