/** The ledger on one SQLite connection, without threads: what runs inside the store thread. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { LaneState } from "../lane.ts";
import type { Known, Note, Recovered, Retried, Settled, TaskState } from "../ledger.ts";
import type { Action, Task } from "../task.ts";
import { type PackedAdmitted, unpackAdmitted } from "./pack.ts";
import { openPrivateDatabase } from "./private-files.ts";
import { LEDGER_MIGRATIONS, type Migrations, migrate, openForWriting } from "./schema.ts";

/** Stores a product's records in the same transaction as the queue. */
export interface RecordWriter<Rec> {
  write(id: number, record: Rec): void;
  /** Called when the crawl closes the database: the time to build indexes. */
  close(): void;
}

/** The default export of the module that the store thread loads to write a product's records. */
export interface RecordStore<Rec> {
  /** Name of its part in the schema versions. */
  part: string;
  migrations: Migrations;
  open(db: DatabaseSync): RecordWriter<Rec>;
}

/** A task as a row of the database: its meta as two numbers. */
export interface TaskRow extends Omit<Task, "meta"> {
  via: number;
  kind: number;
}

/** A batch as sent to the store thread. */
export interface PackedBatch<Rec> {
  admitted: PackedAdmitted;
  settled: Settled<Rec>[];
  retried: Retried[];
  lanes: [string, LaneState][];
  notes: Note[];
}

export class SqliteStore<Rec> {
  readonly #db: DatabaseSync;
  readonly #writer: RecordWriter<Rec> | null;
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #overrule: StatementSync;
  readonly #retry: StatementSync;
  readonly #lane: StatementSync;
  readonly #note: StatementSync;
  readonly #take: StatementSync;
  #failure: { error: unknown } | null = null;

  constructor(path: string, records: RecordStore<Rec> | null) {
    this.#db = openPrivateDatabase(path);
    openForWriting(this.#db);
    migrate(this.#db, "ledger", LEDGER_MIGRATIONS);
    if (records !== null) migrate(this.#db, records.part, records.migrations);
    this.#writer = records?.open(this.#db) ?? null;
    this.#insert = this.#db.prepare(
      `INSERT INTO urls (id, url, verdict, reason, rule, state, lane, place, depth, parent, via, kind, hops)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason, rule = excluded.rule,
         state = excluded.state, lane = excluded.lane, place = excluded.place, depth = excluded.depth, parent = excluded.parent,
         via = excluded.via, kind = excluded.kind, hops = excluded.hops
       WHERE urls.state IS NULL`,
    );
    this.#settle = this.#db.prepare("UPDATE urls SET state = ? WHERE id = ? AND state = 'open'");
    this.#overrule = this.#db.prepare(
      "UPDATE urls SET verdict = ?, reason = ?, rule = ?, state = NULL WHERE id = ? AND state = 'open'",
    );
    this.#retry = this.#db.prepare("UPDATE urls SET attempt = ?, not_before = ? WHERE id = ? AND state = 'open'");
    this.#lane = this.#db.prepare("INSERT OR REPLACE INTO lanes VALUES (?, ?)");
    this.#note = this.#db.prepare("INSERT OR REPLACE INTO notes VALUES (?, ?)");
    this.#take = this.#db.prepare(
      `SELECT id, place, url AS key, lane, depth, parent, via, kind, hops, attempt, not_before AS notBefore FROM urls
       WHERE state = 'open' AND lane = ? AND place > ? ORDER BY place LIMIT ?`,
    );
  }

  /** Everything known, oldest first. */
  *known(): Iterable<Known> {
    const rows = this.#db
      .prepare("SELECT id, place, url, lane, verdict, reason, state FROM urls ORDER BY id")
      .iterate();
    for (const row of rows) {
      yield {
        id: row["id"] as number,
        place: row["place"] as number,
        key: row["url"] as string,
        lane: (row["lane"] as string | null) ?? "",
        action: row["verdict"] as Action,
        reason: row["reason"] as string | null,
        state: row["state"] as TaskState | null,
      };
    }
  }

  recovered(): Recovered {
    const open = this.#db.prepare("SELECT lane, count(*) AS n FROM urls WHERE state = 'open' GROUP BY lane").all();
    const lanes = this.#db.prepare("SELECT key, state FROM lanes").all();
    const notes = this.#db.prepare("SELECT key, value FROM notes").all() as unknown as Note[];
    return {
      open: new Map(open.map((row) => [row["lane"] as string, row["n"] as number])),
      lanes: new Map(lanes.map((row) => [row["key"] as string, JSON.parse(row["state"] as string) as LaneState])),
      notes: new Map(notes.map((note) => [note.key, { key: note.key, value: note.value }])),
    };
  }

  commit(batch: PackedBatch<Rec>): void {
    // Batches build on each other: a batch given before its predecessor failed may settle tasks which that one admitted.
    if (this.#failure !== null) throw this.#failure.error;
    try {
      this.#db.exec("BEGIN IMMEDIATE");
      unpackAdmitted(batch.admitted, (row) => {
        const { action, reason, rule } = row.verdict;
        const crawl = action === "crawl";
        this.#insert.run(
          row.id,
          row.key,
          action,
          reason,
          rule,
          crawl ? "open" : null,
          crawl ? row.lane : null,
          row.place,
          row.depth,
          row.parent,
          row.via,
          row.kind,
          row.hops,
        );
      });
      for (const settled of batch.settled) this.#settleOne(settled);
      for (const { id, attempt, notBefore } of batch.retried) this.#retry.run(attempt, Math.round(notBefore), id);
      for (const [key, state] of batch.lanes) this.#lane.run(key, JSON.stringify(state));
      for (const { key, value } of batch.notes) this.#note.run(key, value);
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#failure = { error };
      // When the disk is full, SQLite has already rolled back; a second rollback would throw and hide the reason.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #settleOne({ id, state, verdict, record }: Settled<Rec>): void {
    const { changes } =
      verdict === null
        ? this.#settle.run(state, id)
        : this.#overrule.run(verdict.action, verdict.reason, verdict.rule, id);
    // A task that is not open was settled before: it has a record, and must not get a second one.
    if (changes !== 0 && record !== null) this.#writer?.write(id, record);
  }

  take(lane: string, after: number, max: number): TaskRow[] {
    return this.#take.all(lane, after, max) as unknown as TaskRow[];
  }

  close(): void {
    this.#writer?.close();
    // A long-running reader blocks the checkpoint; the next process that opens the file makes up for it.
    this.#db.exec("PRAGMA optimize; PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    this.#db.close();
  }
}
