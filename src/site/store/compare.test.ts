import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { type ComparedUrl, Comparison, type ComparisonQuery } from "./compare.ts";

const site = (path: string | number) => `https://example.com/${path}`;
const query = (over: Partial<ComparisonQuery> = {}): ComparisonQuery => ({
  ...{ change: null, effect: null, field: null, search: null, limit: 100, cursor: null },
  ...over,
});

function compare(t: Pick<TestContext, "after">, before: FakeUrl[], after: FakeUrl[], unindexed = false): Comparison {
  const paths = [siteDatabase(t, before), siteDatabase(t, after)] as const;
  if (unindexed) for (const path of paths) new DatabaseSync(path).exec("DROP INDEX urls_url");
  const comparison = new Comparison(...paths);
  t.after(() => comparison.close());
  return comparison;
}

const brief = (rows: ComparedUrl[]) => rows.map(({ url, change }) => [url.slice(site("").length), change]);

describe("comparison", () => {
  // The same URLs have other ids on the two sides, so comparing ids would show.
  const before: FakeUrl[] = [
    { url: site("start"), page: { status: 200, title: "Start", canonical: 1, word_count: 5 } },
    { url: site("same"), page: { status: 200, title: "Same", canonical: 2, etag: '"1"', time_total: 5 } },
    { url: site("title"), page: { status: 200, title: "Before", content_hash: "aa", word_count: 3 } },
    { url: site("moved"), page: { status: 301, redirect_to: 2 } },
    { url: site("left"), page: { status: 200 } },
    { url: site("down"), page: { status: 200 } },
    { url: site("skipped-now"), page: { status: 200 } },
    { url: site("never"), verdict: "skip", reason: "nofollow" },
    { url: site("open"), state: "open" },
  ];
  const after: FakeUrl[] = [
    { url: site("same"), page: { status: 304, title: "Same", canonical: 1, etag: '"2"', time_total: 9 } },
    { url: site("start"), page: { status: 200, title: "Start", canonical: 1, word_count: 5 } },
    { url: site("title"), page: { status: 200, title: "After", content_hash: "bb", word_count: 3 } },
    { url: site("moved"), page: { status: 301, redirect_to: 1 } },
    { url: site("down"), state: "failed", page: { error: "timeout" } },
    { url: site("new"), page: { status: 200 } },
    { url: site("skipped-now"), verdict: "skip", reason: "excluded" },
    { url: site("never"), page: { status: 200 } },
    { url: site("open"), state: "open" },
  ];

  for (const unindexed of [false, true]) {
    it(`tells what came, went and changed${unindexed ? ", also while the indexes are missing" : ""}`, (t) => {
      const comparison = compare(t, before, after, unindexed);
      const { fields, effects, ...counts } = comparison.counts;
      assert.deepEqual(effects, { newly_broken: 1, no_longer_indexable: 0, indexable_again: 0, fixed: 0 });
      assert.deepEqual(counts, { before: 7, after: 7, added: 2, gone: 1, notCrawled: 2, changed: 2, unchanged: 2 });
      assert.deepEqual(
        Object.entries(fields).filter(([, count]) => count > 0),
        [
          ["status", 1],
          ["title", 1],
          ["canonical", 1],
          ["contentHash", 1],
        ],
      );
      const { total, rows, next } = comparison.rows(query());
      assert.deepEqual([total, next], [7, null]);
      assert.deepEqual(brief(rows), [
        ["down", "gone"],
        ["left", "not_crawled"],
        ["never", "added"],
        ["new", "added"],
        ["skipped-now", "not_crawled"],
        ["start", "changed"],
        ["title", "changed"],
      ]);
      const [down, left, , added, skipped, start, title] = rows;
      assert.deepEqual(down!.fields, [{ field: "status", before: 200, after: null }]);
      assert.deepEqual([left!.statusBefore, left!.statusAfter, left!.fields], [200, null, []]);
      assert.deepEqual([down!.reason, left!.reason, skipped!.reason], [null, "no_longer_found", "excluded"]);
      assert.deepEqual([added!.statusBefore, added!.statusAfter, added!.fields], [null, 200, []]);
      assert.deepEqual(start!.fields, [{ field: "canonical", before: site("start"), after: site("same") }]);
      assert.deepEqual(title!.fields, [
        { field: "title", before: "Before", after: "After" },
        { field: "contentHash", before: "aa", after: "bb" },
      ]);
    });
  }

  it("is asked by kind of change, by field and by text", (t) => {
    const comparison = compare(t, before, after);
    const asked = (over: Partial<ComparisonQuery>) => {
      const { total, rows } = comparison.rows(query(over));
      assert.equal(total, rows.length);
      return brief(rows).map(([path]) => path);
    };
    assert.deepEqual(asked({ change: "added" }), ["never", "new"]);
    assert.deepEqual(asked({ change: "not_crawled" }), ["left", "skipped-now"]);
    assert.deepEqual(asked({ field: "title" }), ["title"]);
    assert.deepEqual(asked({ field: "title", change: "added" }), []);
    assert.deepEqual(asked({ search: "NEW" }), ["new"]);
    assert.deepEqual(asked({ search: "' OR 1=1 --" }), []);
  });

  it("lists what got worse first and what got better last, and finds no change between nothing and nothing", (t) => {
    const page = (status: number, indexable: "Yes" | "No", more = {}) => ({ page: { status, indexable, ...more } });
    const comparison = compare(
      t,
      [
        { url: site("a-fixed"), ...page(404, "No") },
        { url: site("b-title"), ...page(200, "Yes", { title: "old" }) },
        { url: site("c-again"), ...page(200, "No") },
        { url: site("d-noindex"), ...page(200, "Yes") },
        { url: site("e-gone"), ...page(200, "Yes") },
        { url: site("f-broken"), ...page(200, "Yes") },
        { url: site("g-still-broken"), ...page(404, "No") },
        { url: site("i-same"), ...page(200, "Yes", { description: null, h1: "" }) },
        { url: site("j-redirects"), ...page(200, "Yes") },
        { url: site("k-redirected"), ...page(301, "No") },
      ],
      [
        { url: site("a-fixed"), ...page(200, "Yes") },
        { url: site("b-title"), ...page(200, "Yes", { title: "new" }) },
        { url: site("c-again"), ...page(200, "Yes") },
        { url: site("d-noindex"), ...page(200, "No") },
        { url: site("f-broken"), ...page(500, "No") },
        { url: site("g-still-broken"), ...page(410, "No") },
        { url: site("h-new-and-broken"), ...page(404, "No") },
        { url: site("i-same"), ...page(200, "Yes", { description: "", h1: null }) },
        { url: site("j-redirects"), ...page(301, "No") },
        { url: site("k-redirected"), ...page(200, "Yes") },
      ],
    );
    const expected = [
      ["f-broken", "newly_broken"],
      ["h-new-and-broken", "newly_broken"],
      ["d-noindex", "no_longer_indexable"],
      ["b-title", null],
      ["e-gone", null],
      ["g-still-broken", null],
      ["j-redirects", null],
      ["k-redirected", null],
      ["c-again", "indexable_again"],
      ["a-fixed", "fixed"],
    ];
    const shown = (rows: ComparedUrl[]) => rows.map(({ url, effect }) => [url.slice(site("").length), effect]);
    assert.deepEqual(shown(comparison.rows(query()).rows), expected);
    const paged: ComparedUrl[] = [];
    for (let cursor: string | null = null; ; ) {
      const part = comparison.rows(query({ limit: 1, cursor }));
      paged.push(...part.rows);
      if ((cursor = part.next) === null) break;
    }
    assert.deepEqual(shown(paged), expected);
    assert.deepEqual(shown(comparison.rows(query({ effect: "newly_broken" })).rows), expected.slice(0, 2));
    assert.equal(comparison.counts.unchanged, 1);
  });

  it("says so when a database is missing, and can write to neither", (t) => {
    const path = siteDatabase(t, before);
    assert.throws(() => new Comparison("/nowhere/crawl.db", path), { code: "CRAWL_NOT_FOUND" });
    assert.throws(() => new Comparison(path, "/nowhere/crawl.db"), { code: "CRAWL_NOT_FOUND" });
  });

  it("with itself finds nothing", (t) => {
    const path = siteDatabase(t, after);
    const comparison = new Comparison(path, path);
    t.after(() => comparison.close());
    assert.deepEqual(comparison.rows(query()), { total: 0, rows: [], next: null });
    assert.equal(comparison.counts.unchanged, 7);
  });

  it("agrees with a plain comparison of two sets, page by page", () => {
    const pages = fc.uniqueArray(
      fc.record({ path: fc.nat(12), title: fc.constantFrom("a", "b"), fetched: fc.boolean() }),
      {
        selector: ({ path }) => path,
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(pages, pages, fc.integer({ min: 1, max: 4 }), (one, other, limit) => {
        const cleanups: (() => void)[] = [];
        const t = { after: (clean: unknown) => cleanups.unshift(clean as () => void) };
        const urls = (some: typeof one): FakeUrl[] =>
          some.map(({ path, title, fetched }) => ({
            url: site(path),
            ...(fetched ? { page: { title } } : { state: "open" }),
          }));
        try {
          const comparison = compare(t, urls(one), urls(other));
          const rows: ComparedUrl[] = [];
          for (let cursor: string | null = null; ; ) {
            const page = comparison.rows(query({ limit, cursor }));
            assert.ok(page.rows.length <= limit);
            rows.push(...page.rows);
            if ((cursor = page.next) === null) break;
          }
          const titles = (some: typeof one) =>
            new Map(some.filter((each) => each.fetched).map((each) => [each.path, each.title]));
          const [then, now] = [titles(one), titles(other)];
          const expected = [...new Set([...then.keys(), ...now.keys()])]
            .map((path) => [
              `${path}`,
              !then.has(path)
                ? "added"
                : !now.has(path)
                  ? "not_crawled"
                  : then.get(path) !== now.get(path)
                    ? "changed"
                    : "",
            ])
            .filter(([, change]) => change !== "")
            .sort(([a], [b]) => (a! < b! ? -1 : 1));
          assert.deepEqual(brief(rows), expected);
        } finally {
          for (const clean of cleanups) clean();
        }
      }),
      { numRuns: 30 },
    );
  });
});
