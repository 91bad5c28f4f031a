/** A database that an earlier version of Trawl wrote, before the fact table added columns. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { it, type TestContext } from "node:test";
import { LEDGER_MIGRATIONS, migrate } from "../../kernel/sqlite/schema.ts";
import { exportFields, exportRows, urlPieces } from "../export/export-rows.ts";
import { FIELD_NAMES } from "../facts/fact-fields.ts";
import { BODY_COLUMNS } from "../facts/fact-rows.ts";
import { listUrls } from "../testing/list-urls.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { Baseline } from "./baseline.ts";
import { Comparison } from "./compare.ts";
import { SiteReader } from "./reader.ts";
import { addFactColumns, SITE_MIGRATIONS, SITE_PART } from "./site-schema.ts";
import { guardedQuery } from "./sql/guarded-query.ts";
import { urlDetail } from "./url-detail.ts";
import { SiteView } from "./view.ts";

const DUMP = readFileSync(new URL("../testing/crawl-before-facts.sql", import.meta.url), "utf8");
const site = (path: string) => `http://127.0.0.1:8471${path}`;
const query = { filters: [] as string[], search: null, sort: null as string | null };

function olderCrawl(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "crawl.db");
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA foreign_keys = OFF; BEGIN; ${DUMP} COMMIT`);
  db.close();
  return path;
}

function openReader(t: TestContext, path: string): SiteReader {
  const reader = new SiteReader(path);
  t.after(() => reader.close());
  return reader;
}

it("an older crawl is listed, filtered, sorted and exported; facts it lacks are empty", (t) => {
  const reader = openReader(t, olderCrawl(t));
  const fields = [...FIELD_NAMES];
  const rows = listUrls(reader, { fields, filters: ["title=Home"] });
  assert.equal(rows.length, 1);
  assert.partialDeepStrictEqual(rows[0], { url: site("/"), wordCount: 8, next: site("/two"), hreflang: null });
  assert.equal(listUrls(reader, { filters: ["hreflang="] }).length, 7);
  assert.equal(listUrls(reader, { filters: ["canonicalCount>0"] }).length, 0);
  assert.equal(SiteView.open(reader, { ...query, sort: "-canonicalCount" }).rows(fields, 0, 10).length, 7);
  const [german] = listUrls(reader, { fields: ["refresh", "prev"], filters: ["url~/de"] });
  assert.deepEqual({ ...german }, { refresh: site("/two"), prev: null });
  const usual = exportFields("urls", null);
  const csv = [
    ...urlPieces(exportRows(reader, { ...query, what: "urls", fields: usual }), {
      format: "csv",
      fields: usual,
      raw: false,
    }),
  ]
    .map(({ bytes }) => bytes.toString())
    .join("");
  assert.equal(csv.trimEnd().split("\n").length, 8);
  const detail = urlDetail(reader, site("/two"));
  assert.partialDeepStrictEqual(detail.fields, { title: "Two", canonical: site("/"), prev: site("/"), hreflang: null });
});

it("an older crawl is compared by what both sides know", (t) => {
  const older = olderCrawl(t);
  const newer = siteDatabase(t, [
    { url: site("/"), page: { status: 200, title: "Home, sweet home", hreflang: "[]", canonical_count: 1 } },
  ]);
  const comparison = new Comparison(older, newer);
  t.after(() => comparison.close());
  const [home] = comparison.rows({
    ...query,
    change: "changed",
    effect: null,
    field: "title",
    limit: 1,
    cursor: null,
  }).rows;
  const differing = home!.fields.map(({ field }) => field);
  assert.ok(differing.includes("title") && !differing.includes("hreflang"), differing.join(" "));
});

it("an older crawl is a baseline, and can be asked in SQL", (t) => {
  const path = olderCrawl(t);
  const baseline = new Baseline(path);
  t.after(() => baseline.close());
  const { row } = baseline.page(site("/"))!;
  assert.equal(row.title, "Home");
  for (const column of BODY_COLUMNS) assert.notEqual(row[column], undefined, column);
  const answer = guardedQuery(path, "SELECT title, hreflang FROM pages WHERE id = 1", { rows: 1, bytes: 1_000 });
  assert.deepEqual(answer.rows, [["Home", null]]);
});

it("a reader that is open while a resumed crawl adds columns shows what is written there", (t) => {
  const path = olderCrawl(t);
  const reader = openReader(t, path);
  const asked = { fields: ["hreflang"], filters: [`url=${site("/")}`] };
  assert.equal(listUrls(reader, asked)[0]!["hreflang"], null);
  const writer = new DatabaseSync(path);
  addFactColumns(writer);
  addFactColumns(writer);
  writer.exec(`UPDATE pages SET hreflang = '[["de","/de"]]' WHERE id = 1`);
  writer.close();
  assert.equal(listUrls(reader, asked)[0]!["hreflang"], '[["de","/de"]]');
});

it("tables of a new crawl get the columns that tables with rows get, and keep their indexes", () => {
  const made = (fill: string): unknown[] => {
    const db = new DatabaseSync(":memory:");
    migrate(db, "ledger", LEDGER_MIGRATIONS);
    migrate(db, SITE_PART, SITE_MIGRATIONS);
    db.exec("CREATE INDEX pages_status ON pages (status)");
    db.exec(fill);
    addFactColumns(db);
    const columns = ["pages", "rendered"].map((table) => db.prepare(`PRAGMA table_info(${table})`).all());
    const indexes = db.prepare("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name").all();
    const rows = db.prepare("SELECT id, status FROM pages").all().length;
    db.close();
    return [columns, indexes, rows];
  };
  const row = `INSERT INTO pages (id, fetched_at, from_cache, indexable, attempts) VALUES (1, 0, 0, 'Yes', 1)`;
  const [columns, indexes] = made("");
  assert.deepEqual(made(`PRAGMA foreign_keys = OFF; ${row}`), [columns, indexes, 1]);
  assert.ok(JSON.stringify(indexes).includes("pages_status"));
});
