import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { kindNumber, viaOfKind } from "../links/link-kinds.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED, LINK_UGC } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { Baseline } from "./baseline.ts";

const site = (path: string) => `https://example.com${path}`;
const HEAD = LINK_POSITIONS.indexOf("head");
const CONTENT = LINK_POSITIONS.indexOf("content");

const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
  {
    url: site("/"),
    page: { status: 200, title: "Home", etag: '"1"', link_count: 4, canonical: 2, robots_header: "noarchive" },
    links: [
      ...[2, kindNumber("canonical"), HEAD, LINK_INTERNAL, 0, 0, 0],
      ...[3, kindNumber("anchor"), CONTENT, LINK_INTERNAL | LINK_NOFOLLOW | LINK_UGC, 1, 2, 3],
      ...[4, kindNumber("image"), CONTENT, LINK_INTERNAL, 0, 0, 0],
      ...[5, kindNumber("request"), CONTENT, LINK_INTERNAL | LINK_RENDERED, 0, 0, 0],
    ],
    texts: ["Page a", "to Page a", "html/body/a"],
  },
  { url: site("/home"), page: { status: 304, last_modified: "Mon, 16 Nov 2026 00:00:00 GMT", link_count: 0 } },
  { url: site("/a"), page: { status: 404, etag: '"2"' } },
  { url: site("/b.png"), page: { status: 200, etag: '"3"', truncated: "length" } },
  { url: site("/api"), page: { status: 200 } },
  {
    url: site("/sitemap.xml"),
    kind: "sitemap",
    page: { status: 200, etag: '"4"', link_count: 2 },
    links: [
      ...[1, kindNumber("sitemap-entry"), CONTENT, LINK_INTERNAL, 0, 0, 0],
      ...[6, kindNumber("sitemap"), CONTENT, LINK_INTERNAL, 0, 0, 0],
    ],
  },
  { url: site("/never"), verdict: "skip", reason: "nofollow" },
]);

describe("baseline", () => {
  const baseline = new Baseline(path);

  it("has validators of answers that were whole and good, and of no others", () => {
    assert.equal(baseline.validators(site("/"))?.etag, '"1"');
    assert.equal(baseline.validators(site("/home"))?.lastModified, "Mon, 16 Nov 2026 00:00:00 GMT");
    for (const path of ["/a", "/b.png", "/api", "/never", "/unknown"]) {
      assert.equal(baseline.validators(site(path)), null, path);
    }
  });

  it("brings back facts, canonical and links, each as it was found", () => {
    const page = baseline.page(site("/"))!;
    assert.deepEqual([page.row.title, page.row.robots_header, page.canonical], ["Home", "noarchive", site("/home")]);
    assert.deepEqual(
      page.links.map(({ url, kind, flags }) => [url, kind, viaOfKind(kind), flags]),
      [
        [site("/home"), "canonical", "spider", 0],
        [site("/a"), "anchor", "spider", LINK_NOFOLLOW | LINK_UGC],
        [site("/b.png"), "image", "resource", 0],
        [site("/api"), "request", "network", LINK_RENDERED],
      ],
    );
    const { text, context, path, position } = page.links[1]!;
    assert.deepEqual([text, context, path, position], ["Page a", "to Page a", "html/body/a", "content"]);
  });

  it("of a sitemap brings back entries and sitemaps", () => {
    const links = baseline.page(site("/sitemap.xml"))!.links;
    assert.deepEqual(
      links.map(({ url, kind }) => [url, kind, viaOfKind(kind)]),
      [
        [site("/"), "sitemap-entry", "sitemap"],
        [site("/sitemap.xml"), "sitemap", "sitemap"],
      ],
    );
  });

  it("of a page without links has none, and of one never fetched nothing", () => {
    assert.deepEqual(baseline.page(site("/home"))!.links, []);
    assert.equal(baseline.page(site("/never")), null);
    assert.equal(baseline.page(site("/unknown")), null);
  });

  it("asks for pages in full when either crawl runs them in a browser: their scripts may bring something else", (t) => {
    const path = siteDatabase(t, [
      { url: site("/"), page: { status: 200, etag: '"1"', title_count: 1 } },
      { url: site("/rendered"), page: { status: 200, etag: '"2"', title_count: 1 } },
      { url: site("/a.png"), page: { status: 200, etag: '"3"' } },
    ]);
    const db = new DatabaseSync(path);
    db.exec("INSERT INTO rendered (id) VALUES (2)");
    db.close();
    const known = (rendering: boolean): boolean[] => {
      const earlier = new Baseline(path, rendering);
      const asked = ["/", "/rendered", "/a.png"].map((path) => earlier.validators(site(path)) !== null);
      earlier.close();
      return asked;
    };
    assert.deepEqual(known(false), [true, false, true]);
    assert.deepEqual(known(true), [false, false, true]);
  });

  it("lets go of the file", () => {
    const other = new Baseline(path);
    other.close();
    assert.throws(() => other.validators(site("/")));
  });
});
