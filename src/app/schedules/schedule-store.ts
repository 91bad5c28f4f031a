/** Schedules, their runs, and webhook messages waiting to be sent: in the registry, beside their projects. */
import { DatabaseSync } from "node:sqlite";
import { openForReading } from "../../kernel/sqlite/open-reading.ts";
import { hasPart, type Migrations, migrate, openForWriting, requireVersion } from "../../kernel/sqlite/schema.ts";
import { isOutOfReach, openStore } from "../../kernel/sqlite/store-error.ts";
import type { AddressClass } from "../../net/connection/egress.ts";
import { hostAndPort } from "../../net/origin.ts";
import type { RUN_STATES, ScheduleRule } from "../operations/schedules.ts";

const MIGRATIONS: Migrations = [
  `CREATE TABLE schedules (
     project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
     rule TEXT NOT NULL,              -- JSON
     due_at INTEGER,                  -- the time the expression means; null when none comes
     next_run_at INTEGER,             -- the same, with jitter; null when switched off
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE schedule_runs (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     project_id INTEGER NOT NULL REFERENCES schedules (project_id) ON DELETE CASCADE,
     due_at INTEGER NOT NULL, at INTEGER NOT NULL,
     crawl_id INTEGER, state TEXT NOT NULL, message TEXT
   ) STRICT;
   CREATE INDEX schedule_runs_project ON schedule_runs (project_id, id);
   CREATE TABLE webhook_messages (
     run_id INTEGER PRIMARY KEY REFERENCES schedule_runs (id) ON DELETE CASCADE,
     url TEXT NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL,
     tries INTEGER NOT NULL,
     next_try_at INTEGER,             -- null when it was sent or given up
     outcome TEXT                     -- what came of it, in words
   ) STRICT;`,
  // Where a webhook's host:port was when it first answered: on a private network, or on the internet.
  "CREATE TABLE webhook_receivers (host TEXT PRIMARY KEY, is_private INTEGER NOT NULL) STRICT;",
  // A JSON array of address classes; null for a receiver that answered an older version.
  "ALTER TABLE webhook_receivers ADD COLUMN classes TEXT;",
  // Whether the person who made the schedule was allowed to start a crawl inside this machine's network.
  "ALTER TABLE schedules ADD COLUMN may_start_private INTEGER NOT NULL DEFAULT 1;",
];

/** How many runs of one project are stored: enough to see a pattern, without growing forever. */
const KEPT_RUNS = 50;

export type RunState = (typeof RUN_STATES)[number];

export interface ScheduleTimes {
  dueAt: number | null;
  nextRunAt: number | null;
}

export interface StoredSchedule extends ScheduleTimes {
  projectId: number;
  rule: ScheduleRule;
  /** Its crawls may do what the person who made it may do. */
  mayStartPrivate: boolean;
}

export interface StoredRun {
  id: number;
  projectId: number;
  dueAt: number;
  at: number;
  crawlId: number | null;
  state: RunState;
  message: string | null;
  /** The state of its message; null when it owes none. */
  webhook: string | null;
}

export interface WaitingMessage {
  runId: number;
  url: string;
  event: string;
  body: string;
  tries: number;
}

const SCHEDULE = `SELECT project_id AS projectId, rule, due_at AS dueAt, next_run_at AS nextRunAt,
  may_start_private AS mayStartPrivate FROM schedules`;
const RUN = `SELECT r.id, r.project_id AS projectId, r.due_at AS dueAt, r.at, r.crawl_id AS crawlId, r.state, r.message,
  m.outcome AS webhook FROM schedule_runs r LEFT JOIN webhook_messages m ON m.run_id = r.id`;

function prepare(db: DatabaseSync): void {
  openForWriting(db);
  db.exec("PRAGMA foreign_keys = ON");
  migrate(db, "schedules", MIGRATIONS);
}

/** A registry without the tables of schedules has no schedules. */
function readOnly(registryPath: string, error: unknown): DatabaseSync {
  const db = openStore(registryPath, () => {}, openForReading);
  if (hasPart(db, "schedules")) {
    requireVersion(db, "schedules", MIGRATIONS, error);
    return db;
  }
  db.close();
  const empty = new DatabaseSync(":memory:");
  prepare(empty);
  empty.exec("PRAGMA query_only = ON");
  return empty;
}

export class ScheduleStore {
  readonly #db: DatabaseSync;
  readonly #now: () => number;

  /** The registry must have been opened before: schedules refer to its projects. */
  constructor(registryPath: string, now: () => number) {
    this.#now = now;
    try {
      this.#db = openStore(registryPath, prepare);
    } catch (error) {
      // On a full or read-only disk, schedules can at least be listed.
      if (!isOutOfReach(error)) throw error;
      this.#db = readOnly(registryPath, error);
    }
  }

  all(): StoredSchedule[] {
    return this.#db.prepare(`${SCHEDULE} ORDER BY project_id`).all().map(storedSchedule);
  }

  get(projectId: number): StoredSchedule | null {
    const row = this.#db.prepare(`${SCHEDULE} WHERE project_id = ?`).get(projectId);
    return row === undefined ? null : storedSchedule(row);
  }

  set(projectId: number, rule: ScheduleRule, { dueAt, nextRunAt }: ScheduleTimes, mayStartPrivate = true): void {
    const now = this.#now();
    this.#db
      .prepare(
        `INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id) DO UPDATE SET rule = excluded.rule,
           due_at = excluded.due_at, next_run_at = excluded.next_run_at, updated_at = excluded.updated_at,
           may_start_private = excluded.may_start_private`,
      )
      .run(projectId, JSON.stringify(rule), dueAt, nextRunAt, now, now, Number(mayStartPrivate));
    // Saving the receiver again confirms its current address.
    if (rule.webhook !== null) {
      this.#db.prepare("DELETE FROM webhook_receivers WHERE host = ?").run(hostAndPort(rule.webhook));
    }
  }

