/** The site's tables, in the same file as the ledger's, one file per crawl; and the columns that the fact table adds to them. */
import type { DatabaseSync } from "node:sqlite";
import { hasTable, type Migrations } from "../../kernel/sqlite/schema.ts";
import {
  type Column,
  FIELD_FACT_COLUMNS,
  GRAPH_FACT_COLUMNS,
  PAGE_FACT_COLUMNS,
  RENDERED_FACT_COLUMNS,
} from "../facts/fact-rows.ts";

export const SITE_PART = "site";

/** Rebuilt after each audit. */
export const FINDINGS_INDEX = "CREATE INDEX findings_url ON findings (id)";

/**
 * Written history. A new fact needs no entry, because `addFactColumns` adds its column. It needs no version either,
 * because an older Trawl can read and write a table with columns that it does not know.
 */
export const SITE_MIGRATIONS: Migrations = [
  `CREATE TABLE pages (
     id INTEGER PRIMARY KEY REFERENCES urls (id),
     fetched_at INTEGER NOT NULL,
     status INTEGER, error TEXT, error_detail TEXT,
     content_type TEXT, charset TEXT, charset_source TEXT, http_version TEXT, remote_address TEXT,
     size_wire INTEGER, size INTEGER, truncated TEXT, from_cache INTEGER NOT NULL,
     etag TEXT, last_modified TEXT,
     redirect_to INTEGER,
     indexable TEXT NOT NULL, indexability TEXT, robots_meta TEXT, robots_header TEXT, canonical INTEGER,
     language TEXT, title TEXT, title_count INTEGER, description TEXT,
     h1 TEXT, h1_count INTEGER, h2 TEXT, h2_count INTEGER,
     word_count INTEGER, text_length INTEGER, content_hash TEXT,
     link_count INTEGER, links_truncated INTEGER,
     time_dns REAL, time_connect REAL, time_tls REAL, time_first_byte REAL, time_download REAL, time_total REAL,
     time_render REAL,
     attempts INTEGER NOT NULL,
     headers TEXT,
     first_link INTEGER                -- rowid of its first link; its links are the rows from there on
   ) STRICT;
   CREATE TABLE rendered (
     id INTEGER PRIMARY KEY REFERENCES urls (id),
     title TEXT, description TEXT, h1 TEXT, h1_count INTEGER, h2_count INTEGER, word_count INTEGER, content_hash TEXT,
     robots_meta TEXT, canonical TEXT, link_count INTEGER, final_url TEXT, redirected_to TEXT, settled INTEGER,
     requests INTEGER, requests_failed INTEGER, requests_blocked INTEGER, console_errors TEXT,
     time_navigate REAL, time_settle REAL
   ) STRICT;
   CREATE TABLE links (
     id INTEGER PRIMARY KEY,
     source INTEGER NOT NULL, target INTEGER NOT NULL,
     type INTEGER NOT NULL, position INTEGER NOT NULL, flags INTEGER NOT NULL,
     text INTEGER NOT NULL, context INTEGER NOT NULL, path INTEGER NOT NULL   -- rows of texts; 0 for none
   ) STRICT;
   CREATE TABLE texts (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;`,
  `CREATE TABLE bodies (
     id INTEGER PRIMARY KEY REFERENCES urls (id),
     html BLOB NOT NULL                -- UTF-8, zstd
   ) STRICT;`,
  `CREATE TABLE graph (id INTEGER PRIMARY KEY) STRICT;      -- of urls; its columns are facts
   CREATE TABLE audits (                -- one row: the last audit
     at INTEGER NOT NULL,
     settings TEXT NOT NULL,           -- JSON
     score REAL,
     indexable INTEGER NOT NULL        -- pages
   ) STRICT;
   CREATE TABLE audit_rules (
     number INTEGER PRIMARY KEY,
     rule TEXT NOT NULL, severity TEXT NOT NULL, priority TEXT NOT NULL,
     applies INTEGER NOT NULL,         -- URLs that it was judged for
     found INTEGER NOT NULL            -- findings
   ) STRICT;
   CREATE TABLE findings (
     rule INTEGER NOT NULL,            -- number in audit_rules
     id INTEGER NOT NULL,              -- of urls
     evidence TEXT,
     PRIMARY KEY (rule, id)
   ) STRICT, WITHOUT ROWID;
   ${FINDINGS_INDEX};`,
  `CREATE TABLE page_costs (            -- indexable pages with findings
     id INTEGER PRIMARY KEY,
     points INTEGER NOT NULL           -- what their findings cost them
   ) STRICT;
   CREATE TABLE compared_audits (       -- one row if there was an earlier crawl to compare with
     crawl INTEGER NOT NULL            -- its number
   ) STRICT;
   CREATE TABLE compared_rules (        -- rules that were judged in both
     number INTEGER PRIMARY KEY,
     new INTEGER NOT NULL, back INTEGER NOT NULL, fixed INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE changed_findings (      -- findings of compared rules that the earlier crawl did not have
     rule INTEGER NOT NULL, id INTEGER NOT NULL,
     state INTEGER NOT NULL,           -- 0 new, 1 back again
     PRIMARY KEY (rule, id)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE past_findings (         -- of earlier crawls, not found in this one
     number INTEGER PRIMARY KEY,
     rule TEXT NOT NULL, url TEXT NOT NULL, evidence TEXT,
     state INTEGER NOT NULL            -- 0 fixed in this crawl, 1 fixed before, 2 not looked at
   ) STRICT;
   CREATE INDEX past_findings_url ON past_findings (rule, url);`,
  "CREATE TABLE field_data (id INTEGER PRIMARY KEY) STRICT;  -- of urls; its columns are facts",
];

