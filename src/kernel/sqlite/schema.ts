/** The ledger's tables in SQLite, and how a database records their version. */
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";

/** Each entry upgrades the tables by one version. Never change a released one: add the next. */
export type Migrations = readonly (string | ((db: DatabaseSync) => void))[];

export const LEDGER_MIGRATIONS: Migrations = [
  `CREATE TABLE urls (
     id INTEGER PRIMARY KEY,
     url TEXT NOT NULL,
     verdict TEXT NOT NULL,          -- crawl, record or skip
     reason TEXT,                    -- why it is not crawled
     rule TEXT,                      -- the setting or line that decided
     state TEXT,                     -- open, done or failed; null when there is nothing to fetch
     lane TEXT,
     place INTEGER NOT NULL,         -- in the queue
     depth INTEGER NOT NULL,
     parent INTEGER NOT NULL,        -- the url that found it first; 0 for a source
     via INTEGER NOT NULL,
     kind INTEGER NOT NULL,
     hops INTEGER NOT NULL,
     attempt INTEGER NOT NULL DEFAULT 0,
     not_before INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX urls_open ON urls (lane, place) WHERE state = 'open';
   CREATE TABLE lanes (key TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
];

/** Upgrades one part of a database to the newest version; refuses a newer one. */
export function migrate(db: DatabaseSync, part: string, migrations: Migrations): void {
  db.exec("CREATE TABLE IF NOT EXISTS schema_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
  if (versionOf(db, part) === migrations.length) return;
  // Read again inside the transaction: another process may have upgraded it in the meantime.
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(db, part);
    refuseNewer(version, migrations);
    for (const step of migrations.slice(version)) {
      if (typeof step === "string") db.exec(step);
      else step(db);
    }
    db.prepare("INSERT OR REPLACE INTO schema_versions VALUES (?, ?)").run(part, migrations.length);
    db.exec("COMMIT");
  } catch (error) {
    // SQLite has done it itself if the disk is full.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** For readers: tables of a later version may have another meaning. A database without tables passes. */
export function checkVersion(db: DatabaseSync, part: string, migrations: Migrations): void {
  if (hasTable(db, "schema_versions")) refuseNewer(versionOf(db, part), migrations);
}

/** Whether a part has ever been written to the database. */
export const hasPart = (db: DatabaseSync, part: string): boolean =>
  hasTable(db, "schema_versions") && versionOf(db, part) > 0;

/** For readers that need the tables as they are now: throws `error` if they are older and nobody can upgrade them. */
export function requireVersion(db: DatabaseSync, part: string, migrations: Migrations, error: unknown): void {
  const version = hasTable(db, "schema_versions") ? versionOf(db, part) : 0;
  refuseNewer(version, migrations);
  if (version < migrations.length) throw error;
}

export const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function refuseNewer(version: number, migrations: Migrations): void {
  if (version > migrations.length) throw new TrawlError("STORE_TOO_NEW");
}

function versionOf(db: DatabaseSync, part: string): number {
  const row = db.prepare("SELECT version FROM schema_versions WHERE part = ?").get(part);
  return Number(row?.["version"] ?? 0);
}

/** Opens a database for its single writer. */
export function openForWriting(db: DatabaseSync): void {
  // Another process may lock the file for a moment (recovering the WAL, building an index): that must not end a crawl.
  db.exec("PRAGMA busy_timeout = 5000");
  // WAL lets others read while we write. With NORMAL, a killed process loses nothing; a power cut may undo the last
  // commits, but only whole ones and newest first, which is the kind of crash the ledger is built for.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000");
}
