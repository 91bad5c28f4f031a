import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it, type TestContext } from "node:test";
import { kindNumber } from "../links/link-kinds.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW } from "../page/link-types.ts";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { writeGraphFacts } from "./graph-facts.ts";

const page = { status: 200, title_count: 1, indexable: "Yes" } as const;
/** A link as it is stored: its target, type, position, flags, and no texts. */
const link = (target: number, flags = LINK_INTERNAL, kind = "anchor" as const): number[] => [
  ...[target, kindNumber(kind), 4, flags, 0, 0, 0],
];

function graphOf(t: TestContext, urls: FakeUrl[]): Record<string, unknown>[] {
  const db = new DatabaseSync(siteDatabase(t, urls));
  t.after(() => db.close());
  writeGraphFacts(db);
  return db.prepare("SELECT * FROM graph ORDER BY id").all() as Record<string, unknown>[];
}

describe("graph facts", () => {
  it("links in and out: all, unique, followed; a page's links to itself are apart", (t) => {
    const [one, two] = graphOf(t, [
      {
        url: "https://a.test/",
        via: "initial",
        page: { ...page, link_count: 4 },
        links: [...link(1), ...link(2), ...link(2), ...link(2, LINK_INTERNAL | LINK_NOFOLLOW)],
      },
      { url: "https://a.test/two", parent: 1, page: { ...page, link_count: 1 }, links: link(3, 0) },
      { url: "https://b.test/", verdict: "record", reason: "external", parent: 2 },
    ]);
    assert.partialDeepStrictEqual(one, { self_links: 1, outlinks_internal: 3, outlinks_nofollow: 1, inlinks: 0 });
    assert.partialDeepStrictEqual(two, { inlinks: 3, unique_inlinks: 1, inlinks_followed: 2, inlinks_indexable: 3 });
    assert.partialDeepStrictEqual(two, { outlinks_external: 1, outlinks_internal: 0, orphan: null });
  });

  it("the page that most links lead to has the highest score, and one without links is an orphan", (t) => {
    const rows = graphOf(t, [
      { url: "https://a.test/", via: "initial", page: { ...page, link_count: 1 }, links: link(2) },
      { url: "https://a.test/hub", parent: 1, page: { ...page, link_count: 1 }, links: link(1) },
      { url: "https://a.test/leaf", parent: 1, page: { ...page, link_count: 1 }, links: link(2) },
      { url: "https://a.test/alone", via: "sitemap", page: { ...page, link_count: 1 }, links: link(2) },
    ]);
    const scores = rows.map((row) => row["link_score"] as number);
    assert.equal(scores[1], 100);
    assert.ok(scores[0]! < 100 && scores[0]! > scores[2]!);
    assert.deepEqual(
      rows.map((row) => row["orphan"]),
      [null, null, "Yes", "Yes"],
    );
  });

  it("redirects: hops, where they end and with which status; a loop has no end", (t) => {
    const moved = (to: number) => ({ status: 301, redirect_to: to });
    const rows = graphOf(t, [
      { url: "https://a.test/1", via: "initial", page: moved(2) },
      { url: "https://a.test/2", parent: 1, page: moved(3) },
      { url: "https://a.test/3", parent: 2, page: { status: 404 } },
      { url: "https://a.test/4", parent: 2, page: moved(5) },
      { url: "https://a.test/5", parent: 2, page: moved(4) },
    ]);
    const chain = ["redirect_hops", "redirect_final", "redirect_status", "redirect_loop"];
    assert.deepEqual(
      rows.map((row) => chain.map((name) => row[name])),
      [
        [2, 3, 404, null],
        [1, 3, 404, null],
        [null, null, null, null],
        [2, null, null, "Yes"],
        [2, null, null, "Yes"],
      ],
    );
  });
});
