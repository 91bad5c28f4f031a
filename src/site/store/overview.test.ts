import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { siteDatabase } from "../testing/site-database.ts";
import { overview } from "./overview.ts";
import { SiteReader } from "./reader.ts";
import { summarize } from "./summary.ts";

const site = (path: string) => `https://example.com${path}`;
const html = { content_type: "text/html", title_count: 1, indexable: "Yes" as const, word_count: 9 };
const took = (first: number, download: number) => ({
  time_total: 9_999,
  time_first_byte: first,
  time_download: download,
});

describe("overview", () => {
  it("of nothing is empty", (t) => {
    const reader = new SiteReader(siteDatabase(t, []));
    t.after(() => reader.close());
    const { depths, contentTypes, hosts, hostsTotal, responseTimes, duplicates } = overview(reader);
    assert.deepEqual([depths, contentTypes, hosts, hostsTotal], [[], [], [], 0]);
    assert.deepEqual(duplicates, { groups: 0, pages: 0, filter: ["duplicate=true"], largest: [] });
    assert.ok(responseTimes.every(({ count }) => count === 0));
  });

  it("counts by depth, type, indexability, host, time and content", (t) => {
    const reader = new SiteReader(
      siteDatabase(t, [
        {
          url: site("/"),
          depth: 0,
          page: { ...html, ...took(30, 20), status: 200, content_hash: "a", size_wire: 100 },
        },
        {
          url: site("/copy"),
          depth: 1,
          page: { ...html, ...took(30, 20.5), status: 304, content_hash: "a", size_wire: 10 },
        },
        { url: site("/copy2"), depth: 1, page: { ...html, status: 200, content_hash: "a" } },
        { url: site("/b"), depth: 1, page: { ...html, status: 200, content_hash: "b", ...took(20_000, 1) } },
        // Two empty pages are no duplicates of each other, nor are two error pages.
        { url: site("/e1"), depth: 1, page: { ...html, status: 200, content_hash: "e", word_count: 0 } },
        { url: site("/e2"), depth: 1, page: { ...html, status: 200, content_hash: "e", word_count: 0 } },
        {
          url: site("/x1"),
          depth: 1,
          page: { ...html, indexable: "No", indexability: "client_error", status: 404, content_hash: "x" },
        },
        {
          url: site("/x2"),
          depth: 2,
          page: { ...html, indexable: "No", indexability: "server_error", status: 500, content_hash: "x" },
        },
        {
          url: site("/r"),
          depth: 2,
          page: { status: 301, indexable: "No", indexability: "redirect", ...took(1, 1), from_cache: 1 },
        },
        {
          url: site("/down"),
          depth: 2,
          state: "failed",
          page: { error: "reset", indexable: "No", indexability: "no_response" },
        },
        {
          url: "http://cdn.example.com:8080/i.png?a=/b",
          depth: 1,
          page: { status: 200, content_type: "image/png", size_wire: 50 },
        },
        { url: "https://other.test/", depth: 1, verdict: "record", reason: "external" },
        { url: "https://other.test/2", depth: 1, verdict: "record", reason: "external" },
      ]),
    );
    t.after(() => reader.close());
    const all = overview(reader);
    assert.deepEqual(all.summary, summarize(reader, 20));
    const classes = { ok: 0, redirect: 0, clientError: 0, serverError: 0, noAnswer: 0 };
    assert.deepEqual(
      all.depths.map(({ filter: _, ...row }) => row),
      [
        { ...classes, depth: 0, crawled: 1, ok: 1 },
        { ...classes, depth: 1, crawled: 7, ok: 6, clientError: 1 },
        { ...classes, depth: 2, crawled: 3, redirect: 1, serverError: 1, noAnswer: 1 },
      ],
    );
    const plain = (rows: object[]) => rows.map((row) => Object.values({ ...row, filter: [] }).flat());
    assert.deepEqual(plain(all.contentTypes), [
      ["text/html", 8, 110],
      [null, 1, 0],
      ["image/png", 1, 50],
    ]);
    assert.deepEqual(plain(all.indexability), [["Yes", null, 6]]);
    assert.deepEqual(plain(all.hosts), [
      ["example.com", 10, 10, 3, 1, 110],
      ["other.test", 2, 0, 0, 0, 0],
      ["cdn.example.com:8080", 1, 1, 0, 0, 50],
    ]);
    assert.deepEqual(
      all.responseTimes.filter(({ count }) => count > 0),
      [
        { upTo: 50, count: 1, filter: ["timeServer<=50"] },
        { upTo: 100, count: 1, filter: ["timeServer>50", "timeServer<=100"] },
        { upTo: null, count: 1, filter: ["timeServer>10000"] },
      ],
    );
    assert.deepEqual(all.duplicates, {
      groups: 1,
      pages: 3,
      filter: ["duplicate=true"],
      largest: [{ contentHash: "a", count: 3, example: site("/"), filter: ["duplicate=true", "contentHash=a"] }],
    });
  });
});
