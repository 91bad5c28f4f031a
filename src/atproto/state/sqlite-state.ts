/** The state in one SQLite file next to the segments: the default, which needs nothing else installed. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import type { LaneState } from "../../kernel/lane.ts";
import { cursorSource, type Note } from "../../kernel/ledger.ts";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import { type FileLock, isFileLocked, lockFile } from "../../storage/file-lock.ts";
import type {
  CrawlState,
  DidAtHost,
  Progress,
  RememberedState,
  SettledDid,
  StateChange,
  StateSummary,
} from "./crawl-state.ts";

interface Statements {
  settle: StatementSync;
  fail: StatementSync;
  forget: StatementSync;
}

const COUNTING = `
  CREATE TRIGGER did_added AFTER INSERT ON dids BEGIN
    INSERT INTO did_counts VALUES (ifnull(new.failure, ''), new.final, 1) ON CONFLICT DO UPDATE SET many = many + 1;
  END;
  CREATE TRIGGER did_changed AFTER UPDATE ON dids WHEN old.failure IS NOT new.failure OR old.final <> new.final BEGIN
    UPDATE did_counts SET many = many - 1 WHERE failure = ifnull(old.failure, '') AND final = old.final;
    INSERT INTO did_counts VALUES (ifnull(new.failure, ''), new.final, 1) ON CONFLICT DO UPDATE SET many = many + 1;
  END;
  CREATE TRIGGER did_removed AFTER DELETE ON dids BEGIN
    UPDATE did_counts SET many = many - 1 WHERE failure = ifnull(old.failure, '') AND final = old.final;
  END;`;

const MIGRATIONS: Migrations = [
  `CREATE TABLE dids (
     did TEXT PRIMARY KEY,
     failure TEXT,                   -- the error class; null when the repo is stored
     final INTEGER NOT NULL,         -- 1: not tried again by a later crawl
     detail TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE lanes (key TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE progress (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE failures (
     did TEXT NOT NULL,
     host TEXT NOT NULL,             -- empty when none was asked
     class TEXT NOT NULL,
     detail TEXT,
     failed_at INTEGER NOT NULL,     -- Unix ms
     retry_at INTEGER NOT NULL,      -- when this host may be asked again
     PRIMARY KEY (did, host)
   ) STRICT, WITHOUT ROWID;`,
  // `status` reads a dozen rows instead of every DID. The counts change in the transaction of what they count.
  `CREATE TABLE did_counts (
     failure TEXT NOT NULL,          -- the error class; empty for stored repos
     final INTEGER NOT NULL,
     many INTEGER NOT NULL,
     PRIMARY KEY (failure, final)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO did_counts SELECT ifnull(failure, ''), final, count(*) FROM dids GROUP BY 1, 2;
   ${COUNTING}`,
];

/** `status` holds the lock for a moment; that is not a reason to give up. */
const PATIENCE_MS = 250;

export class SqliteState implements CrawlState {
  readonly #path: string;
  #db: DatabaseSync | null = null;
  #lock: FileLock | null = null;
  #statements: Statements | null = null;
  readonly #clock: Clock;

  constructor(path: string, clock: Clock = systemClock) {
    this.#path = path;
    this.#clock = clock;
  }

