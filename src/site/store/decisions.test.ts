import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { siteDatabase } from "../testing/site-database.ts";
import { decisions } from "./decisions.ts";
import { SiteReader } from "./reader.ts";

const site = (path: string | number) => `https://example.com/${path}`;

describe("decisions", () => {
  const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
    { url: site(""), page: { status: 200 } },
    ...[1, 2, 3, 4].map((n) => ({
      url: site(`calendar/${n}`),
      verdict: "skip",
      reason: "max_urls_per_pattern",
      rule: "maxUrlsPerPattern 2: /calendar/N",
    })),
    { url: site("a"), verdict: "skip", reason: "robots_disallow", rule: "Disallow: /a" },
    { url: site("b"), verdict: "skip", reason: "robots_disallow", rule: "Disallow: /b" },
    { url: site("b2"), verdict: "skip", reason: "robots_disallow", rule: "Disallow: /b" },
    { url: site("c"), reason: "robots_ignored", rule: "Disallow: /c", page: { status: 200 } },
    { url: site("d"), verdict: "record", reason: "form", rule: null },
    { url: site("e"), verdict: "skip", reason: "of_a_newer_trawl", rule: null },
  ]);
  const reader = new SiteReader(path);
  const all = { reason: null, limit: 100, offset: 0 };

  it("are grouped by reason and rule, the largest group first, with the first URLs as examples", () => {
    const { urls, total, groups } = decisions(reader, all);
    assert.deepEqual([urls, total], [10, 6]);
    assert.deepEqual(
      { ...groups[0] },
      {
        reason: "max_urls_per_pattern",
        meaning: "The limit for this URL pattern was reached.",
        setting: "maxUrlsPerPattern",
        rule: "maxUrlsPerPattern 2: /calendar/N",
        verdict: "skip",
        count: 4,
        examples: [site("calendar/1"), site("calendar/2"), site("calendar/3")],
      },
    );
    assert.deepEqual(groups[1]!.examples, [site("b"), site("b2")]);
    const crawled = groups.find(({ reason }) => reason === "robots_ignored")!;
    assert.deepEqual([crawled.verdict, crawled.count], ["crawl", 1], "what was fetched all the same is there, too");
  });

  it("without a rule, or of a reason that this version does not know, are there as well", () => {
    const { groups } = decisions(reader, all);
    assert.deepEqual(groups.find(({ reason }) => reason === "form")!.examples, [site("d")]);
    assert.equal(groups.find(({ reason }) => reason === "of_a_newer_trawl")!.meaning, "");
  });

  it("have one example each while the crawl runs and has no index", (t) => {
    const running = siteDatabase(
      t,
      [1, 2].map((n) => ({ url: site(n), verdict: "skip", reason: "nofollow" })),
    );
    new DatabaseSync(running).exec("DROP INDEX urls_reason");
    const live = new SiteReader(running);
    t.after(() => live.close());
    assert.deepEqual(
      decisions(live, all).groups.map(({ count, examples }) => [count, examples]),
      [[2, [site(1)]]],
    );
  });

  it("can be asked for one reason, and page by page", () => {
    const { urls, total, groups } = decisions(reader, { reason: "robots_disallow", limit: 1, offset: 1 });
    assert.deepEqual([urls, total], [3, 2]);
    assert.deepEqual(
      groups.map(({ rule, count }) => [rule, count]),
      [["Disallow: /a", 1]],
    );
    assert.deepEqual(decisions(reader, { ...all, reason: "' OR 1=1 --" }), { urls: 0, total: 0, groups: [] });
  });
});
