import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FIELD_NAMES } from "../facts/fact-fields.ts";
import { listUrls } from "../testing/list-urls.ts";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { type Row, SiteReader, type UrlQuery } from "./reader.ts";
import { SiteView } from "./view.ts";

/** Part by part. */
function parts(reader: SiteReader, sort: string | null, fields: string[], limit: number): Row[] {
  const view = SiteView.open(reader, { filters: [], search: null, sort });
  return Array.from({ length: Math.ceil(view.total / limit) }, (_, part) =>
    view.rows(fields, part * limit, limit),
  ).flat();
}

/** Many ties and many gaps. */
const someUrl = fc.record({
  status: fc.option(fc.constantFrom(200, 301, 404)),
  title: fc.option(fc.constantFrom("", "a", "A", "b", "ä", "'")),
  timeTotal: fc.option(fc.double({ min: 0, max: 3, noNaN: true })),
  fetched: fc.boolean(),
});

describe("reader: parts of a list", () => {
  it("hold every row once and in order, whatever ties and gaps there are", () => {
    const sorts = ["status", "title", "timeTotal", "url", "depth", "fetchedAt", "redirectTo"];
    const sort = fc.option(fc.constantFrom(...sorts, ...sorts.map((name) => `-${name}`)));
    fc.assert(
      fc.property(fc.array(someUrl, { maxLength: 25 }), sort, fc.integer({ min: 1, max: 7 }), (some, sort, limit) => {
        const cleanups: (() => void)[] = [];
        const urls = some.map(({ fetched, ...page }, index): FakeUrl => {
          const url = `https://example.com/${index}`;
          return fetched ? { url, depth: index % 3, page } : { url, depth: index % 3 };
        });
        const reader = new SiteReader(siteDatabase({ after: (clean) => cleanups.push(clean as () => void) }, urls));
        try {
          const name = sort?.replace("-", "") ?? "url";
          const all = parts(reader, sort, ["url", name], limit);
          assert.deepEqual(new Set(all.map((row) => row["url"])), new Set(urls.map(({ url }) => url)));
          assert.equal(all.length, urls.length, "none comes twice");
          if (sort !== null)
            assertSorted(
              all.map((row) => row[name]!),
              sort.startsWith("-"),
            );
          else
            assert.deepEqual(
              all.map((row) => row["url"]),
              urls.map(({ url }) => url),
            );
        } finally {
          reader.close();
          for (const clean of cleanups) clean();
        }
      }),
      { numRuns: 40 },
    );
  });

  function assertSorted(values: Row[string][], descending: boolean): void {
    const isEmpty = (value: Row[string]) => value === null || value === "";
    const firstEmpty = values.findIndex(isEmpty);
    if (firstEmpty >= 0) assert.ok(values.slice(firstEmpty).every(isEmpty), "what has no value comes last");
    const keys = values.filter((value) => value !== null && value !== "");
    // SQLite compares text by its bytes.
    const order = (a: NonNullable<Row[string]>, b: NonNullable<Row[string]>) =>
      typeof a === "number" && typeof b === "number" ? a - b : Buffer.compare(Buffer.from(`${a}`), Buffer.from(`${b}`));
    for (let index = 1; index < keys.length; index++) {
      const step = order(keys[index - 1]!, keys[index]!);
      assert.ok(descending ? step >= 0 : step <= 0, `${keys[index - 1]} before ${keys[index]}`);
    }
  }
});

