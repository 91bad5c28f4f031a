import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Known } from "../kernel/ledger.ts";
import { CRAWL, type Found, type Verdict } from "../kernel/task.ts";
import { type Kind, NOFOLLOW, ON_NOINDEX, type SiteMeta, siteMeta, type Via } from "./links/link-kinds.ts";
import { parseConfig, type SiteOptions } from "./site-config.ts";
import { Gate, type GateOptions } from "./site-gate.ts";
import { PROVISIONAL_REASONS, REASONS, type Reason } from "./site-reasons.ts";
import { siteScope } from "./url-rules.ts";

const START = "https://example.com/docs/";

function gateWith(options: SiteOptions = {}, more: Partial<GateOptions> = {}): Gate {
  const config = parseConfig(options);
  return new Gate({
    config,
    scope: siteScope(config, [START]),
    robots: () => null,
    refuses: () => false,
    onUrl: null,
    ...more,
  });
}

interface Find {
  kind?: Kind;
  via?: Via;
  flags?: number;
  depth?: number;
  hops?: number;
}

/** A link on the start page, unless said otherwise. */
const found = (
  key: string,
  { kind = "anchor", via = "spider", flags = 0, depth = 1, hops = 0 }: Find = {},
): Found<SiteMeta> => ({
  key,
  depth,
  parent: 1,
  hops,
  meta: siteMeta(via, kind, flags),
});

const known = (key: string, action: Verdict["action"]): Known => ({
  ...{ id: 1, place: 1, key, lane: "example.com", action, reason: null },
  state: action === "crawl" ? "done" : null,
});

const denied = (reason: string): GateOptions["robots"] => {
  return () => ({ action: "skip", reason, rule: "line 2: Disallow: /" });
};

interface Case {
  reason: Reason;
  name?: string;
  url?: string;
  find?: Find;
  options?: SiteOptions;
  more?: Partial<GateOptions>;
  /** URLs decided before. */
  before?: string[];
  action: "record" | "skip" | "crawl";
  rule: string | null;
}

const LONG = `https://example.com/${"a".repeat(2_100)}`;

