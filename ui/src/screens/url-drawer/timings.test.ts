import assert from "node:assert/strict";
import { test } from "node:test";
import { isReused, phasesOf } from "./timings.ts";

test("parts follow each other; those without time are left out", () => {
  const phases = phasesOf({ timeDns: 2, timeConnect: 3, timeTls: null, timeFirstByte: 10, timeDownload: 0 });
  assert.deepEqual(
    phases.map(({ label, from, ms }) => [label, from, ms]),
    [
      ["DNS", 0, 2],
      ["Connect", 2, 3],
      ["First byte", 5, 10],
    ],
  );
});

test("what the phases do not cover is a phase too, unless it is rounding", () => {
  const facts = { timeFirstByte: 30, timeDownload: 5, timeTotal: 114, timeRender: 200 };
  assert.deepEqual(
    phasesOf(facts).map(({ label, from, ms }) => [label, from, ms]),
    [
      ["First byte", 0, 30],
      ["Download", 30, 5],
      ["Other", 35, 79],
      ["Render", 114, 200],
    ],
  );
  assert.equal(phasesOf({ ...facts, timeTotal: 35.4 }).length, 3);
});

test("a connection that was already open", () => {
  assert.equal(isReused({ timeDns: null, timeConnect: null, timeFirstByte: 4 }), true);
  assert.equal(isReused({ timeDns: 1, timeConnect: 1, timeFirstByte: 4 }), false);
  assert.equal(isReused({ timeFirstByte: null }), false);
});
