import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { extractPage } from "../page/extract-page.ts";
import { SiteReader } from "../store/reader.ts";
import { listUrls } from "../testing/list-urls.ts";
import { siteDatabase } from "../testing/site-database.ts";
import type { Fact } from "./fact.ts";
import { COMPARED, FIELD_NAMES, FIELDS, fieldNamed } from "./fact-fields.ts";
import { headerFacts, MOST_TEXT } from "./fact-reading.ts";
import { isOfDocument, type PageRow } from "./fact-rows.ts";
import { FACTS } from "./fact-table.ts";
import { truthOf } from "./field-names.ts";

/** How each fact that is found by name looks in a document, and what is read there. */
const DOCUMENTS: Record<string, [html: string, value: string]> = {
  description: ['<meta name=" Description " content=" About\n us &amp; more ">', "About us & more"],
  language: ['<html lang=" en-GB ">', "en-GB"],
  og_title: ['<meta property="OG:Title" content=" Fishing\n tackle ">', "Fishing tackle"],
  og_image: ['<meta property="og:image" content="/card.png?a=1&amp;b=2">', "/card.png?a=1&b=2"],
  og_type: ['<meta name="og:type" content="article">', "article"],
  twitter_card: ['<meta name="twitter:card" content="summary_large_image">', "summary_large_image"],
  viewport: [
    '<meta name=viewport content="width=device-width, initial-scale=1">',
    "width=device-width, initial-scale=1",
  ],
  generator: ['<meta name="generator" content="WordPress 6.9">', "WordPress 6.9"],
  author: ['<meta name="author" content="Ada &amp; Grace">', "Ada & Grace"],
  keywords: ['<meta name="keywords" content="rods, reels">', "rods, reels"],
  theme_color: ['<meta name="theme-color" content="#0a0">', "#0a0"],
  amphtml: ['<link rel="AMPHTML nofollow" href=" /amp/page ">', "/amp/page"],
};

const HEADERS: Record<string, [headers: [string, string][], value: string]> = {
  robots_header: [
    [
      ["x-robots-tag", "noindex"],
      ["x-robots-tag", "otherbot: nofollow"],
    ],
    "noindex,\notherbot: nofollow",
  ],
  last_modified: [[["last-modified", "Mon, 16 Nov 2026 00:00:00 GMT"]], "Mon, 16 Nov 2026 00:00:00 GMT"],
  etag: [
    [
      ["etag", '"1"'],
      ["etag", '"2"'],
    ],
    '"1"',
  ],
  content_encoding: [[["content-encoding", "br"]], "br"],
  cache_control: [[["cache-control", "max-age=60"]], "max-age=60"],
  expires: [[["expires", "0"]], "0"],
  hsts: [[["strict-transport-security", "max-age=31536000"]], "max-age=31536000"],
  csp: [
    [
      ["content-security-policy", "default-src 'self'"],
      ["content-security-policy", "img-src *"],
    ],
    "default-src 'self',\nimg-src *",
  ],
  content_type_options: [[["x-content-type-options", "nosniff"]], "nosniff"],
  frame_options: [[["x-frame-options", "DENY"]], "DENY"],
  referrer_policy: [[["referrer-policy", "same-origin"]], "same-origin"],
  cors_origin: [[["access-control-allow-origin", "*"]], "*"],
  cors_credentials: [[["access-control-allow-credentials", "true"]], "true"],
  server: [[["server", "nginx/1.25"]], "nginx/1.25"],
  powered_by: [[["x-powered-by", "PHP/8.1"]], "PHP/8.1"],
  refresh_header: [[["refresh", "0; url=/next"]], "0; url=/next"],
  link_header: [
    [
      ["link", '</a>; rel="canonical"'],
      ["link", "</b>; rel=next"],
    ],
    '</a>; rel="canonical",\n</b>; rel=next',
  ],
};

const all: [name: string, fact: Fact][] = Object.entries(FACTS);
const from = (...places: string[]) => all.flatMap(([name, { read }]) => (places.includes(read.from) ? [name] : []));
const factsOf = (html: string) => extractPage(html).facts as unknown as Record<string, unknown>;

