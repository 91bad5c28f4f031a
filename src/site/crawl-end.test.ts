import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../errors.ts";
import { decideEnd, endState } from "./crawl-end.ts";
import { NO_FACTS } from "./store/end-facts.ts";

test("crawl end: trouble of this machine leaves the crawl paused, with its own cause", () => {
  const error = new TrawlError("MACHINE_TROUBLE", "Trawl has run out of file descriptors.");
  const ending = decideEnd({ how: "failed", parked: [], error }, { ...NO_FACTS, open: 62 });
  assert.deepEqual(
    [ending.cause, ending.message, ending.left, endState(ending)],
    ["machine_trouble", "Trawl has run out of file descriptors.", 62, "paused"],
  );
});

test("crawl end: any other error is a failure", () => {
  const ending = decideEnd({ how: "failed", parked: [], error: new Error("the ledger is gone") }, NO_FACTS);
  assert.deepEqual([ending.cause, ending.message, endState(ending)], ["broken", "the ledger is gone", "failed"]);
});

test("crawl end: pages that could not be rendered are reported beside everything else", () => {
  const drained = { how: "drained", parked: [], error: null } as const;
  const rendering = { failed: 1, restless: 2 };
  const said = "1 page could not be rendered, and is stored as sent; 2 pages did not settle while being rendered.";
  assert.deepEqual(decideEnd(drained, { ...NO_FACTS, pages: 9, rendering }), {
    ...{ cause: "all_crawled", left: 0, message: said, hint: "List them with `--filter renderProblem!=`." },
  });
  const limit = { setting: "maxUrls", value: 9, left: 3 } as const;
  const limited = decideEnd(drained, { ...NO_FACTS, pages: 9, rendering, limit });
  assert.match(limited.message!, /were left out\. 1 page could not be rendered/);
  assert.match(limited.hint!, /raise `maxUrls`/);
});
