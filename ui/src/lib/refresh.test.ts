import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { staleAfter } from "./refresh.ts";

const event = (type: "crawl:progress" | "crawl:completed") => ({ type, crawlId: 7, projectId: 2 });

describe("staleAfter", () => {
  it("asks only for progress again while a crawl runs", () => {
    assert.deepEqual(staleAfter(event("crawl:progress"), false), [["active"], ["crawl", 7, "live"]]);
  });

  it("asks for its results now and then, but not for the projects", () => {
    assert.deepEqual(staleAfter(event("crawl:progress"), true), [["active"], ["crawl", 7]]);
  });

  it("asks for everything that a finished crawl touches", () => {
    assert.deepEqual(staleAfter(event("crawl:completed"), false), [
      ["active"],
      ["crawl", 7],
      ["projects"],
      ["project", 2],
      ["schedules"],
    ]);
  });
});
