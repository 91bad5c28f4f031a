import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { siteDatabase } from "../testing/site-database.ts";
import { SiteReader } from "./reader.ts";
import { summarize } from "./summary.ts";

const site = (path: string) => `https://example.com${path}`;
const html = { title_count: 1, indexable: "Yes" as const };

describe("summary", () => {
  it("of nothing is all zeros", (t) => {
    const reader = new SiteReader(siteDatabase(t, []));
    t.after(() => reader.close());
    const { discovered, crawled, open, pages, links, bytes, statuses, brokenUrls } = summarize(reader);
    assert.deepEqual([discovered, crawled, open, pages, links, bytes], [0, 0, 0, 0, 0, 0]);
    assert.deepEqual([statuses, brokenUrls], [[], []]);
  });

  it("counts by verdict, status, error and reason, and names the broken and the slow", (t) => {
    const slow = { time_total: 900, time_first_byte: 800, time_download: 100.4 };
    const quick = { time_total: 30, time_first_byte: 10, time_download: 5 };
    const reader = new SiteReader(
      siteDatabase(t, [
        { url: site("/"), via: "initial", page: { ...html, ...quick, status: 200, link_count: 4, size_wire: 1_000 } },
        { url: site("/slow"), parent: 1, page: { ...html, ...slow, status: 200, link_count: 1, size_wire: 500 } },
        // Connecting is not the server's slowness, and the cache is nobody's.
        {
          url: site("/far"),
          parent: 1,
          page: { status: 200, time_total: 5_000, time_first_byte: 1, time_download: 1 },
        },
        { url: site("/cached"), parent: 1, page: { status: 200, ...slow, time_first_byte: 9_000, from_cache: 1 } },
        { url: site("/gone"), parent: 1, page: { status: 410 } },
        { url: site("/down"), parent: 2, state: "failed", page: { error: "reset" } },
        { url: site("/sitemap.xml"), via: "sitemap", kind: "sitemap", page: { status: 404 } },
        { url: site("/map.xml"), via: "sitemap", kind: "sitemap", parent: 7, page: { status: 404 } },
        { url: site("/open"), parent: 1, state: "open" },
        { url: site("/no"), parent: 1, verdict: "skip", reason: "nofollow" },
        {
          url: site("/c/9"),
          parent: 1,
          verdict: "skip",
          reason: "max_urls_per_pattern",
          rule: "maxUrlsPerPattern 2: /c/N",
        },
        {
          url: site("/c/8"),
          parent: 1,
          verdict: "skip",
          reason: "max_urls_per_pattern",
          rule: "maxUrlsPerPattern 2: /c/N",
        },
        { url: "https://other.test/", parent: 1, verdict: "record", reason: "external" },
      ]),
    );
    t.after(() => reader.close());
    const summary = summarize(reader, 2);
    const { discovered, crawled, open, recorded, skipped, errors, pages, links, bytes, broken } = summary;
    assert.deepEqual([discovered, crawled, open, recorded, skipped, errors], [13, 8, 1, 1, 3, 1]);
    assert.deepEqual([pages, links, bytes, broken], [2, 5, 1_500, 3]);
    const plain = (rows: object[]) => rows.map((row) => Object.values({ ...row, filter: [] }).flat());
    assert.deepEqual(plain(summary.statuses), [
      [200, 4],
      [404, 2],
      [410, 1],
    ]);
    assert.deepEqual(plain(summary.errorCodes), [["reset", 1]]);
    assert.deepEqual(plain(summary.reasons)[0], ["max_urls_per_pattern", 2]);
    assert.equal(summary.reasons.length, 3);
    assert.deepEqual(plain(summary.traps), [["maxUrlsPerPattern 2: /c/N", 2, site("/c/8")]]);
    assert.deepEqual(plain(summary.indexable), [[true, 2]], "of pages");
    assert.deepEqual(plain(summary.slowest), [
      [site("/slow"), 900],
      [site("/"), 15],
    ]);
    // The guessed /sitemap.xml is not among them; one that it names is.
    assert.deepEqual(plain(summary.brokenUrls), [
      [site("/gone"), 410, null, site("/")],
      [site("/down"), null, "reset", site("/slow")],
    ]);
  });
});
