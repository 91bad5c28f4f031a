import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { Interrupts, listenForInterrupts } from "./interrupts.ts";

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

test("after SIGTERM a crawl that cannot pause is stopped; after Ctrl-C it waits for the next press", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const [signal, expected] of [
    ["SIGINT", 0],
    ["SIGTERM", 1],
  ] as const) {
    let stops = 0;
    const interrupts = new Interrupts();
    t.after(interrupts.end);
    const running = {
      progress: () => ({ inFlight: 1 }),
      pause: () => new Promise<void>(() => {}),
      stop: async () => void stops++,
    };
    interrupts.obey(running, () => {});
    interrupts.press(1, signal);
    t.mock.timers.tick(10_000);
    assert.equal(stops, expected, signal);
  }
});

test("a second press ends the process even when nothing can be stopped any more", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const exits: unknown[] = [];
  t.mock.method(process, "exit", (code: unknown) => exits.push(code));
  const interrupts = new Interrupts();
  t.after(interrupts.end);
  const running = { progress: () => ({ inFlight: 0 }), pause: async () => {}, stop: () => new Promise(() => {}) };
  interrupts.obey(running, () => {});
  interrupts.press(1, "SIGINT");
  t.mock.timers.tick(60_000);
  assert.deepEqual(exits, []);
  interrupts.press(2, "SIGINT");
  t.mock.timers.tick(1_000);
  assert.deepEqual(exits, [3]);
});
