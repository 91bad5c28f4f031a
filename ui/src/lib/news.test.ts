import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { staleAfter } from "./news.ts";

const event = (type: "crawl:progress" | "crawl:completed") => ({ type, crawlId: 7, projectId: 2 });

describe("staleAfter", () => {
  it("refetches only the progress while a crawl runs", () => {
    assert.deepEqual(staleAfter(event("crawl:progress"), false), [["active"], ["crawl", 7, "live"]]);
  });

  it("refetches its results now and then, but not the projects", () => {
    assert.deepEqual(staleAfter(event("crawl:progress"), true), [["active"], ["crawl", 7]]);
  });

  it("refetches everything that a finished crawl affects", () => {
    assert.deepEqual(staleAfter(event("crawl:completed"), false), [
      ["active"],
      ["crawl", 7],
      ["projects"],
      ["project", 2],
      ["schedules"],
    ]);
  });
});
