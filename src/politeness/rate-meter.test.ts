import assert from "node:assert/strict";
import { test } from "node:test";
import { RateMeter } from "./rate-meter.ts";

test("rate meter: the rate is of the window, and 0 before anything was counted", () => {
  const meter = new RateMeter(5_000);
  assert.equal(meter.perSecond(), 0);
  for (let second = 0; second <= 10; second++) meter.add(second * 1_000, second * 10);
  for (let second = 11; second <= 16; second++) meter.add(second * 1_000, 100);
  assert.equal(meter.perSecond(), 0);
  meter.add(17_000, 150);
  assert.equal(meter.perSecond(), 10);
});

test("rate meter: when nothing more is counted, the rate goes down to 0", () => {
  const meter = new RateMeter(30_000);
  meter.add(0, 0);
  meter.add(10_000, 100);
  assert.deepEqual(
    [10_000, 20_000, 39_999, 40_000].map((now) => Math.round(meter.perSecond(now))),
    [10, 5, 3, 0],
  );
});

test("rate meter: the first moments do not exaggerate", () => {
  const meter = new RateMeter(30_000);
  meter.add(0, 0);
  meter.add(1, 5);
  assert.equal(meter.perSecond(), 5);
});

test("rate meter: sampling every event gives the same rate as sampling once a second", () => {
  const [often, seldom] = [new RateMeter(30_000), new RateMeter(30_000)];
  for (let at = 0; at <= 60_000; at++) often.add(at, at);
  for (let at = 0; at <= 60_000; at += 1_000) seldom.add(at, at);
  assert.deepEqual([often.perSecond(), seldom.perSecond()], [1_000, 1_000]);
});

test("rate meter: neither a pause nor a clock set back affects the rate", () => {
  const meter = new RateMeter(30_000);
  meter.add(0, 0);
  meter.add(2_000, 20);
  meter.skipTo(90_000);
  meter.add(92_000, 40);
  assert.equal(meter.perSecond(), 10);
  meter.add(50_000, 40);
  meter.add(54_000, 80);
  assert.equal(meter.perSecond(), 10);
});
