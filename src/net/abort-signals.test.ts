import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { AbortSignals } from "./abort-signals.ts";

test("one listener serves all, and goes with the last", () => {
  const signals = new AbortSignals();
  const { signal } = new AbortController();
  const members = Array.from({ length: 100 }, () => ({ abort: () => assert.fail("aborted") }));
  for (const member of members) signals.add(signal, member);
  assert.equal(getEventListeners(signal, "abort").length, 1);
  for (const member of members) signals.delete(signal, member);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("an abort reaches everyone once, those leaving meanwhile included", () => {
  const signals = new AbortSignals();
  const controller = new AbortController();
  const aborted: number[] = [];
  const members = [0, 1, 2].map((id) => ({
    abort() {
      aborted.push(id);
      signals.delete(controller.signal, this);
    },
  }));
  for (const member of members) signals.add(controller.signal, member);
  signals.delete(controller.signal, members[1]!);
  controller.abort();
  assert.deepEqual(aborted, [0, 2]);
});
