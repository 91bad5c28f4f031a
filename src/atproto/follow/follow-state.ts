/**
 * What follows from the events, by account: the newest rev, whether it is active, and whether it has to be fetched whole.
 * Everything but marks and laps can be rebuilt from the event segments: after a crash, reading continues from where it was.
 */

import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { backOff } from "../../kernel/back-off.ts";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { FOLLOW_FILE } from "../folder-files.ts";
import { CborReader } from "../repo/cbor-reader.ts";
import { readCommit } from "../repo/commit.ts";
import { CID_PREFIX } from "../repo/multibase.ts";
import type { MarkReason, StoredEvent } from "./event-format.ts";
import type { EventPlace } from "./event-segments.ts";

const MIGRATIONS: Migrations = [
  `CREATE TABLE accounts (
     did TEXT PRIMARY KEY,
     rev TEXT,                       -- of the newest commit among the events; null if there is none
     data BLOB,                      -- the CID of its tree
     fetched TEXT,                   -- the rev of the newest repo that was fetched whole, if one was
     status TEXT                     -- null when active; else as the source named it
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE marks (
     did TEXT PRIMARY KEY,
     reason TEXT NOT NULL,
     rev TEXT NOT NULL,              -- at least this rev is wanted; empty when that is not known
     marked_at INTEGER NOT NULL,     -- Unix ms
     attempts INTEGER NOT NULL,
     next_at INTEGER NOT NULL,       -- Unix ms
     detail TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX marks_due ON marks (next_at);
   CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  // When the status was learnt, in Unix microseconds: a crawl may have learnt another since.
  "ALTER TABLE accounts ADD COLUMN status_at INTEGER",
];

export interface FollowedAccount {
  rev: string | null;
  /** Binary CID of its tree. */
  data: Buffer | null;
  /** The rev of the newest repo that was fetched whole. */
  fetched: string | null;
  status: string | null;
}

export interface Mark {
  did: string;
  reason: MarkReason;
  rev: string;
  markedAt: number;
  attempts: number;
  nextAt: number;
  detail: string | null;
}

/** A repo that could not be fetched is tried again after ten minutes, then twice as long each time, at most a day. */
const RETRY = { firstMs: 10 * 60_000, maxMs: 24 * 60 * 60_000 };

type Name = "find" | "commit" | "status" | "fetched" | "mark" | "marked" | "note" | "getNote";

export class FollowState {
  readonly #db: DatabaseSync;
  readonly #statements: Record<Name, StatementSync>;

  constructor(folder: string) {
    const db = new DatabaseSync(join(folder, FOLLOW_FILE));
    openForWriting(db);
    migrate(db, "follow", MIGRATIONS);
    this.#db = db;
    this.#statements = {
      find: db.prepare("SELECT rev, data, fetched, status FROM accounts WHERE did = ?"),
      commit: db.prepare(
        `INSERT INTO accounts VALUES (?, ?, ?, NULL, NULL, NULL) ON CONFLICT (did) DO UPDATE SET rev = excluded.rev, data = excluded.data
         WHERE accounts.rev IS NULL OR accounts.rev < excluded.rev`,
      ),
      status: db.prepare(
        `INSERT INTO accounts VALUES (?, NULL, NULL, NULL, ?, ?) ON CONFLICT (did) DO UPDATE
         SET status = excluded.status, status_at = excluded.status_at`,
      ),
      fetched: db.prepare(
        "INSERT INTO accounts VALUES (?, NULL, NULL, ?, NULL, NULL) ON CONFLICT (did) DO UPDATE SET fetched = excluded.fetched",
      ),
      // A repo that is marked already keeps its next attempt: whoever sends nonsense must not have it fetched at once.
      mark: db.prepare(
        `INSERT INTO marks VALUES (?, ?, ?, ?, 0, ?, ?) ON CONFLICT (did) DO UPDATE
         SET rev = max(rev, excluded.rev), reason = excluded.reason`,
      ),
      marked: db.prepare("SELECT 1 FROM marks WHERE did = ?"),
      note: db.prepare("INSERT OR REPLACE INTO notes VALUES (?, ?)"),
      getNote: db.prepare("SELECT value FROM notes WHERE key = ?"),
    };
  }

  account(did: string): FollowedAccount | null {
    const row = this.#statements.find.get(did);
    if (row === undefined) return null;
    const { data, ...rest } = row as unknown as Omit<FollowedAccount, "data"> & { data: Uint8Array | null };
    return { ...rest, data: data === null ? null : Buffer.from(data) };
  }

  begin(): void {
    if (!this.#db.isTransaction) this.#db.exec("BEGIN IMMEDIATE");
  }

  rollBack(): void {
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  /** The events up to this place are in the segments, and have been applied. */
  commit(applied: EventPlace | null): void {
    this.begin();
    if (applied !== null) this.note("applied", JSON.stringify(applied));
    this.#db.exec("COMMIT");
  }

  get applied(): EventPlace {
    const value = this.getNote("applied");
    return value === null ? { segment: 0, offset: 0 } : (JSON.parse(value) as EventPlace);
  }

  /** What one stored event changes. Called in order and once for each, so that it can be done again from the segments. */
  apply(event: StoredEvent): void {
    this.begin();
    const { did, seenAt } = event;
    const now = Math.floor(seenAt / 1000);
    switch (event.kind) {
      case "commit": {
        const { rev = null, fetched = null } = this.account(did) ?? {};
        // Without signatures (Jetstream), the rev before is not told. What was fetched whole has everything up to its rev.
        const isSigned = event.commit.length > 0;
        const isCovered = event.since === rev || (fetched !== null && fetched >= event.since);
        if (isSigned && rev !== null && !isCovered) this.mark(did, "gap", event.rev, now, `after ${rev}`);
        this.#statements.commit.run(did, event.rev, treeOf(event.commit));
        break;
      }
      case "sync": {
        const { data = null, fetched = null } = this.account(did) ?? {};
        const isKnown = data?.equals(treeOf(event.commit)!) || (fetched !== null && fetched >= event.rev);
        if (!isKnown) this.mark(did, "sync", event.rev, now);
        break;
      }
      case "account":
        this.#statements.status.run(did, event.active ? null : event.status || "inactive", Math.floor(seenAt));
        break;
      case "mark":
        this.mark(did, event.reason, event.rev, now, event.detail);
        break;
      case "gap":
        // Who is behind, only a comparison with all revs can tell.
        this.note("gap", String(event.seq));
        break;
      case "identity":
    }
  }

  /** A whole repo of this rev was stored. */
  stored(did: string, rev: string): void {
    this.#statements.fetched.run(did, rev);
  }

  mark(did: string, reason: MarkReason, rev: string, now: number, detail: string | null = null): void {
    const at = Math.floor(now);
    this.#statements.mark.run(did, reason, rev, at, at, detail);
  }

  isMarked(did: string): boolean {
    return this.#statements.marked.get(did) !== undefined;
  }

  dueMarks(now: number, limit: number): Mark[] {
    const rows = this.#db
      .prepare("SELECT * FROM marks WHERE next_at <= ? ORDER BY next_at LIMIT ?")
      .all(Math.floor(now), limit);
    return rows.map(markOf);
  }

  /** The earliest next attempt of all marks; null when there are none. */
  nextDue(): number | null {
    return (this.#db.prepare("SELECT min(next_at) AS at FROM marks").get()?.["at"] as number | null) ?? null;
  }

  unmark(did: string): void {
    this.#db.prepare("DELETE FROM marks WHERE did = ?").run(did);
  }

  /** It could not be closed: later again. */
  postpone({ did, attempts }: Mark, now: number, detail: string | null): void {
    const next = Math.floor(now + backOff(RETRY, attempts + 1));
    this.#db
      .prepare("UPDATE marks SET attempts = attempts + 1, next_at = ?, detail = ? WHERE did = ?")
      .run(next, detail, did);
  }

  get marked(): number {
    return this.#db.prepare("SELECT count(*) AS many FROM marks").get()!["many"] as number;
  }

  note(key: string, value: string): void {
    this.#statements.note.run(key, value);
  }

  getNote(key: string): string | null {
    return (this.#statements.getNote.get(key)?.["value"] as string | undefined) ?? null;
  }

  /** Nothing of this account stays in the file. */
  forget(did: string): void {
    // Without these, the deleted text would stay in free pages of the file, and in its log.
    this.#db.exec("PRAGMA secure_delete = ON");
    this.begin();
    for (const table of ["accounts", "marks"]) this.#db.prepare(`DELETE FROM ${table} WHERE did = ?`).run(did);
    this.#db.prepare("UPDATE marks SET detail = NULL WHERE instr(detail, ?) > 0").run(did);
    // A sweep that stands at this account begins again.
    this.#db.prepare("DELETE FROM notes WHERE instr(value, ?) > 0").run(did);
    this.commit(null);
    this.#db.exec("VACUUM");
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.rollBack();
    this.#db.close();
  }
}

/** The CID of the tree that a signed commit names; null for a source without signatures. */
function treeOf(commit: Buffer): Buffer | null {
  if (commit.length === 0) return null;
  const { dataDigest } = readCommit(new CborReader(commit), 0, commit.length);
  return Buffer.concat([CID_PREFIX, commit.subarray(dataDigest, dataDigest + 32)]);
}

const markOf = (row: Record<string, unknown>): Mark => ({
  did: row["did"] as string,
  reason: row["reason"] as MarkReason,
  rev: row["rev"] as string,
  markedAt: row["marked_at"] as number,
  attempts: row["attempts"] as number,
  nextAt: row["next_at"] as number,
  detail: row["detail"] as string | null,
});
