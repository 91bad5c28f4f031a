import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { listenForInterrupts } from "./interrupts.ts";

test("presses are counted, and one that arrives twice counts once", () => {
  const source = new EventEmitter();
  const seen: number[] = [];
  let now = 1_000;
  const end = listenForInterrupts(
    (presses) => seen.push(presses),
    source,
    () => now,
  );
  source.emit("SIGINT");
  now += 5;
  source.emit("SIGINT");
  assert.deepEqual(seen, [1]);
  source.emit("SIGTERM");
  now += 500;
  source.emit("SIGINT");
  assert.deepEqual(seen, [1, 2, 3]);
  end();
  assert.equal(source.listenerCount("SIGINT") + source.listenerCount("SIGTERM"), 0);
});
