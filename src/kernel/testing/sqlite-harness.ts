/** Places for SQLite ledgers to be tested in: with their thread, and without it where a thread a run would be slow. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Batch, Known, Ledger, Recovered } from "../ledger.ts";
import { SqliteLedger } from "../sqlite/ledger.ts";
import { packAdmitted } from "../sqlite/pack.ts";
import { SqliteStore } from "../sqlite/store.ts";
import type { Task } from "../task.ts";
import { RECORD_MODULE } from "./kill-child.ts";
import type { LedgerHarness, TestRecord } from "./ledger-harness.ts";
import { PLAIN_META, type PlainMeta } from "./samples.ts";
import testRecords, { readTestRecords } from "./test-records.ts";

export const threadedHarness = (): Promise<LedgerHarness> =>
  sqliteHarness((path) => new SqliteLedger(path, RECORD_MODULE, PLAIN_META));

export const directHarness = (): Promise<LedgerHarness> => sqliteHarness((path) => new DirectLedger(path));

/** The store as a ledger on this thread. */
class DirectLedger implements Ledger<TestRecord, PlainMeta> {
  readonly #path: string;
  #store: SqliteStore<TestRecord> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    this.#store = new SqliteStore(this.#path, testRecords);
    for (const known of this.#store.known()) onKnown(known);
    return this.#store.recovered();
  }

  async commit(batch: Batch<TestRecord, PlainMeta>): Promise<void> {
    this.#store!.commit({ ...batch, admitted: packAdmitted(batch.admitted, PLAIN_META), lanes: [...batch.lanes] });
  }

  async take(lane: string, after: number, max: number): Promise<Task<PlainMeta>[]> {
    const rows = this.#store!.take(lane, after, max);
    return rows.map(({ via, kind, ...task }) => ({ ...task, meta: { via, kind } }));
  }

  async close(): Promise<void> {
    this.#store!.close();
  }
}

async function sqliteHarness(make: (path: string) => Ledger<TestRecord, PlainMeta>): Promise<LedgerHarness> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-ledger-"));
  let generation = 0;
  let current: Ledger<TestRecord, PlainMeta> | null = null;
  const abandoned: Ledger<TestRecord, PlainMeta>[] = [];
  const path = () => join(folder, `${generation}.db`);
  return {
    ledger() {
      current = make(path());
      return current;
    },
    /**
     * Goes on with a copy of the files as they lie there while the database is open: what `kill -9` leaves, short of
     * a write under way. (`sqlite/kill.test.ts` kills in the middle of writes.)
     */
    async crash() {
      if (current !== null) {
        // The thread works in order: when this is answered it is not writing, and the copy is not torn.
        await current.take("", 0, 1).catch(() => {});
        abandoned.push(current);
        current = null;
      }
      const before = path();
      generation++;
      for (const end of ["", "-wal"]) if (existsSync(before + end)) copyFileSync(before + end, path() + end);
    },
    async records() {
      const db = new DatabaseSync(path());
      const rows = readTestRecords(db);
      db.close();
      return rows;
    },
    async dispose() {
      if (current !== null) abandoned.push(current);
      for (const ledger of abandoned) await ledger.close().catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
