import assert from "node:assert/strict";
import { test } from "node:test";
import { stringify } from "csv-stringify/sync";
import { jsonLine } from "../../storage/json-line.ts";
import { KINDS } from "../links/link-kinds.ts";
import { LINK_FLAGS } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { LINK_FIELD_NAMES } from "../store/link-queries.ts";
import { showNamedViews } from "../store/named-views.ts";
import { SiteReader } from "../store/reader.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { type ExportFormat, exportPieces } from "./export-rows.ts";

const TEXTS = ["Read, more", '=SUM("a")', "two\nlines", "plain", "\u007f", "größe 🐟"];
const ALL_FLAGS = 2 * Math.max(...Object.values(LINK_FLAGS));
const PAGES = 60;
const LINKS = 100;

/** 6,000 links of every kind, place and mark, which is more than one piece, with texts that need quotes and numbers that do not follow each other. */
function manyLinks(t: Parameters<typeof siteDatabase>[0]): SiteReader {
  const urls = Array.from({ length: PAGES }, (_, page) => ({
    url: `https://a.test/${page}?a=1,"b"`,
    page:
      page % 7 === 0 ? undefined : { status: page % 5 === 0 ? 404 : 200, error: page % 11 === 0 ? "timeout" : null },
    reason: page % 3 === 0 ? "external" : null,
    texts: page === 1 ? TEXTS : [],
    firstText: 1,
    links: Array.from({ length: LINKS }, (_, link) => [
      ((page * 31 + link * 17) % PAGES) + 1,
      link % KINDS.length,
      link % LINK_POSITIONS.length,
      (page * 7 + link) % ALL_FLAGS,
      link % (TEXTS.length + 1),
      (link + 2) % (TEXTS.length + 1),
      (link + 4) % (TEXTS.length + 1),
    ]).flat(),
  }));
  return new SiteReader(siteDatabase(t, urls));
}

const exported = (reader: SiteReader, format: ExportFormat, fields: string[], filters: string[] = [], raw = false) => {
  const query = { what: "links" as const, fields, filters, search: null, sort: null };
  const pieces = [...exportPieces(reader, query, { format, fields, raw })];
  return {
    text: pieces.map(({ bytes }) => bytes.toString()).join(""),
    rows: pieces.reduce((sum, { rows }) => sum + rows, 0),
    pieces,
  };
};

test("links are written exactly as a join of the tables, CSV and JSON writers would", (t) => {
  const reader = manyLinks(t);
  showNamedViews(reader.db);
  const all = [...LINK_FIELD_NAMES];
  for (const fields of [
    all,
    all.toReversed(),
    ["target", "status"],
    ["type", "position", "rendered"],
    ["nofollow", "source", "position", "path", "type"],
    ["reason", "source", "text", "target", "nofollow"],
  ]) {
    for (const [filters, condition] of [
      [[], "1"],
      [["status=404"], "status = 404"],
      [["url~7"], "instr(target, '7') > 0"],
    ] as const) {
      const columns = fields.map((name) => `"${name}"`).join(", ");
      const rows = reader.db.prepare(`SELECT ${columns} FROM all_links WHERE ${condition}`).all();
      for (const raw of [true, false]) {
        const csv = exported(reader, "csv", fields, [...filters], raw);
        assert.equal(csv.text, stringify(rows, { header: true, columns: fields, escape_formulas: !raw }));
        assert.equal(csv.rows, rows.length);
      }
      assert.equal(exported(reader, "jsonl", fields, [...filters]).text, rows.map(jsonLine).join(""));
    }
  }
  assert.ok(exported(reader, "csv", all).pieces.length > 1);
  reader.close();
});

test("a crawl without links has a header, and a field named twice is one key of JSON", (t) => {
  const reader = manyLinks(t);
  const [line] = exported(reader, "jsonl", ["type", "type"]).text.split("\n");
  assert.equal(line, '{"type":"anchor"}');
  assert.match(exported(reader, "csv", ["type", "type"]).text, /^type,type\nanchor,anchor\n/);
  reader.close();
  const empty = new SiteReader(siteDatabase(t, [{ url: "https://a.test/" }]));
  assert.equal(exported(empty, "csv", ["type"]).text, "type\n");
  assert.equal(exported(empty, "jsonl", ["type"]).text, "");
  empty.close();
});

test("a field that links do not have is refused before anything is written", (t) => {
  const reader = manyLinks(t);
  for (const name of ["nothing", "constructor", 'target" --']) {
    assert.throws(() => exported(reader, "csv", [name]), { code: "BAD_USAGE" }, name);
  }
  reader.close();
});