  remove(projectId: number): boolean {
    return this.#db.prepare("DELETE FROM schedules WHERE project_id = ?").run(projectId).changes > 0;
  }

  /** Claims a run that is due, and sets the next. False when another process claimed it, or the schedule was changed. */
  claim({ projectId, nextRunAt }: StoredSchedule, next: ScheduleTimes): boolean {
    const { changes } = this.#db
      .prepare("UPDATE schedules SET due_at = ?, next_run_at = ? WHERE project_id = ? AND next_run_at = ?")
      .run(next.dueAt, next.nextRunAt, projectId, nextRunAt);
    return changes === 1;
  }

  addRun(projectId: number, dueAt: number): number {
    const { lastInsertRowid } = this.#db
      .prepare("INSERT INTO schedule_runs (project_id, due_at, at, state) VALUES (?, ?, ?, 'started')")
      .run(projectId, dueAt, this.#now());
    this.#db
      .prepare(
        `DELETE FROM schedule_runs WHERE project_id = ? AND id NOT IN
           (SELECT id FROM schedule_runs WHERE project_id = ? ORDER BY id DESC LIMIT ${KEPT_RUNS})`,
      )
      .run(projectId, projectId);
    return Number(lastInsertRowid);
  }

  setCrawl(runId: number, crawlId: number): void {
    this.#db.prepare("UPDATE schedule_runs SET crawl_id = ? WHERE id = ?").run(crawlId, runId);
  }

  /** Ends a run, and stores its message in the same transaction, so that a crash cannot lose it. */
  endRun(
    runId: number,
    state: RunState,
    message: string | null,
    webhook: Omit<WaitingMessage, "runId" | "tries"> | null,
  ) {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      this.#db.prepare("UPDATE schedule_runs SET state = ?, message = ? WHERE id = ?").run(state, message, runId);
      if (webhook !== null) {
        this.#db
          .prepare("INSERT OR REPLACE INTO webhook_messages VALUES (?, ?, ?, ?, 0, ?, 'waiting')")
          .run(runId, webhook.url, webhook.event, webhook.body, this.#now());
      }
      this.#db.exec("COMMIT");
    } catch (error) {
      // If the disk is full, SQLite has already rolled back.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Newest first. */
  runs(projectId: number, limit: number): StoredRun[] {
    return this.#db
      .prepare(`${RUN} WHERE r.project_id = ? ORDER BY r.id DESC LIMIT ?`)
      .all(projectId, limit) as unknown as StoredRun[];
  }

  /** Runs whose crawl was started, but whose end is not yet recorded. */
  unfinishedRuns(): StoredRun[] {
    return this.#db.prepare(`${RUN} WHERE r.state = 'started' ORDER BY r.id`).all() as unknown as StoredRun[];
  }

  /** Claims a message that is due; it becomes available again after `leaseMs` if the process dies. */
  takeMessage(leaseMs: number): WaitingMessage | null {
    const now = this.#now();
    const row = this.#db
      .prepare(
        `UPDATE webhook_messages SET next_try_at = ?, tries = tries + 1 WHERE run_id =
           (SELECT run_id FROM webhook_messages WHERE next_try_at <= ? ORDER BY next_try_at LIMIT 1)
         RETURNING run_id AS runId, url, event, body, tries`,
      )
      .get(now + leaseMs, now);
    return (row as unknown as WaitingMessage | undefined) ?? null;
  }

  /** The result of an attempt; `nextTryAt` is null after the last one. */
  setMessageOutcome(runId: number, outcome: string, nextTryAt: number | null): void {
    this.#db
      .prepare("UPDATE webhook_messages SET outcome = ?, next_try_at = ? WHERE run_id = ?")
      .run(outcome, nextTryAt, runId);
  }

  /** The classes of a webhook's `host:port` when it was first connected to; null when it never was. */
  receiverClasses(host: string): AddressClass[] | null {
    const row = this.#db.prepare("SELECT is_private, classes FROM webhook_receivers WHERE host = ?").get(host);
    if (row === undefined) return null;
    if (row["classes"] !== null) return JSON.parse(row["classes"] as string) as AddressClass[];
    return row["is_private"] === 1 ? ["private", "loopback", "link-local"] : ["public"];
  }

  setReceiver(host: string, classes: readonly AddressClass[]): void {
    this.#db
      .prepare("INSERT OR REPLACE INTO webhook_receivers (host, is_private, classes) VALUES (?, ?, ?)")
      .run(host, classes.includes("public") ? 0 : 1, JSON.stringify(classes));
  }

  /** When the first message is due. */
  nextMessageAt(): number | null {
    const row = this.#db.prepare("SELECT min(next_try_at) AS at FROM webhook_messages").get();
    return (row!["at"] as number | null) ?? null;
  }

  close(): void {
    this.#db.close();
  }
}

const storedSchedule = (row: Record<string, unknown>): StoredSchedule => ({
  projectId: row["projectId"] as number,
  rule: JSON.parse(row["rule"] as string) as ScheduleRule,
  dueAt: row["dueAt"] as number | null,
  nextRunAt: row["nextRunAt"] as number | null,
  mayStartPrivate: row["mayStartPrivate"] === 1,
});