const CASES: Case[] = [
  { reason: "external", url: "https://other.test/", action: "record", rule: "checkExternalLinks" },
  {
    reason: "external_resource",
    url: "https://cdn.test/a.png",
    find: { kind: "image", via: "resource" },
    options: { checkExternalResources: false },
    action: "record",
    rule: "checkExternalResources",
  },
  {
    reason: "resources_off",
    url: "https://example.com/a.png",
    find: { kind: "image", via: "resource" },
    options: { checkResources: false },
    action: "record",
    rule: "checkResources",
  },
  {
    reason: "resource_type_off",
    url: "https://example.com/a.png",
    find: { kind: "image", via: "resource" },
    options: { resourceTypes: ["script", "style", "font", "media"] },
    action: "record",
    rule: "resourceTypes",
  },
  { reason: "spider_off", options: { discovery: ["sitemap"] }, action: "record", rule: "discovery" },
  {
    reason: "network_off",
    url: "https://example.com/api.json",
    find: { kind: "request", via: "network" },
    action: "record",
    rule: "discovery",
  },
  { reason: "single_page", options: { singlePage: true }, action: "record", rule: "singlePage" },
  { reason: "form", find: { kind: "form" }, action: "record", rule: null },
  { reason: "nofollow", find: { flags: NOFOLLOW }, action: "skip", rule: "followInternalNofollow" },
  {
    reason: "nofollow",
    name: "of another host",
    url: "https://other.test/",
    find: { flags: NOFOLLOW },
    options: { checkExternalLinks: true },
    action: "skip",
    rule: "followExternalNofollow",
  },
  {
    reason: "noindex",
    find: { flags: ON_NOINDEX },
    options: { respectNoindex: true },
    action: "skip",
    rule: "respectNoindex",
  },
  { reason: "too_deep", find: { depth: 3 }, options: { maxDepth: 2 }, action: "skip", rule: "maxDepth 2" },
  {
    reason: "too_many_redirects",
    find: { via: "redirect", hops: 3 },
    options: { maxRedirects: 2 },
    action: "skip",
    rule: "maxRedirects 2",
  },
  {
    reason: "too_many_redirects",
    find: { via: "resource", kind: "stylesheet", hops: 6 },
    options: { maxRedirects: 0 },
    action: "skip",
    rule: "5 style sheets in a row",
  },
  { reason: "service", find: { kind: "service" }, action: "record", rule: null },
  {
    reason: "outside_folder",
    url: "https://example.com/blog/",
    options: { startFolder: true },
    action: "skip",
    rule: "folders: /docs/",
  },
  {
    reason: "excluded",
    url: "https://example.com/a.pdf",
    options: { exclude: ["*.pdf"] },
    action: "skip",
    rule: "*.pdf",
  },
  {
    reason: "excluded",
    name: "of a resource",
    url: "https://example.com/a.png",
    find: { kind: "image", via: "resource" },
    options: { exclude: ["/\\.png$/"] },
    action: "skip",
    rule: "/\\.png$/",
  },
  {
    reason: "excluded",
    name: "on another host",
    url: "https://cdn.test/a.png",
    find: { kind: "image", via: "resource" },
    options: { exclude: ["https://cdn.test/*"] },
    action: "skip",
    rule: "https://cdn.test/*",
  },
  { reason: "not_included", options: { include: ["/blog/*"] }, action: "skip", rule: "include: /blog/*" },
  { reason: "hook", more: { onUrl: () => "skip" }, action: "skip", rule: "onUrl" },
  { reason: "hook", name: "that records", more: { onUrl: () => "record" }, action: "record", rule: "onUrl" },
  {
    reason: "tracker",
    url: "https://www.googletagmanager.com/gtag/js?id=1",
    action: "skip",
    rule: "tracking host googletagmanager.com",
  },
  {
    reason: "framework_data",
    url: "https://example.com/_next/data/abc/page.json",
    action: "record",
    rule: "framework data /_next/data/",
  },
  { reason: "invalid_url", url: "http://[bad/", action: "skip", rule: null },
  { reason: "url_too_long", url: LONG, action: "skip", rule: "maxUrlLength 2083" },
  {
    reason: "path_loop",
    url: "https://example.com/a/b/a/c/a/d/a",
    action: "skip",
    rule: 'path segment "a" occurs 4 times (limit 3)',
  },
  {
    reason: "robots_disallow",
    more: { robots: denied("robots_disallow") },
    action: "skip",
    rule: "line 2: Disallow: /",
  },
  {
    reason: "robots_unreachable",
    name: "even against a sitemap",
    url: "https://example.com/sitemap.xml",
    find: { kind: "sitemap", via: "sitemap", depth: 0 },
    more: { robots: denied("robots_unreachable") },
    action: "skip",
    rule: "line 2: Disallow: /",
  },
  {
    reason: "robots_ignored",
    more: { robots: () => ({ action: "crawl", reason: "robots_ignored", rule: "line 2: Disallow: /" }) },
    action: "crawl",
    rule: "line 2: Disallow: /",
  },
  { reason: "max_urls", options: { maxUrls: 1 }, before: [START], action: "skip", rule: "maxUrls 1" },
  { reason: "max_pages", options: { maxPages: 2 }, more: { pages: 2 }, action: "skip", rule: "maxPages 2" },
  {
    reason: "max_urls_per_host",
    options: { maxUrlsPerHost: 1 },
    before: [START],
    action: "skip",
    rule: "maxUrlsPerHost 1: example.com",
  },
  {
    reason: "max_urls_per_pattern",
    url: "https://example.com/calendar/2026/12",
    options: { maxUrlsPerPattern: 1 },
    before: ["https://example.com/calendar/2026/11"],
    action: "skip",
    rule: "maxUrlsPerPattern 1: https://example.com/calendar/N/N",
  },
  {
    reason: "max_query_variants",
    url: "https://example.com/shop?size=m",
    options: { maxQueryVariants: 1 },
    before: ["https://example.com/shop?colour=red"],
    action: "skip",
    rule: "maxQueryVariants 1: https://example.com/shop",
  },
];

describe("gate: every reason, with the rule that decided", () => {
  for (const { reason, name, url, find, options, more, before, action, rule } of CASES) {
    it([reason, name].filter(Boolean).join(" "), () => {
      const gate = gateWith(options, more);
      for (const earlier of before ?? []) assert.deepEqual(gate.decide(found(earlier), false), CRAWL);
      const verdict = gate.decide(found(url ?? "https://example.com/docs/page", find), false);
      assert.deepEqual(verdict, { action, reason, rule });
    });
  }

  it("the table above leaves none out", () => {
    // Whether a guess was right and what the pages of a trap bring is known after the fetch; what was pulled, at the fleet.
    const elsewhere = ["no_sitemap", "no_llms", "trap_no_yield", "not_pulled"];
    const decided = Object.keys(REASONS).filter((reason) => !elsewhere.includes(reason));
    assert.deepEqual(new Set(CASES.map((each) => each.reason)), new Set(decided));
  });

  it("a setting named in the reason table exists", () => {
    const config = parseConfig({});
    for (const { setting } of Object.values(REASONS)) assert.ok(setting === null || setting in config, setting ?? "");
  });
});

