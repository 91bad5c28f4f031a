import assert from "node:assert/strict";
import { test } from "node:test";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { auditSettings } from "../audit/audit-settings.ts";
import { runAudit } from "../audit/run-audit.ts";
import { type Row, SiteReader } from "../store/reader.ts";
import { listUrls } from "../testing/list-urls.ts";
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
  assert.equal(exportLabel("urls", "redirectTo"), "Redirects to");
  assert.equal(exportLabel("links", "redirectTo"), "Redirect to");
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

test("urls come in the requested order, however many; links have one order", (t) => {
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

test("issues are written one row each, of all rules or one; a URL is found by what the audit found", (t) => {
  const page = { status: 200, content_type: "text/html", indexable: "Yes", title_count: 0, word_count: 5 } as const;
  const path = siteDatabase(t, [
    { url: "https://a.test/", page: { ...page, title: null } },
    { url: "https://a.test/b", page: { ...page, title: null } },
    { url: "https://a.test/c", page: { ...page, title: "Everything about c, and more", title_count: 1 } },
  ]);
  runAudit(path, { settings: auditSettings({ thresholds: [], ignoreRules: [] }), now: 0, previous: null });
  const reader = new SiteReader(path);
  t.after(() => reader.close());
  const fields = exportFields("issues", ["url", "issue", "severity", "rule"]);
  const written = (rule: string | null, filters: string[] = []) =>
    textOf(
      exportPieces(
        reader,
        { what: "issues", fields, filters, search: null, sort: null, rule },
        { format: "csv", fields, raw: false },
      ),
    );
  const head = "url,issue,severity,rule\n";
  const line = (path: string) => `https://a.test/${path},Missing title,error,title.missing\n`;
  assert.equal(written("title.missing"), `${head}${line("")}${line("b")}`);
  assert.equal(written("title.missing", ["url$=/b"]), `${head}${line("b")}`);
  assert.ok(written(null).split("\n").length > 4, "other rules found something, too");
  const urls = (filter: string) => listUrls(reader, { filters: [filter] }).map(({ url }) => url);
  assert.deepEqual(urls("issue=title.missing"), ["https://a.test/", "https://a.test/b"]);
  assert.deepEqual(urls("issue!=title.missing"), ["https://a.test/c"]);
  assert.ok(urls("issue=error || issue=warning").length >= 2);
  assert.ok(Number(listUrls(reader, { fields: ["issues"] })[0]!["issues"]) > 0);
});