/** Built when the crawl closes the database: while it runs, they would cost more than everything else. */
export const SITE_INDEXES = `
  CREATE INDEX IF NOT EXISTS links_target ON links (target);
  CREATE INDEX IF NOT EXISTS urls_url ON urls (url);
  CREATE INDEX IF NOT EXISTS urls_parent ON urls (parent);
  CREATE INDEX IF NOT EXISTS urls_reason ON urls (reason, rule, verdict) WHERE reason IS NOT NULL;`;

const FACT_TABLES: [table: string, columns: readonly Column[]][] = [
  ["pages", PAGE_FACT_COLUMNS],
  ["rendered", RENDERED_FACT_COLUMNS],
  ["graph", GRAPH_FACT_COLUMNS],
  ["field_data", FIELD_FACT_COLUMNS],
];

/** Adds columns for facts that are newer than the database. Only its writer may call this. */
export function addFactColumns(db: DatabaseSync): void {
  const missing = FACT_TABLES.filter(([table]) => hasTable(db, table))
    .map(([table, columns]) => ({ table, columns: missingColumns(db, table, columns) }))
    .filter(({ columns }) => columns.length > 0);
  if (missing.length === 0) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const { table, columns } of missing) {
      db.exec(
        isEmpty(db, table) ? madeAgain(db, table, columns) : columns.map((each) => addColumn(table, each)).join(""),
      );
    }
    db.exec("COMMIT");
  } catch (error) {
    // If the disk is full, SQLite has already rolled back.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

const addColumn = (table: string, { name, type }: Column): string => `ALTER TABLE ${table} ADD COLUMN ${name} ${type};`;

const isEmpty = (db: DatabaseSync, table: string): boolean =>
  db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined;

/**
 * Creates a new crawl's table again with all its columns. SQLite reads the schema again for each column that is added,
 * which took longer than everything else that a server's main thread does to start a crawl.
 */
function madeAgain(db: DatabaseSync, table: string, columns: readonly Column[]): string {
  const made = db.prepare(
    "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type = 'index'",
  );
  const [own, ...indexes] = made.all(table).map(({ sql }) => String(sql));
  const end = own!.lastIndexOf(")");
  const added = columns.map(({ name, type }) => `, ${name} ${type}`).join("");
  return [`DROP TABLE ${table}`, `${own!.slice(0, end)}${added}${own!.slice(end)}`, ...indexes, ""].join(";\n");
}

/**
 * Shows the facts that a database lacks as null, to this connection only: readers cannot add columns. A temporary view takes
 * the place of the table; once the crawl's writer adds a column, the view shows that one.
 */
export function showFactColumns(db: DatabaseSync): void {
  for (const [table, columns] of FACT_TABLES) {
    if (!hasTable(db, table)) {
      // Older than the table, or empty.
      if (hasTable(db, "pages"))
        db.exec(`CREATE TEMP VIEW ${table} AS SELECT ${nulls(["id", ...columns.map(({ name }) => name)])} WHERE 0`);
      continue;
    }
    const missing = missingColumns(db, table, columns).map(({ name }) => `NULL AS ${name}`);
    if (missing.length > 0) db.exec(`CREATE TEMP VIEW ${table} AS SELECT *, ${missing.join(", ")} FROM main.${table}`);
  }
  // Older than the audit, so nothing was found.
  if (hasTable(db, "pages") && !hasTable(db, "findings")) {
    db.exec(`CREATE TEMP VIEW findings AS SELECT ${nulls(["rule", "id", "evidence"])} WHERE 0;
      CREATE TEMP VIEW audit_rules AS SELECT ${nulls(["number", "rule", "severity"])} WHERE 0`);
  }
}

const nulls = (names: string[]): string => names.map((name) => `NULL AS ${name}`).join(", ");

function missingColumns(db: DatabaseSync, table: string, columns: readonly Column[]): Column[] {
  const known = columnNames(db, "main", table);
  return columns.filter(({ name }) => !known.has(name));
}

export const columnNames = (db: DatabaseSync, schema: string, table: string): Set<string> =>
  new Set(
    db
      .prepare("SELECT name FROM pragma_table_info(?, ?)")
      .all(table, schema)
      .map((row) => String(row["name"])),
  );
