import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kindNumber } from "../links/link-kinds.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED, LINK_SPONSORED, LINK_UGC } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { findUrl, type LinkPage, linksIn, linksOut, pathFromStart } from "./link-queries.ts";
import { SiteReader } from "./reader.ts";

const ANCHOR = kindNumber("anchor");
const NAVIGATION = LINK_POSITIONS.indexOf("navigation");
const CONTENT = LINK_POSITIONS.indexOf("content");
const site = (path: string) => `https://example.com${path}`;

/** Home links to a (twice) and to another host; a links to b and back home; b is an image that nobody wanted. */
const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
  {
    url: site("/"),
    via: "initial",
    kind: "start",
    page: { status: 200, title: "Home", link_count: 3 },
    links: [
      ...[2, ANCHOR, NAVIGATION, LINK_INTERNAL, 1, 2, 3],
      ...[2, ANCHOR, CONTENT, LINK_INTERNAL | LINK_NOFOLLOW | LINK_SPONSORED | LINK_UGC, 1, 0, 0],
      ...[4, ANCHOR, CONTENT, LINK_RENDERED, 0, 0, 0],
    ],
    texts: ["Page a", "to Page a", "html/body/nav/a"],
  },
  {
    url: site("/a"),
    depth: 1,
    parent: 1,
    page: { status: 404, title: "A", link_count: 2 },
    links: [
      ...[3, kindNumber("image"), CONTENT, LINK_INTERNAL, 0, 0, 0],
      ...[1, ANCHOR, CONTENT, LINK_INTERNAL, 1, 0, 0],
    ],
  },
  {
    url: site("/b.png"),
    depth: 2,
    parent: 2,
    via: "resource",
    kind: "image",
    verdict: "record",
    reason: "resources_off",
  },
  {
    url: "https://other.test/",
    depth: 1,
    parent: 1,
    verdict: "record",
    reason: "external",
    rule: "checkExternalLinks",
  },
  { url: site("/none"), depth: 1, parent: 2, page: { status: 200, link_count: 0 } },
]);
const reader = new SiteReader(path);

/** Follows a list to its end, so many at a time. */
function all(ask: (after: number) => LinkPage): LinkPage["rows"] {
  const rows: LinkPage["rows"] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = ask(after);
    rows.push(...page.rows);
    after = page.next;
  }
  return rows;
}

describe("link queries", () => {
  it("links of a page, in order, with their words and the verdict on their targets", () => {
    const { total, rows, next } = linksOut(reader, { id: 1, limit: 10, after: 0 });
    assert.deepEqual([total, next], [3, null]);
    assert.deepEqual(rows[0], {
      url: site("/a"),
      type: "anchor",
      text: "Page a",
      context: "to Page a",
      position: "navigation",
      path: "html/body/nav/a",
      nofollow: false,
      sponsored: false,
      ugc: false,
      internal: true,
      rendered: false,
      verdict: "crawl",
      reason: null,
      status: 404,
      title: "A",
      contentType: null,
      size: null,
      count: 1,
    });
    const { nofollow, sponsored, ugc, context } = rows[1]!;
    assert.deepEqual([nofollow, sponsored, ugc, context], [true, true, true, ""]);
    const { url, internal, rendered, verdict, reason, status } = rows[2]!;
    assert.deepEqual(
      { url, internal, rendered, verdict, reason, status },
      {
        ...{ url: "https://other.test/", internal: false, rendered: true },
        ...{ verdict: "record", reason: "external", status: null },
      },
    );
  });

  it("links to a page, with what links to it", () => {
    const { total, rows } = linksIn(reader, { id: 2, limit: 10, after: 0 });
    assert.equal(total, 2);
    assert.deepEqual(
      rows.map((row) => [row.url, row.position, row.title]),
      [
        [site("/"), "navigation", "Home"],
        [site("/"), "content", "Home"],
      ],
    );
    assert.equal(linksIn(reader, { id: 3, limit: 10, after: 0 }).rows[0]!.type, "image");
  });

  for (const limit of [1, 2, 3]) {
    it(`in pages of ${limit} each link comes once`, () => {
      assert.deepEqual(
        all((after) => linksOut(reader, { id: 1, limit, after })),
        linksOut(reader, { id: 1, limit: 10, after: 0 }).rows,
      );
      assert.deepEqual(
        all((after) => linksIn(reader, { id: 2, limit, after })),
        linksIn(reader, { id: 2, limit: 10, after: 0 }).rows,
      );
    });
  }

  it("each other URL once, and links of one type", () => {
    const { total, rows } = linksIn(reader, { id: 2, limit: 10, after: 0, isUnique: true });
    assert.deepEqual([total, rows.length, rows[0]!.count], [1, 1, 2]);
    const unique = all((after) => linksOut(reader, { id: 1, limit: 1, after, isUnique: true }));
    assert.deepEqual(unique, linksOut(reader, { id: 1, limit: 10, after: 0, isUnique: true }).rows);
    const images = linksIn(reader, { id: 3, limit: 10, after: 0, type: "image" });
    assert.deepEqual([images.total, images.rows.map(({ type }) => type)], [1, ["image"]]);
    assert.equal(linksIn(reader, { id: 3, limit: 10, after: 0, type: "anchor" }).total, 0);
  });

  it("a page without links, and a URL that was never fetched, have none", () => {
    for (const id of [3, 5])
      assert.deepEqual(linksOut(reader, { id, limit: 10, after: 0 }), { total: 0, rows: [], next: null });
    assert.deepEqual(linksIn(reader, { id: 5, limit: 10, after: 0 }), { total: 0, rows: [], next: null });
  });

  it("the way from the start to a URL", () => {
    const way = pathFromStart(reader, 3).map(({ url, via, depth }) => [url, via, depth]);
    assert.deepEqual(way, [
      [site("/"), "initial", 0],
      [site("/a"), "spider", 1],
      [site("/b.png"), "resource", 2],
    ]);
    assert.deepEqual(
      pathFromStart(reader, 1).map((step) => step.id),
      [1],
    );
  });

  it("finds a URL with its verdict, and says so when the crawl never found it", () => {
    const { id, verdict, reason, rule, via } = findUrl(reader, "https://other.test/");
    assert.deepEqual([id, verdict, reason, rule, via], [4, "record", "external", "checkExternalLinks", "spider"]);
    assert.throws(() => findUrl(reader, site("/nowhere")), { code: "URL_NOT_IN_CRAWL" });
  });
});