  async take(): Promise<void> {
    ensureFolder(dirname(this.#path));
    this.#lock = lockFile(this.#lockPath, PATIENCE_MS);
    if (this.#lock === null) throw new TrawlError("STATE_BUSY", `Another process is crawling with ${this.#path}.`);
  }

  async read(): Promise<RememberedState> {
    const db = this.#database();
    const lanes = db.prepare("SELECT key, state FROM lanes").all();
    const notes = db.prepare("SELECT key, value FROM notes").all();
    return {
      progress: this.#progress(),
      lanes: new Map(lanes.map((row) => [row["key"] as string, JSON.parse(row["state"] as string) as LaneState])),
      notes: new Map(
        notes.map((row) => [row["key"] as string, { key: row["key"], value: row["value"] } as unknown as Note]),
      ),
    };
  }

  async commit({ settled, lanes, notes, progress }: StateChange): Promise<void> {
    this.#transaction((db) => {
      for (const each of settled) this.#settleOne(each);
      const lane = db.prepare("INSERT OR REPLACE INTO lanes VALUES (?, ?)");
      for (const [key, state] of lanes) lane.run(key, JSON.stringify(state));
      const note = db.prepare("INSERT OR REPLACE INTO notes VALUES (?, ?)");
      for (const { key, value } of notes) note.run(key, value);
      if (progress !== undefined) keepProgress(db, progress);
    });
  }

  async unsettled(claims: readonly DidAtHost[]): Promise<string[]> {
    const db = this.#database();
    const find = db.prepare("SELECT failure FROM dids WHERE did = ? AND final = 1");
    const failed = db.prepare("SELECT retry_at FROM failures WHERE did = ? AND host = ?");
    const now = this.#clock.now();
    const isLeft = ({ did, host }: DidAtHost): boolean => {
      const row = find.get(did);
      if (row === undefined) return true;
      if (row["failure"] === null) return false;
      // Another host may have what this one did not.
      const before = failed.get(did, host ?? "");
      return before === undefined || (before["retry_at"] as number) <= now;
    };
    return claims.filter(isLeft).map(({ did }) => did);
  }

  async markStored(dids: readonly string[]): Promise<string[]> {
    const find = this.#database().prepare("SELECT 1 FROM dids WHERE did = ? AND final = 1 AND failure IS NULL");
    const news = dids.filter((did) => find.get(did) === undefined);
    this.#transaction(() => {
      for (const did of news)
        this.#settleOne({ did, failure: null, isFinal: true, detail: null, host: null, retryAt: 0 });
    });
    return news;
  }

  async saveProgress(progress: Progress): Promise<void> {
    this.#transaction((db) => keepProgress(db, progress));
  }

  async clearCursors(): Promise<void> {
    this.#database().exec("DELETE FROM notes WHERE key LIKE 'cursor %'");
  }

  finish(): Promise<void> {
    return this.clearCursors();
  }

  async summary(): Promise<StateSummary> {
    const summary: StateSummary = {
      completed: 0,
      failed: {},
      cursors: {},
      segmentNumber: 0,
      stats: { total_crawled: 0, bytes_written: 0 },
      isRunning: this.#lock !== null || (existsSync(this.#lockPath) && isFileLocked(this.#lockPath)),
    };
    // Reading must not create a file.
    if (this.#db === null && !existsSync(this.#path)) return summary;
    const db = this.#database();
    for (const row of db.prepare("SELECT failure, final, many FROM did_counts WHERE many > 0").all()) {
      const many = row["many"] as number;
      const failure = row["failure"] as string;
      if (row["final"] === 1) summary.completed += many;
      if (failure !== "") summary.failed[failure] = (summary.failed[failure] ?? 0) + many;
    }
    for (const row of db.prepare("SELECT key, value FROM notes").all() as unknown as Note[]) {
      const source = cursorSource(row);
      if (source !== null) summary.cursors[source] = row.value;
    }
    return { ...summary, ...this.#progress() };
  }

  async forget(did: string): Promise<void> {
    if (this.#db === null && !existsSync(this.#path)) return;
    // Without these, the deleted text would stay in free pages of the file, and in its log.
    this.#database().exec("PRAGMA secure_delete = ON");
    this.#transaction((db) => {
      for (const table of ["dids", "failures"]) {
        db.prepare(`DELETE FROM ${table} WHERE did = ?`).run(did);
        // Why another repo failed may name this account.
        db.prepare(`UPDATE ${table} SET detail = NULL WHERE instr(detail, ?) > 0`).run(did);
      }
      // A source that was read up to this account is read from its beginning.
      db.prepare("DELETE FROM notes WHERE instr(value, ?) > 0").run(did);
    });
    this.#database().exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  async reset(): Promise<void> {
    if (this.#db === null && !existsSync(this.#path)) return;
    this.#transaction((db) => {
      // SQLite empties a table at once only if it has no triggers.
      for (const name of ["did_added", "did_changed", "did_removed"]) db.exec(`DROP TRIGGER ${name}`);
      for (const table of ["dids", "did_counts", "failures", "lanes", "notes", "progress"])
        db.exec(`DELETE FROM ${table}`);
      db.exec(COUNTING);
    });
  }

  async close(): Promise<void> {
    const db = this.#db;
    this.#db = null;
    this.#statements = null;
    db?.close();
    this.#lock?.release();
    this.#lock = null;
  }

  #progress(): Progress {
    const rows = this.#database().prepare("SELECT name, value FROM progress").all();
    const values = new Map(rows.map((row) => [row["name"] as string, row["value"] as number]));
    return {
      stats: {
        total_crawled: values.get("total_crawled") ?? 0,
        bytes_written: values.get("bytes_written") ?? 0,
      },
      segmentNumber: values.get("segment_num") ?? 0,
    };
  }

  get #lockPath(): string {
    return `${this.#path}.lock`;
  }

  #database(): DatabaseSync {
    if (this.#db !== null) return this.#db;
    try {
      const db = new DatabaseSync(this.#path);
      this.#db = db;
      openForWriting(db);
      migrate(db, "atproto", MIGRATIONS);
      this.#statements = {
        // What is stored stays stored, whatever becomes of a later attempt.
        settle: db.prepare(
          `INSERT INTO dids VALUES (?, ?, ?, ?) ON CONFLICT (did) DO UPDATE
           SET failure = excluded.failure, final = excluded.final, detail = excluded.detail
           WHERE dids.failure IS NOT NULL OR excluded.failure IS NULL`,
        ),
        fail: db.prepare("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?, ?)"),
        forget: db.prepare("DELETE FROM failures WHERE did = ?"),
      };
      return db;
    } catch (error) {
      if (error instanceof TrawlError) throw error;
      throw new TrawlError("STORE_FAILED", `${this.#path} cannot be opened: ${(error as Error).message}.`);
    }
  }

  #settleOne({ did, failure, isFinal, detail, host, retryAt }: SettledDid): void {
    const { settle, fail, forget } = this.#statements!;
    settle.run(did, failure, isFinal ? 1 : 0, detail);
    if (failure === null) forget.run(did);
    else fail.run(did, host ?? "", failure, detail, Math.floor(this.#clock.now()), Math.floor(retryAt));
  }

  #transaction(work: (db: DatabaseSync) => void): void {
    const db = this.#database();
    try {
      db.exec("BEGIN IMMEDIATE");
      work(db);
      db.exec("COMMIT");
    } catch (error) {
      // When the disk is full, SQLite has already rolled back; a second rollback would throw and hide the reason.
      if (db.isTransaction) db.exec("ROLLBACK");
      throw new TrawlError("STORE_FAILED", `${this.#path} could not be written: ${(error as Error).message}.`);
    }
  }
}

function keepProgress(db: DatabaseSync, { stats, segmentNumber }: Progress): void {
  const save = db.prepare("INSERT OR REPLACE INTO progress VALUES (?, ?)");
  for (const [name, value] of Object.entries({ ...stats, segment_num: segmentNumber })) save.run(name, value);
}
