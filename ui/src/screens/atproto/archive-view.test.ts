import assert from "node:assert/strict";
import { test } from "node:test";
import { failureCounts, failureLabel, prettyJson, readArchiveView, speedBetween } from "./archive-view.ts";

test("an address is read, and what it does not know is left out", () => {
  const view = readArchiveView({ tab: "failures", class: "timeout", host: "", did: 3 });
  assert.deepEqual(
    { ...view },
    { tab: "failures", class: "timeout", host: undefined, did: undefined, collection: undefined },
  );
  assert.equal(readArchiveView({ tab: "secrets" }).tab, undefined);
});

test("failures have words, the most common first", () => {
  assert.equal(failureCounts({ timeout: 1, not_found: 3 }), "Not found 3, Too slow 1");
  assert.equal(failureLabel("of_tomorrow"), "of tomorrow");
});

test("JSON is laid out, and anything else is shown as it is", () => {
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(prettyJson("{"), "{");
});

test("speed needs two looks, and a repo count that did not shrink", () => {
  assert.equal(speedBetween(null, { at: 1, stored: 1 }), null);
  assert.equal(speedBetween({ at: 0, stored: 10 }, { at: 2_000, stored: 20 }), 5);
  assert.equal(speedBetween({ at: 0, stored: 10 }, { at: 2_000, stored: 0 }), null);
});
