/** What pages and links ask of a crawler: nofollow, noindex, canonical. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlOptions } from "../../src/index.ts";
import { crawlInto, facts } from "./crawling.ts";
import { type Answer, linking, tableSite } from "./table-site.ts";

const SPIDER = { discovery: ["spider" as const], checkResources: false };

test("a nofollow link is not followed, unless another page links without nofollow", async (t) => {
  const site = await tableSite(t, {
    "/": `<a href=/never rel=nofollow>1</a><a href=/later rel="noopener nofollow">2</a><a href=/plain>3</a>`,
    "/plain": linking("/later"),
    "/later": "<p>reached",
  });
  const { database, summary } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "verdict reason foundOn depth"), {
    "/": ["crawl", null, null, 0],
    "/never": ["skip", "nofollow", "/", 1],
    "/later": ["crawl", null, "/plain", 2],
    "/plain": ["crawl", null, "/", 1],
  });
  assert.deepEqual(summary.reasons, { nofollow: 1 });
  assert.deepEqual(site.asked(), ["GET /", "GET /plain", "GET /later"]);

  const asked = await crawlInto(t, site.url, { ...SPIDER, followInternalNofollow: true });
  assert.equal(facts(asked.database, site.origin, "verdict")["/never"], "crawl");
});

const NOFOLLOW_PAGES = {
  "a meta element": `<meta name=robots content="index, NOFOLLOW"><link rel=canonical href=/canonical>${linking("/a")}`,
  "a meta element for us": `<meta name=trawl content=none><link rel=canonical href=/canonical>${linking("/a")}`,
  "the header": {
    headers: { "x-robots-tag": "nofollow" },
    body: `<link rel=canonical href=/canonical>${linking("/a")}`,
  },
};
for (const [name, page] of Object.entries(NOFOLLOW_PAGES)) {
  test(`a page marked nofollow by ${name}: none of its links is followed, nor its canonical; its images are fetched`, async (t) => {
    const body =
      typeof page === "string" ? `${page}<img src=/i.png>` : { ...page, body: `${page.body}<img src=/i.png>` };
    const site = await tableSite(t, { "/": body, "/i.png": { type: "image/png", body: "x" } });
    const { database } = await crawlInto(t, site.url, { discovery: ["spider"] });
    const reasons = facts(database, site.origin, "reason", ["depth=1"]);
    assert.deepEqual(reasons, { "/a": "nofollow", "/canonical": "nofollow", "/i.png": null });
  });
}

test("nofollow for another crawler does not apply to us", async (t) => {
  const site = await tableSite(t, {
    "/": {
      headers: { "x-robots-tag": "otherbot: nofollow" },
      body: `<meta name=otherbot content=nofollow>${linking("/a")}`,
    },
    "/a": "<p>a",
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.equal(facts(database, site.origin, "status")["/a"], 200);
});

test("noindex: reported with its source; the links are followed, or not if so configured", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/meta", "/header", "/both"),
    "/meta": `<meta name=robots content=noindex><img src=/part.png>${linking("/behind", "/both")}`,
    "/header": { headers: { "x-robots-tag": "noindex" }, body: "<p>x" },
    "/both": "<p>x",
    "/behind": "<p>x",
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "indexable indexability robotsMeta robotsHeader"), {
    "/": [true, null, null, null],
    "/meta": [false, "noindex_meta", "noindex", null],
    "/header": [false, "noindex_header", null, "noindex"],
    "/both": [true, null, null, null],
    "/behind": [true, null, null, null],
    "/part.png": [null, null, null, null],
  });
  const strict = await crawlInto(t, site.url, { discovery: ["spider"], respectNoindex: true });
  const reasons = facts(strict.database, site.origin, "reason");
  assert.deepEqual([reasons["/behind"], reasons["/both"], reasons["/part.png"]], ["noindex", null, null]);
});

test("noindex counts where it is asked for: in meta tags, in headers, or in both", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/meta", "/header"),
    "/meta": `<meta name=robots content=noindex>${linking("/behind-meta")}`,
    "/header": { headers: { "x-robots-tag": "noindex" }, body: linking("/behind-header") },
  });
  const skipped = async (options: CrawlOptions) => {
    const { database } = await crawlInto(t, site.url, { ...SPIDER, ...options });
    return facts(database, site.origin, "rule", ["reason=noindex"]);
  };
  assert.deepEqual(await skipped({}), {});
  assert.deepEqual(await skipped({ respectNoindexMeta: true }), { "/behind-meta": "respectNoindexMeta" });
  assert.deepEqual(await skipped({ respectNoindexHeader: true }), { "/behind-header": "respectNoindexHeader" });
  assert.deepEqual(await skipped({ respectNoindex: true }), {
    "/behind-meta": "respectNoindex",
    "/behind-header": "respectNoindex",
  });
});

test("a page past its unavailable_after date is not indexable", async (t) => {
  const site = await tableSite(t, {
    "/": linking("/meta", "/header", "/later"),
    "/meta": `<meta name=robots content="unavailable_after: 2010-06-25T15:00:00Z">`,
    "/header": { headers: { "x-robots-tag": "unavailable_after: 25 Jun 2010 15:00:00 GMT" }, body: "<p>x" },
    "/later": `<meta name=robots content="unavailable_after: 9999-01-01">`,
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "indexability", ["depth=1"]), {
    "/meta": "noindex_meta",
    "/header": "noindex_header",
    "/later": null,
  });
});

const FOR_GOOGLE: Record<string, [page: Answer, reason: string | null, evidence: string | null]> = {
  "/googlebot": ["<meta name=GoogleBot content='NoIndex'>", "noindex_meta", "meta googlebot: noindex"],
  "/otherbot": ["<meta name=otherbot content=noindex>", null, null],
  "/robots": ["<meta name=robots content=none>", "noindex_meta", "meta robots: none"],
  "/tag": [
    { headers: { "x-robots-tag": "googlebot: noindex" }, body: "<p>x" },
    "noindex_header",
    "X-Robots-Tag: googlebot: noindex",
  ],
  "/tag-other": [{ headers: { "x-robots-tag": "otherbot: noindex" }, body: "<p>x" }, null, null],
  "/refresh": [`<meta http-equiv=refresh content="0; url=/">`, "redirect", "meta refresh: 0; url=/"],
  "/later": [`<meta http-equiv=refresh content="5; url=/">`, null, null],
  "/again": [`<meta http-equiv=refresh content="0; url=/again">`, null, null],
  "/noscript": [`<noscript><meta http-equiv=refresh content="0; url=/"></noscript>`, null, null],
  "/refresh-header": [{ headers: { refresh: "0; url=/" }, body: "<p>x" }, "redirect", "Refresh: 0; url=/"],
  "/link": [
    { headers: { link: `</style.css>; rel=preload, </>; title="a, b"; rel="canonical"` }, body: "<p>x" },
    "canonicalised",
    `Link: <{origin}/>; rel="canonical"`,
  ],
  "/link-self": [{ headers: { link: "</link-self>; rel=canonical" }, body: "<p>x" }, null, null],
  "/link-anchor": [{ headers: { link: `</>; rel=canonical; anchor="/other"` }, body: "<p>x" }, null, null],
  "/link-and-own": [
    { headers: { link: "</>; rel=canonical" }, body: "<link rel=canonical href=/link-and-own>" },
    null,
    null,
  ],
  "/head": ["<link rel=canonical href=/>", "canonicalised", "link canonical: /"],
};

test("indexable is what Google would do, with the element or header that decided", async (t) => {
  const paths = Object.keys(FOR_GOOGLE);
  const pages = Object.entries(FOR_GOOGLE).map(([path, [page]]) => [path, page]);
  const site = await tableSite(t, { "/": linking(...paths), ...Object.fromEntries(pages) });
  const expected = Object.fromEntries(
    Object.entries(FOR_GOOGLE).map(([path, [, reason, evidence]]) => [
      path,
      [reason === null, reason, evidence?.replace("{origin}", site.origin) ?? null],
    ]),
  );
  const { database } = await crawlInto(t, site.url, SPIDER);
  const asked = "indexable indexability indexabilityEvidence";
  assert.deepEqual(facts(database, site.origin, asked, ["depth=1"]), expected);
});

test("canonical: crawled, and a page whose canonical is another page is not indexable", async (t) => {
  const site = await tableSite(t, {
    "/": `<link rel=canonical href=/>${linking("/print")}`,
    "/print": `<link rel=canonical href=/page>`,
    "/page": `<link rel=canonical href="/page?utm_source=feed">`,
  });
  const { database } = await crawlInto(t, site.url, SPIDER);
  assert.deepEqual(facts(database, site.origin, "canonical indexability kind"), {
    "/": ["/", null, "start"],
    "/print": ["/page", "canonicalised", "anchor"],
    "/page": ["/page", null, "canonical"],
  });
});

test("a page first found as a prefetch is read as a page", async (t) => {
  const site = await tableSite(t, {
    "/": `<link rel=prefetch href=/next><link rel=help href=/help>${linking("/next")}`,
    "/next": linking("/deep"),
    "/help": linking("/helped"),
    "/deep": "<p>x",
    "/helped": "<p>x",
  });
  const { summary, database } = await crawlInto(t, site.url);
  assert.equal(summary.state, "completed");
  const rows = facts(database, site.origin, "status kind");
  assert.deepEqual(
    [rows["/next"], rows["/deep"], rows["/helped"]],
    [
      [200, "preload"],
      [200, "anchor"],
      [200, "anchor"],
    ],
  );
});
