import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { siteDatabase } from "../../testing/site-database.ts";
import { guardedQuery, QueryError } from "./guarded-query.ts";

const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
  { url: "https://example.com/", page: { status: 200, title: "Home" } },
  { url: "https://example.com/a", page: { status: 404 } },
]);
const query = (sql: string, limits = { rows: 200, bytes: 1_000_000 }) => guardedQuery(path, sql, limits);

describe("a guarded query", () => {
  it("reads with all that SQLite offers for reading", () => {
    for (const [sql, rows] of [
      [
        "SELECT url, status FROM urls JOIN pages USING (id) ORDER BY id",
        [
          ["https://example.com/", 200],
          ["https://example.com/a", 404],
        ],
      ],
      ["/* a */ -- b\n WITH x AS (SELECT 1 AS n) SELECT n FROM x;", [[1]]],
      [
        "VALUES (1, 'a'), (2, NULL) ; -- that is all",
        [
          [1, "a"],
          [2, null],
        ],
      ],
      ["SELECT url, status, outcome FROM all_urls WHERE status >= 400", [["https://example.com/a", 404, "broken"]]],
      ["SELECT source, target, text FROM all_links", []],
      ["SELECT value FROM json_each('[1, 2]')", [[1], [2]]],
      ["SELECT 1, 1 ;;; ", [[1, 1]]],
      [
        "SELECT 9007199254740993, 1e999, -1e999, x'00ff', 0.5",
        [["9007199254740993", "Infinity", "-Infinity", "[2 bytes]", 0.5]],
      ],
      ["SELECT count(*) FROM sqlite_schema WHERE name = 'urls'", [[1]]],
    ] as const) {
      assert.deepEqual(query(sql).rows, rows, sql);
    }
    assert.deepEqual(query("SELECT id AS a, id AS a FROM urls").columns, ["a", "a"]);
    assert.ok(query("EXPLAIN QUERY PLAN SELECT * FROM urls WHERE url = 'x'").rows.length > 0);
  });

  it("that does anything else is refused, and nothing happens", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const before = readFileSync(path);
    const out = join(folder, "out.db");
    for (const sql of [
      "DELETE FROM urls",
      "delete from urls",
      "INSERT INTO urls (id) VALUES (9)",
      "UPDATE urls SET url = ''",
      "DROP TABLE urls",
      "CREATE TABLE x (y)",
      "CREATE TEMP TABLE x (y)",
      "CREATE TEMP VIEW x AS SELECT 1",
      "WITH x AS (SELECT 1) DELETE FROM urls",
      "WITH x AS (SELECT 1) INSERT INTO urls (id) SELECT 9",
      "WITH x AS (SELECT 1) UPDATE urls SET url = '' RETURNING id",
      "EXPLAIN DELETE FROM urls",
      "EXPLAIN QUERY PLAN DROP TABLE urls",
      `ATTACH '${out}' AS x`,
      "DETACH main",
      "PRAGMA table_info(urls)",
      "EXPLAIN PRAGMA writable_schema = ON",
      "SELECT * FROM pragma_table_info('urls')",
      "SELECT * FROM pragma_database_list",
      "SELECT * FROM pragma_journal_mode('delete')",
      `VACUUM INTO '${out}'`,
      "VACUUM",
      "REINDEX",
      "ANALYZE",
      "BEGIN",
      "COMMIT",
      "SAVEPOINT x",
      `SELECT load_extension('${out}')`,
      "SELECT LOAD_EXTENSION('x')",
      "SELECT readfile('/etc/passwd')",
      `SELECT writefile('${out}', 'x')`,
      "SELECT edit('x')",
      "SELECT fts3_tokenizer('simple')",
      "SELECT fts3_tokenizer('simple', x'0000')",
      "SELECT 1; SELECT 2",
      "SELECT 1; DELETE FROM urls",
      "SELECT 1; -- x\n DELETE FROM urls",
      "SELECT 1; /* x */ nonsense",
      "SELECT 1\0; DELETE FROM urls",
      "-- SELECT 1",
      "/* SELECT */ DELETE FROM urls",
      "/**/".repeat(20_000),
      "SELECTED",
      "",
      ";",
      "SELECT",
      "SELECT * FROM missing",
      "SELECT zeroblob(1000000000)",
      "SELECT printf('%999999999d', 1)",
      "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) SELECT max(length(s)) FROM t",
      `SELECT ${"1,".repeat(60_000)}1`,
    ]) {
      assert.throws(() => query(sql), QueryError, sql.slice(0, 80));
    }
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("opens the file for reading only: one that is not there is not made", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    assert.throws(() => guardedQuery(join(folder, "none.db"), "SELECT 1", { rows: 1, bytes: 100 }));
    assert.deepEqual(readdirSync(folder), []);
  });

  it("whatever it is made of, changes nothing and fails only with words for its author", () => {
    const words = fc.constantFrom(
      ..."SELECT WITH VALUES EXPLAIN DELETE INSERT INTO UPDATE SET FROM urls pages AS x ( ) ; , * 1 'a' -- /* */ PRAGMA ATTACH".split(
        " ",
      ),
      "RETURNING",
      "load_extension",
      "\n",
    );
    const before = readFileSync(path);
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        try {
          query(parts.join(" "));
        } catch (error) {
          assert.ok(error instanceof QueryError, String(error));
        }
      }),
      { numRuns: 300 },
    );
    assert.deepEqual(readFileSync(path), before);
  });

  it("stops at the limits of rows and bytes, and cuts long values, and says so", () => {
    const numbers = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t";
    const some = query(numbers, { rows: 3, bytes: 1_000_000 });
    assert.deepEqual([some.rows, some.truncated], [[[1], [2], [3]], true]);
    assert.equal(query("VALUES (1), (2), (3)", { rows: 3, bytes: 1_000 }).truncated, false);
    assert.ok(query(numbers, { rows: 10_000, bytes: 1_000 }).rows.length < 300);
    const long = query("SELECT printf('%.*c', 100000, 'x')");
    assert.deepEqual([String(long.rows[0]![0]).length, long.truncated], [20_001, true]);
  });
});
