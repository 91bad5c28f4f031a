import assert from "node:assert/strict";
import { test } from "node:test";
import { LINK_POSITIONS } from "../../../../src/site/page/page-content.ts";
import { LINK_STATES as SERVER_STATES } from "../../../../src/site/store/link-explorer.ts";
import { LINK_PLACES, LINK_STATES, readLinkChoice } from "./link-choice.ts";

test("states and positions are the server's", () => {
  assert.deepEqual([...LINK_STATES], [...SERVER_STATES]);
  assert.deepEqual(LINK_PLACES.toSorted(), LINK_POSITIONS.toSorted());
});

test("an address with nonsense in it shows every link", () => {
  const nothing = readLinkChoice({ state: "lost", internal: true, nofollow: 1, statusClass: "four", search: {} });
  assert.deepEqual(Object.values(nothing).filter(Boolean), []);
  assert.deepEqual(readLinkChoice({ state: "dead", statusClass: 4, search: 404 }), {
    ...nothing,
    ...{ state: "dead", statusClass: 4, search: "404" },
  });
});
