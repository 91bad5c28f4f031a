import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../kernel/testing/fake-clock.ts";
import { DiskSpace, usualLeastBytes, watchDisk } from "./disk-space.ts";

test("disk space: almost full below the least, and free again only with a tenth more", async () => {
  let free = 150;
  const disk = new DiskSpace("/data", 100, async () => free);
  assert.equal(await disk.isAlmostFull(), false);
  free = 99;
  assert.equal(await disk.isAlmostFull(), true);
  free = 105;
  assert.equal(await disk.isAlmostFull(), true);
  free = 111;
  assert.equal(await disk.isAlmostFull(), false);
  disk.leastBytes = 0;
  free = 0;
  assert.equal(await disk.isAlmostFull(), false);
});

test("disk space: a small disk is used up to a tenth, a large one up to 200 MB", () => {
  assert.equal(usualLeastBytes(10 * 2 ** 20), 2 ** 20);
  assert.equal(usualLeastBytes(2 ** 40), 200 * 2 ** 20);
});

test("disk space: each change is reported once, an unreadable disk is ignored, and the watch ends", async () => {
  const clock = new FakeClock();
  const reported: boolean[] = [];
  let free: number | Error = 50;
  const look = async () => {
    if (free instanceof Error) throw free;
    return free;
  };
  const end = watchDisk(new DiskSpace("/data", 100, look), clock, (isFull) => reported.push(isFull));
  await clock.advance(3_000);
  assert.deepEqual(reported, [true]);
  free = new Error("gone");
  await clock.advance(3_000);
  free = 500;
  await clock.advance(1_000);
  assert.deepEqual(reported, [true, false]);
  end();
  await clock.advance(1_000);
  assert.equal(clock.timers, 0);
});
