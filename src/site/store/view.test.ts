import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { SiteReader } from "./reader.ts";
import { countViews, SiteView } from "./view.ts";

const site = (path: string | number) => `https://example.com/${path}`;

describe("view", () => {
  const urls: FakeUrl[] = Array.from({ length: 230 }, (_, index) => ({
    url: site(index),
    depth: index % 4,
    ...(index % 3 === 0 ? {} : { page: { status: index % 5 === 0 ? 404 : 200, title: `Page ${index % 10}` } }),
  }));
  const reader = new SiteReader(siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, urls));

  it("holds what an export holds, and any part of it is where it is in the whole, for any filter, search and sort", () => {
    const sorts = fc.option(fc.constantFrom("status", "-status", "title", "-title", "url", "-url", "depth", "-depth"));
    const filters = fc.subarray(["status=200", "depth<2", "title~5"], { maxLength: 2 });
    const search = fc.option(fc.constantFrom("", "1", "Page 7", "nowhere"));
    fc.assert(
      fc.property(sorts, filters, search, fc.nat(250), fc.nat(60), (sort, filters, search, offset, limit) => {
        const view = SiteView.open(reader, { filters, search, sort });
        const fields = ["url", "title"];
        const list = view.rows(fields, 0, view.total);
        assert.deepEqual(view.rows(fields, offset, limit), list.slice(offset, offset + limit));
        const exported = [...reader.each({ fields, filters, search })];
        const inOrder =
          sort === null
            ? list
            : list.toSorted(
                (a, b) => urls.findIndex(({ url }) => url === a["url"]) - urls.findIndex(({ url }) => url === b["url"]),
              );
        assert.deepEqual(inOrder, exported);
      }),
    );
  });

  it("is counted, together with others, as what it lists", () => {
    const filters = fc.subarray(["status=200", "depth<2", "title~5", "status=", "status=4xx"]);
    const query = fc.record({ filters, search: fc.option(fc.constantFrom("1", "Page 7", "nowhere")) });
    fc.assert(
      fc.property(fc.array(query, { maxLength: 6 }), (queries) => {
        const listed = queries.map((one) => SiteView.open(reader, { ...one, sort: null }).total);
        assert.deepEqual(countViews(reader, queries), listed);
      }),
    );
  });

  it("is empty where nothing is left, and gives nothing beyond its ends", () => {
    const none = SiteView.open(reader, { filters: ["status=500"], search: null, sort: null });
    assert.deepEqual([none.total, none.rows(["url"], 0, 10)], [0, []]);
    const all = SiteView.open(reader, { filters: [], search: null, sort: null });
    assert.deepEqual(all.rows(["url"], 230, 10), []);
    assert.deepEqual(all.rows(["url"], -5, 1).length, 1);
    assert.deepEqual([...all.ids(228, 100)], [229, 230]);
  });

  it("keeps its rows while the crawl goes on, but shows the newest facts", (t) => {
    const path = siteDatabase(t, [{ url: site("a"), state: "open" }]);
    const live = new SiteReader(path);
    t.after(() => live.close());
    const view = SiteView.open(live, { filters: ["state=open"], search: null, sort: null });
    const writer = new DatabaseSync(path);
    t.after(() => writer.close());
    writer.exec("UPDATE urls SET state = 'done'");
    assert.deepEqual({ ...view.rows(["url", "state"], 0, 10)[0] }, { url: site("a"), state: "done" });
    assert.equal(view.total, 1);
  });

  it("refuses fields, sorts and filters that do not exist", () => {
    const open = (over: object) => SiteView.open(reader, { filters: [], search: null, sort: null, ...over });
    assert.throws(() => open({ sort: "nothing" }), { code: "BAD_USAGE" });
    assert.throws(() => open({ filters: ["nothing=1"] }), { code: "BAD_USAGE" });
    assert.throws(() => open({}).rows(["u.url"], 0, 1), { code: "BAD_USAGE" });
  });
});
