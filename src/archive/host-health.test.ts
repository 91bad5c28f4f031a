import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneSignal } from "../kernel/lane.ts";
import type { Note } from "../kernel/ledger.ts";
import { aTask } from "../kernel/testing/samples.ts";
import { sentAwayUntil } from "./archive-politeness.ts";
import { HostHealth } from "./host-health.ts";

const page = (key: string) => aTask(1, { key, lane: "host" });

test("a host is well when it answered this request or one that was sent later", () => {
  const health = new HostHealth();
  const [first, second, third] = [health.sent(), health.sent(), health.sent()];
  health.answered("host", second);
  assert.deepEqual(
    [first, second, third].map((request) => health.isWell("host", request)),
    [true, true, false],
  );
  assert.equal(health.isWell("other", first), false);
});

test("an ill host is ill until it answers", () => {
  const health = new HostHealth();
  health.failed("host");
  assert.deepEqual([health.isIll("host"), health.isIll("other")], [true, false]);
  health.answered("host", health.sent());
  assert.equal(health.isIll("host"), false);
});

test("another page than the one that fails is asked for; the first one is remembered over restarts, and noted once", () => {
  const notes: Note[] = [];
  const context = { note: (note: Note) => notes.push(note) };
  const health = new HostHealth();
  assert.equal(health.otherPage(page("a")), null);
  health.served(page("a"), context);
  assert.equal(health.otherPage(page("a")), null);
  health.served(page("b"), context);
  assert.deepEqual([health.otherPage(page("a")), health.otherPage(page("b"))], ["b", "a"]);
  assert.deepEqual(notes, [{ key: "good:host", value: "a" }]);
  const resumed = new HostHealth();
  resumed.recoverNote(notes[0]!);
  assert.equal(resumed.otherPage(page("c")), "a");
});

test("a page that is sent away again and again waits for others, and longer while the host answers these", () => {
  const health = new HostHealth();
  const limits = { backoff_cap_ms: 8_000 } as Parameters<typeof sentAwayUntil>[2];
  const [refused, other] = [page("https://host/a"), aTask(2, { key: "https://host/b", lane: "host" })];
  const throttled = { kind: "throttled", forMs: null } as const;
  const wait = (signal: LaneSignal = throttled) =>
    sentAwayUntil(health.sentAway(refused, health.sent()), signal, limits, 0);
  const waits = [wait(), wait()];
  for (let i = 0; i < 3; i++) {
    health.answered(other.lane, health.sent());
    waits.push(wait());
  }
  assert.deepEqual(waits, [0, 12_000, 16_000, 32_000, 64_000]);
  health.heard(refused);
  assert.deepEqual([wait(), wait({ ...throttled, forMs: 30_000 })], [0, 32_000]);
});