describe("gate: the order of the rules", () => {
  it("names the first objection: the user, the URL's shape, its place, the way to it, robots.txt, the caps", () => {
    let hook: "skip" | undefined = "skip";
    let robots: Verdict | null = { action: "skip", reason: "robots_disallow", rule: "line 2" };
    const gate = gateWith({ maxUrlLength: 200, maxUrls: 1 }, { onUrl: () => hook, robots: () => robots });
    gate.recover(known(START, "crawl"));
    const reasonOf = (url: string, find: Find) => gate.decide(found(url, find), false).reason;
    const long = `https://other.test/${"a".repeat(300)}`;
    const nofollow = { flags: NOFOLLOW };
    const reasons = [reasonOf(long, nofollow)];
    hook = undefined;
    reasons.push(reasonOf(long, nofollow), reasonOf("https://other.test/", nofollow));
    reasons.push(reasonOf("https://example.com/a", nofollow), reasonOf("https://example.com/a", {}));
    robots = null;
    reasons.push(reasonOf("https://example.com/a", {}));
    assert.deepEqual(reasons, ["hook", "url_too_long", "external", "nofollow", "robots_disallow", "max_urls"]);
  });
});

describe("gate: what it lets through", () => {
  const passes = (gate: Gate, url: string, find?: Find) =>
    assert.deepEqual(gate.decide(found(url, find), false), CRAWL);

  it("start URLs and listed URLs, whatever scope says", () => {
    const gate = gateWith({ include: ["/blog/*"], startFolder: true, singlePage: true, discovery: [] });
    passes(gate, "https://example.com/", { via: "initial", kind: "start", depth: 0 });
    passes(gate, "https://other.test/", { via: "list", kind: "start", depth: 0 });
  });

  it("resources, however deep, on nofollow pages and out of scope", () => {
    const gate = gateWith({ maxDepth: 1, include: ["/docs/*"], startFolder: true, singlePage: true });
    passes(gate, "https://example.com/a.png", { kind: "image", via: "resource", depth: 5, flags: NOFOLLOW });
    passes(gate, "https://cdn.test/a.css", { kind: "stylesheet", via: "resource" });
  });

  it("a sitemap that robots.txt forbids: it is published to be read", () => {
    const gate = gateWith({}, { robots: denied("robots_disallow") });
    passes(gate, "https://example.com/sitemap.xml", { kind: "sitemap", via: "sitemap", depth: 0 });
  });

  it("a redirect from the single page", () => {
    passes(gateWith({ singlePage: true }), "https://example.com/en/", { via: "redirect", kind: "start", hops: 1 });
  });

  it("what a page asked for, with network discovery", () => {
    const gate = gateWith({ discovery: ["network"] });
    passes(gate, "https://example.com/api.json", { kind: "request", via: "network" });
    passes(gateWith({ discovery: ["spider"], render: true }), "https://example.com/api.json", {
      kind: "request",
      via: "network",
    });
  });

  it("trackers and framework data, when asked to", () => {
    const gate = gateWith({ skipTrackers: false });
    passes(gate, "https://example.com/gtag/js");
    passes(gate, "https://example.com/_next/data/abc/page.json");
  });
});

describe("gate: provisional verdicts are overcome by another find", () => {
  const plain: Find = { depth: 1 };
  const overcome: [Reason, SiteOptions, Find, Find, string?][] = [
    ["nofollow", {}, { flags: NOFOLLOW }, plain],
    ["noindex", { respectNoindex: true }, { flags: ON_NOINDEX }, plain],
    ["too_deep", { maxDepth: 1 }, { depth: 2 }, plain],
    ["too_many_redirects", { maxRedirects: 1 }, { via: "redirect", hops: 2 }, plain],
    ["form", {}, { kind: "form" }, plain],
    ["service", {}, { kind: "service" }, plain],
    ["outside_folder", { startFolder: true }, plain, { kind: "font", via: "resource" }],
    ["not_included", { include: ["/docs/*"] }, plain, { kind: "font", via: "resource" }],
    ["resources_off", { checkResources: false }, { kind: "image", via: "resource" }, plain],
    ["resource_type_off", { resourceTypes: [] }, { kind: "image", via: "resource" }, plain],
    ["spider_off", { discovery: ["sitemap"] }, plain, { kind: "sitemap-entry", via: "sitemap" }],
    ["network_off", {}, { kind: "request", via: "network" }, plain],
    ["single_page", { singlePage: true }, plain, { kind: "image", via: "resource" }],
    ["external", {}, plain, { kind: "image", via: "resource" }, "https://other.test/a.png"],
    [
      "external_resource",
      { checkExternalResources: false, checkExternalLinks: true },
      { kind: "image", via: "resource" },
      plain,
      "https://other.test/a.png",
    ],
  ];
  for (const [reason, options, first, second, url = "https://example.com/page"] of overcome) {
    it(reason, () => {
      const gate = gateWith(options);
      assert.equal(gate.decide(found(url, first), false).reason, reason);
      assert.deepEqual(gate.decide(found(url, second), true), CRAWL);
    });
  }

  it("all of them can be", () => {
    const decided = [...PROVISIONAL_REASONS].filter((reason) => reason !== "trap_no_yield");
    assert.deepEqual(new Set(overcome.map(([reason]) => reason as string)), new Set(decided));
  });
});

