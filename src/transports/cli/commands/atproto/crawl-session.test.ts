import assert from "node:assert/strict";
import { test } from "node:test";
import type { AtprotoProgress } from "../../../../app/atproto/crawl.ts";
import { crawlLine } from "./crawl-session.ts";

/** A terminal of 80 columns keeps its last one free. */
const WIDTH = 79;

const progress: AtprotoProgress = {
  state: "running",
  stored: 123_456,
  failed: { not_found: 3_210, deactivated: 100_123 },
  skipped: {},
  records: 987_654,
  undecodable: 0,
  carBytes: 0,
  bytesWritten: 0,
  bytesPerSecond: 12_345_678,
  reposPerSecond: 45.3,
  open: 456_789,
  inFlight: 0,
  retries: 0,
  hosts: { active: 12, waiting: 3, blocked: 1 },
  sourcesLeft: 1,
  etaSeconds: null,
};
const line = (over: Partial<AtprotoProgress>, width: number, perSecond = 45.34) =>
  crawlLine({ progress: { ...progress, ...over }, perSecond, elapsedMs: 10_930_000 }, width);

test("atproto progress: where there is room, every figure is exact", () => {
  assert.equal(
    line({ etaSeconds: 10_080 }, Number.POSITIVE_INFINITY),
    "123,456 repos · 103,333 failed · 456,789 open · 45.3 repos/s · 2 h 48 min left · " +
      "hosts 12 active, 3 waiting, 1 blocked · 12.3 MB/s · 987,654 records · 3:02:10 · deactivated 100,123, not_found 3,210",
  );
});

test("atproto progress: 80 columns hold a large crawl; how long it took gives way to how long it will take", () => {
  const most = "123k repos 103k failed 457k open 45/s 12/16 hosts, 1 blocked 12 MB/s";
  assert.equal(line({}, WIDTH), most);
  const known = "123k repos 103k failed 457k open 45/s 99m left 12/16 hosts, 1 blocked 12 MB/s";
  assert.equal(line({ etaSeconds: 5_930 }, WIDTH), known);
  assert.equal(
    line({ failed: {}, stored: 1, open: 3, records: 345, hosts: { active: 1, waiting: 0, blocked: 0 } }, WIDTH, 0.41),
    "1 repo · 3 open · 0.4/s · 1/1 hosts · 12 MB/s · 345 records · 3:02:10",
  );
});

test("atproto progress: on fewer columns the last parts go, each of them whole", () => {
  const whole =
    "stopping 123k repos 103k failed 457k open 45/s 25h left 12/16 hosts, 1 blocked 12 MB/s 988k records 3:02:10 " +
    "deactivated 100k, not_found 3.2k";
  const ends = /(?<=stopping|repos|failed|open|45\/s|left|blocked|MB\/s|records|3:02:10|3\.2k)$/;
  for (let width = 8; width <= whole.length; width++) {
    const shown = line({ state: "stopping", etaSeconds: 90_000 }, width);
    assert.ok(shown.length <= width && whole.startsWith(shown), shown);
    assert.match(shown, ends);
  }
  assert.equal(line({}, 30), "123k repos 103k failed");
  assert.equal(line({}, 5), "123k…");
});
