import assert from "node:assert/strict";
import { test } from "node:test";
import { isReused, phasesOf } from "./timings.ts";

test("parts follow each other; those without time are left out", () => {
  const phases = phasesOf({ time_dns: 2, time_connect: 3, time_tls: null, time_first_byte: 10, time_download: 0 });
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
  const facts = { time_first_byte: 30, time_download: 5, time_total: 114, time_render: 200 };
  assert.deepEqual(
    phasesOf(facts).map(({ label, from, ms }) => [label, from, ms]),
    [
      ["First byte", 0, 30],
      ["Download", 30, 5],
      ["Other", 35, 79],
      ["Render", 114, 200],
    ],
  );
  assert.equal(phasesOf({ ...facts, time_total: 35.4 }).length, 3);
});

test("a connection that was already open", () => {
  assert.equal(isReused({ time_dns: null, time_connect: null, time_first_byte: 4 }), true);
  assert.equal(isReused({ time_dns: 1, time_connect: 1, time_first_byte: 4 }), false);
  assert.equal(isReused({ time_first_byte: null }), false);
});
