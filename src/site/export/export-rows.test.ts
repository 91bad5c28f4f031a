import assert from "node:assert/strict";
import { test } from "node:test";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { type Row, SiteReader } from "../store/reader.ts";
import { siteDatabase } from "../testing/site-database.ts";
import { exportFields, exportFileName, exportLabel, exportPieces, exportRows, urlPieces } from "./export-rows.ts";

const textOf = (pieces: Iterable<{ bytes: Buffer }>): string =>
  [...pieces].map(({ bytes }) => bytes.toString()).join("");
const fields = ["url", "title"];
const cell = fc.option(
  fc.oneof(fc.string(), fc.constantFrom("=1+1", '"', "a\nb", ",", "-1", "\r", '\t"', "＝1", ""), fc.integer()),
);
const rows = fc.array(fc.record({ url: fc.string(), title: cell }, { noNullPrototype: true }), { maxLength: 600 });

test("rows in pieces are the same file as rows at once", () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (given: Row[], raw) => {
      const csv = textOf(urlPieces(given, { format: "csv", fields, raw }));
      assert.equal(csv, stringify(given, { header: true, columns: fields, escape_formulas: !raw }));
      const lines = textOf(urlPieces(given, { format: "jsonl", fields, raw }));
      assert.deepEqual(
        lines
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Row),
        given,
      );
    }),
    { numRuns: 25 },
  );
});

test("an empty export has its header; formulas are made harmless unless asked otherwise", () => {
  const form = { format: "csv" as const, fields, raw: false };
  assert.deepEqual([...urlPieces([], form)], [{ bytes: Buffer.from("url,title\n"), rows: 0 }]);
  assert.deepEqual([...urlPieces([], { ...form, format: "jsonl" })], []);
  assert.match(textOf(urlPieces([{ url: "u", title: "=A1" }], form)), /u,'=A1/);
  assert.match(textOf(urlPieces([{ url: "u", title: "=A1" }], { ...form, raw: true })), /u,=A1/);
});

test("a file is named after the site, its rows and the day, and its columns as they are on screen", () => {
  const day = Date.UTC(2026, 10, 17, 23, 59);
  assert.equal(exportFileName("example.com", "Broken", day, "csv"), "example.com-broken-2026-11-17.csv");
  assert.equal(
    exportFileName("127.0.0.1:4177", "Not indexable", day, "jsonl"),
    "127.0.0.1-4177-not-indexable-2026-11-17.jsonl",
  );
  assert.equal(exportFileName("a.test", '../"; x=\r\n', day, "csv"), "a.test-..-x-2026-11-17.csv");
  assert.equal(exportFileName("a.test", "Битые ссылки", day, "csv"), "a.test-битые-ссылки-2026-11-17.csv");
  assert.equal(exportLabel("urls", "redirect_to"), "Redirects to");
  assert.equal(exportLabel("links", "redirect_to"), "Redirect to");
  const form = { format: "csv" as const, fields, labels: ["URL", "Title"], raw: false };
  assert.equal(textOf(urlPieces([{ url: "u", title: "t" }], form)), "URL,Title\nu,t\n");
});

test("ending an export early ends the reading", (t) => {
  const urls = Array.from({ length: 2_000 }, (_, index) => ({ url: `https://a.test/${index}` }));
  const reader = new SiteReader(siteDatabase(t, urls));
  let read = 0;
  const counted = function* (): Generator<Row> {
    for (const row of exportRows(reader, { what: "urls", fields: ["url"], filters: [], search: null, sort: null })) {
      read++;
      yield row;
    }
  };
  const chunks = urlPieces(counted(), { format: "jsonl", fields: ["url"], raw: false });
  chunks.next();
  chunks.return(undefined);
  assert.ok(read < 300, String(read));
  reader.close();
});

test("urls come in the order that was asked for, however many; links have one order", (t) => {
  const urls = Array.from({ length: 600 }, (_, index) => ({ url: `https://a.test/${(index * 7) % 600}` }));
  const reader = new SiteReader(siteDatabase(t, urls));
  const query = { fields: ["url"], filters: ["url!=https://a.test/5"], search: null };
  const listed = (sort: string | null) =>
    [...exportRows(reader, { ...query, what: "urls", sort })].map(({ url }) => String(url));
  const found = listed(null);
  assert.equal(found.length, 599);
  assert.deepEqual(listed("url"), found.toSorted());
  assert.deepEqual(listed("-url"), found.toSorted().reverse());
  assert.throws(() => listed("colour"), { code: "BAD_USAGE" });
  const form = { format: "csv" as const, fields: ["url"], raw: false };
  assert.throws(() => exportPieces(reader, { ...query, what: "links", sort: "url" }, form), { code: "BAD_USAGE" });
  reader.close();
});

test("fields are checked against what there is, and all are taken when none is named", () => {
  assert.deepEqual(exportFields("urls", ["url"]), ["url"]);
  assert.ok(exportFields("links", null).includes("target"));
  assert.throws(
    () => exportFields("urls", ["target"]),
    (error) => error instanceof TrawlError && error.code === "BAD_USAGE",
  );
});