describe("gate: the user's hook", () => {
  it("is asked once per URL, not again for one whose verdict was provisional", () => {
    const asked: string[] = [];
    const gate = gateWith(
      {},
      {
        onUrl: (url) => {
          asked.push(url);
          return undefined;
        },
      },
    );
    gate.decide(found("https://example.com/a", { flags: NOFOLLOW }), false);
    gate.decide(found("https://example.com/a"), true);
    gate.decide(found("https://example.com/b"), false);
    assert.deepEqual(asked, ["https://example.com/a", "https://example.com/b"]);
  });

  it("does not spend the caps with what it keeps out", () => {
    const gate = gateWith({ maxUrls: 1 }, { onUrl: (url) => (url.endsWith("/a") ? "skip" : "crawl") });
    assert.equal(gate.decide(found("https://example.com/a"), false).reason, "hook");
    assert.deepEqual(gate.decide(found("https://example.com/b"), false), CRAWL);
  });
});

describe("gate: caps", () => {
  const decideAll = (gate: Gate, urls: string[]) => urls.map((url) => gate.decide(found(url), false).reason);

  it("count per host, per shape and per path, and 0 means no limit", () => {
    const urls = ["a?x=1", "a?x=2", "b/1", "b/2"].map((path) => `https://example.com/${path}`);
    assert.deepEqual(decideAll(gateWith({ maxQueryVariants: 0, maxUrlsPerPattern: 0 }), urls), [
      null,
      null,
      null,
      null,
    ]);
    const capped = gateWith({ maxQueryVariants: 1, maxUrlsPerPattern: 1 });
    assert.deepEqual(decideAll(capped, urls), [null, "max_urls_per_pattern", null, "max_urls_per_pattern"]);
    const hosts = gateWith({ maxUrlsPerHost: 1, checkExternalLinks: true });
    const two = ["https://example.com/a", "https://other.test/a", "https://other.test/b"];
    assert.deepEqual(decideAll(hosts, two), [null, null, "max_urls_per_host"]);
  });

  it("are not used up by URLs that are not crawled", () => {
    const gate = gateWith({ maxUrls: 1, exclude: ["*.pdf"] });
    assert.equal(gate.decide(found("https://example.com/a.pdf"), false).reason, "excluded");
    assert.equal(gate.decide(found("https://other.test/"), false).reason, "external");
    assert.deepEqual(gate.decide(found("https://example.com/a"), false), CRAWL);
  });

  it("are used up by URLs crawled in spite of robots.txt", () => {
    const ignored: Verdict = { action: "crawl", reason: "robots_ignored", rule: null };
    const gate = gateWith({ maxUrls: 1 }, { robots: () => ignored });
    assert.deepEqual(decideAll(gate, ["https://example.com/a", "https://example.com/b"]), [
      "robots_ignored",
      "max_urls",
    ]);
  });

  it("go on after a restart where they were", () => {
    const options = { maxUrls: 4, maxUrlsPerHost: 3, maxUrlsPerPattern: 2, maxQueryVariants: 1 };
    const gate = gateWith(options);
    gate.recover(known("https://example.com/n/1", "crawl"));
    gate.recover(known("https://example.com/n/2", "crawl"));
    gate.recover(known("https://example.com/n/3", "skip"));
    gate.recover(known("https://other.test/", "record"));
    assert.deepEqual(
      decideAll(gate, [
        "https://example.com/n/4",
        "https://example.com/q?a=1",
        "https://example.com/q?b=1",
        "https://www.example.com/q?a=1",
        "https://docs.example.com/",
      ]),
      ["max_urls_per_pattern", null, "max_urls_per_host", null, "max_urls"],
    );
  });
});