describe("fact table", () => {
  it("every fact that is found by name has an example here", () => {
    assert.deepEqual(Object.keys(DOCUMENTS), from("meta", "link", "attribute"));
    assert.deepEqual(Object.keys(HEADERS), from("header"));
  });

  for (const [name, [html, value]] of Object.entries(DOCUMENTS)) {
    it(`${name} is read from ${html}`, () => {
      assert.equal(factsOf(html)[name], value);
      assert.equal(factsOf("<title>x</title>")[name], null);
      // The first counts.
      assert.equal(factsOf(`${html}${html.replaceAll(/(content|href)="[^"]*"/g, '$1="other"')}`)[name], value);
    });
  }

  for (const [name, [headers, value]] of Object.entries(HEADERS)) {
    it(`${name} is read from the header ${headers[0]![0]}`, () => {
      assert.equal((headerFacts(headers) as unknown as Record<string, unknown>)[name], value);
      assert.equal((headerFacts([]) as unknown as Record<string, unknown>)[name], null);
    });
  }

  it("every stored fact comes back as a field, and can be filtered and sorted by", (t) => {
    const stored = all.filter(([, { read, listed, sql, type }]) => {
      return (
        !["sql", "browser", "raw", "graph", "field"].includes(read.from) &&
        listed !== false &&
        sql === undefined &&
        type !== "url"
      );
    });
    const values = stored.map(([name, { type, column = name, values }], index) => {
      return [name, column, values?.[0] ?? (type === "text" ? `text ${index}` : index + 1)] as const;
    });
    const page = Object.fromEntries(values.map(([, column, value]) => [column, value])) as Partial<PageRow>;
    const reader = new SiteReader(siteDatabase(t, [{ url: "https://a.test/", page }, { url: "https://a.test/b" }]));
    t.after(() => reader.close());
    const query = { fields: [...FIELD_NAMES] };
    for (const [fact, , value] of values) {
      const { name, type } = fieldNamed(fact)!;
      const rows = listUrls(reader, { ...query, filters: [`${name}=${value}`], sort: `-${name}` });
      assert.deepEqual(
        rows.map((row) => row[name]),
        [type === "boolean" ? truthOf(value) : value],
        name,
      );
    }
  });

  it("computed facts are computed, and no other has SQL alone", (t) => {
    const reader = new SiteReader(siteDatabase(t, [{ url: "https://a.test/", page: { title: "Four" } }]));
    t.after(() => reader.close());
    for (const [name, fact] of all) if (fact.read.from === "sql") assert.ok(fact.sql, name);
    const [row] = listUrls(reader, { fields: ["title_length", "next", "refresh"] });
    assert.deepEqual({ ...row }, { title_length: 4, next: null, refresh: null });
  });

  it("every field has a label of its own, and numbers fit the comparison", () => {
    assert.equal(new Set(FIELDS.map(({ label }) => label)).size, FIELDS.length);
    // Fields that differ are bits of one number.
    assert.ok(COMPARED.length <= 52);
    for (const { name } of COMPARED) assert.ok(FIELD_NAMES.includes(name), name);
  });

  it("a text that is too long is cut, and the page says which", () => {
    const long = `x${"😀".repeat(MOST_TEXT)}`;
    const facts = factsOf(
      `<title>${long}</title><meta name=description content="${long}"><h1>short</h1><h2>${long}</h2>`,
    );
    assert.equal(facts["texts_cut"], "title, description, h2");
    for (const name of ["title", "description", "h2"]) {
      assert.equal(facts[name], `x${"😀".repeat(MOST_TEXT / 2 - 1)}`, name);
    }
    assert.equal(facts["h1"], "short");
    for (const [name, fact] of all) {
      if (fact.type === "text" && isOfDocument(fact)) assert.ok(String(facts[name]).length <= MOST_TEXT, name);
    }
  });

  it("a list of alternates that is too long is cut between two of them", () => {
    const alternates = Array.from({ length: 1_000 }, (_, at) => `<link rel=alternate hreflang=de href=/page/${at}>`);
    const facts = factsOf(alternates.join(""));
    assert.equal(facts["texts_cut"], "hreflang");
    const kept = JSON.parse(String(facts["hreflang"])) as [string, string][];
    assert.ok(kept.length > 500 && kept.length < 1_000);
    assert.deepEqual(kept[500], ["de", "/page/500"]);
  });
});
