import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SiteReader } from "../store/reader.ts";
import { listUrls } from "../testing/list-urls.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { FIELDS, fieldNamed } from "./fact-fields.ts";
import { fieldName, truthOf } from "./field-names.ts";

describe("names of fields", () => {
  it("are written as in JSON, and no two are the same", () => {
    assert.deepEqual(["found_on", "soft_404", "links_out", "url"].map(fieldName), [
      ...["foundOn", "soft404", "outlinks", "url"],
    ]);
    for (const { name } of FIELDS) assert.match(name, /^[a-z][a-zA-Z0-9]*$/);
    assert.equal(new Set(FIELDS.map(({ name }) => name)).size, FIELDS.length);
  });

  it("of 0.1 are still understood, and answered as they were asked for", (t) => {
    for (const { fact, name } of FIELDS) assert.equal(fieldNamed(fact), fieldNamed(name));
    const reader = new SiteReader(siteDatabase(t, [{ url: "https://a.test/", page: { word_count: 3, status: 200 } }]));
    t.after(() => reader.close());
    const query = { fields: ["word_count", "wordCount"], filters: ["word_count=3"], sort: "-word_count" };
    const rows = listUrls(reader, query);
    assert.deepEqual({ ...rows[0] }, { word_count: 3, wordCount: 3 });
  });

  it("Yes and No are booleans; what is only ever stored as Yes is false of all else that was fetched", (t) => {
    assert.deepEqual(["Yes", "No", "-", null].map(truthOf), [true, false, null, null]);
    const urls = [
      {
        url: "https://a.test/",
        page: { status: 200, title_count: 1, indexable: "Yes" as const, is_amp: "Yes" as const },
      },
      { url: "https://a.test/b", page: { status: 200, title_count: 1, indexable: "No" as const } },
      { url: "https://a.test/c", page: { status: 200, indexable: "-" as const } },
      { url: "https://a.test/d", verdict: "skip" as const },
    ];
    const reader = new SiteReader(siteDatabase(t, urls));
    t.after(() => reader.close());
    const all = { filters: [], search: null };
    assert.deepEqual(
      [...reader.each({ ...all, fields: ["indexable", "isAmp", "isPage", "orphan"] })].map((row) => Object.values(row)),
      [
        [true, true, true, null],
        [false, false, true, null],
        [null, false, false, null],
        [null, null, false, null],
      ],
      "orphans are known when the crawl has ended",
    );
    const found = (filter: string) => [...reader.each({ ...all, fields: ["url"], filters: [filter] })].length;
    assert.deepEqual(["isAmp=true", "isAmp=false", "isAmp=", "indexable!=true"].map(found), [1, 2, 1, 3]);
  });
});