describe("reader: text in URLs", () => {
  it("is found as people write it, in paths, hosts and titles", (t) => {
    const urls = [
      { url: "https://example.com/%E6%97%A5%E6%9C%AC%E8%AA%9E", page: { title: "A" } },
      { url: "https://xn--mnchen-3ya.de/", page: { title: "B" } },
      { url: "https://example.com/caf%C3%A9?q=a%20b", page: { title: "日本語" } },
    ];
    const reader = new SiteReader(siteDatabase(t, urls));
    t.after(() => reader.close());
    const found = (asked: Partial<UrlQuery>) => listUrls(reader, asked).map((row) => row["url"]);
    const [japanese, munich, cafe] = urls.map(({ url }) => url);
    assert.deepEqual(found({ search: "日本語" }), [japanese, cafe]);
    assert.deepEqual(found({ search: "%e6%97%a5" }), [japanese]);
    assert.deepEqual(found({ search: "CAFÉ?q=A b" }), [cafe]);
    assert.deepEqual(found({ search: "münchen.de" }), [munich]);
    assert.deepEqual(found({ filters: ["url~日本"] }), [japanese]);
    assert.deepEqual(found({ filters: ["url!~日本"] }), [munich, cafe]);
    assert.deepEqual(found({ search: "\ud800" }), [], "half a character is in no URL");
  });
});

describe("reader", () => {
  const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
    {
      url: "https://example.com/",
      via: "initial",
      kind: "start",
      page: { status: 200, title: "Grüße", redirect_to: 3 },
    },
    {
      url: "https://example.com/b",
      parent: 1,
      page: { status: 404, title: "HOME of lost", fetched_at: 1_700_000_000_123 },
    },
    {
      url: "https://example.com/c?HOME",
      parent: 1,
      verdict: "skip",
      reason: "nofollow",
      rule: "followInternalNofollow",
    },
  ]);
  const reader = new SiteReader(path);

  it("searches URL and title, in any case", () => {
    const found = (search: string) => listUrls(reader, { search }).map((row) => row["url"]);
    assert.deepEqual(found("home"), ["https://example.com/b", "https://example.com/c?HOME"]);
    assert.deepEqual(found("' OR 1=1 --"), []);
    assert.deepEqual(found("%"), []);
    assert.equal(listUrls(reader, { search: "" }).length, 3);
  });

  it("knows every field of the table", () => {
    const rows = listUrls(reader, { fields: [...FIELD_NAMES] });
    assert.deepEqual(Object.keys(rows[0]!), FIELD_NAMES);
    for (const name of FIELD_NAMES) {
      assert.equal(parts(reader, name, ["url"], 1).length, 3, name);
      assert.equal(parts(reader, `-${name}`, ["url"], 2).length, 3, name);
    }
    const [first, second] = rows;
    assert.deepEqual([first!["via"], first!["kind"], first!["foundOn"]], ["initial", "start", null]);
    assert.equal(first!["redirectTo"], "https://example.com/c?HOME");
    assert.deepEqual([second!["foundOn"], second!["fetchedAt"]], ["https://example.com/", "2023-11-14T22:13:20.123Z"]);
  });

  it("gives exports row by row, in the order of discovery", () => {
    const rows = [...reader.each({ fields: ["url", "reason"], filters: ["status="], search: null })];
    assert.deepEqual(rows, [
      Object.assign(Object.create(null), { url: "https://example.com/c?HOME", reason: "nofollow" }),
    ]);
  });

  it("refuses fields and sorts that do not exist, before any SQL is made of them", () => {
    const hostile = ['url" FROM urls; DROP TABLE urls; --', "u.url", "", "-", "__proto__", "toString"];
    for (const name of hostile) {
      assert.throws(() => listUrls(reader, { fields: [name] }), { code: "BAD_USAGE" }, name);
      assert.throws(() => listUrls(reader, { sort: name }), { code: "BAD_USAGE" }, name);
      assert.throws(() => [...reader.each({ fields: [name], filters: [], search: null })], { code: "BAD_USAGE" }, name);
    }
  });

  it("cannot write", () => {
    assert.throws(() => reader.db.exec("DELETE FROM urls"), /readonly/);
  });

  it("says so when the database is missing", () => {
    assert.throws(() => new SiteReader("/nowhere/crawl.db"), { code: "CRAWL_NOT_FOUND" });
  });
});
