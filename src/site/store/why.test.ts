import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kindNumber } from "../links/link-kinds.ts";
import { LINK_INTERNAL } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { parseConfig } from "../site-config.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { SiteReader } from "./reader.ts";
import { whyUrl } from "./why.ts";

const site = (path: string) => `https://example.com${path}`;
const link = (target: number, text: number) => [
  ...[target, kindNumber("anchor"), LINK_POSITIONS.indexOf("content"), LINK_INTERNAL, text, 0, 0],
];

describe("why", () => {
  const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
    {
      url: site("/"),
      via: "initial",
      page: { status: 200, content_type: "text/html", link_count: 2 },
      links: [...link(2, 1), ...link(3, 2)],
      texts: ["Old page", "Private"],
    },
    {
      url: site("/old"),
      depth: 1,
      parent: 1,
      page: { status: 301, redirect_to: 4, indexable: "No", indexability: "redirect" },
    },
    {
      url: site("/private"),
      depth: 1,
      parent: 1,
      verdict: "skip",
      reason: "robots_disallow",
      rule: "Disallow: /private",
    },
    {
      url: site("/new"),
      depth: 1,
      parent: 2,
      via: "redirect",
      state: "failed",
      page: { error: "timeout", error_detail: "ETIMEDOUT" },
    },
    { url: site("/later"), depth: 2, parent: 4, state: "open" },
    {
      url: "https://other.test/",
      depth: 1,
      parent: 1,
      verdict: "record",
      reason: "external",
      rule: "checkExternalLinks",
    },
  ]);
  const reader = new SiteReader(path);
  const config = parseConfig({ robots: "respect" });
  const why = (path: string) => whyUrl(reader, config, path.startsWith("/") ? site(path) : path);

  it("names the rule, the setting as it stood, and the way with the words of its links", () => {
    const { verdict, reason, meaning, rule, setting, outcome, depth, path } = why("/private");
    assert.deepEqual(
      [verdict, reason, rule, outcome, depth],
      ["skip", "robots_disallow", "Disallow: /private", null, 1],
    );
    assert.match(meaning!, /robots\.txt disallows it/);
    assert.deepEqual([setting!.name, setting!.value], ["robots", "respect"]);
    assert.deepEqual(path, [
      { url: site("/"), via: "initial", linkText: null },
      { url: site("/private"), via: "spider", linkText: "Private" },
    ]);
  });

  it("takes the setting from the rule where it names one", () => {
    assert.equal(why("https://other.test/").setting?.name, "checkExternalLinks");
    assert.equal(why("/").setting, null);
  });

  it("says how it ended: with an answer, an error, or not yet", () => {
    assert.equal(why("/").outcome, "200 OK, text/html");
    assert.equal(why("/old").outcome, `301 Moved Permanently, redirects to ${site("/new")}, not indexable: redirect`);
    assert.match(why("/new").outcome!, /^No answer: .*\(ETIMEDOUT\)$/);
    assert.equal(why("/later").outcome, "It is waiting to be crawled.");
    assert.deepEqual(
      why("/later").path.map(({ via }) => via),
      ["initial", "spider", "redirect", "spider"],
    );
  });

  it("says so for a URL that the crawl never found", () => {
    assert.throws(() => why("/never"), { code: "URL_NOT_IN_CRAWL" });
  });
});
