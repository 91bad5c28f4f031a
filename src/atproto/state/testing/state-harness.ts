/** Harnesses for tests of cursor ledgers: a state, and a file of records that is written before it. */
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LedgerHarness, TestRecord } from "../../../kernel/testing/ledger-harness.ts";
import type { PlainMeta } from "../../../kernel/testing/samples.ts";
import type { CrawlState } from "../crawl-state.ts";
import { StateLedger } from "../cursor-ledger.ts";
import { SqliteState } from "../sqlite-state.ts";

export const TEST_CLASSES = ["test", "other"];

export const testLedger = (
  state: CrawlState,
  write: (id: number, record: TestRecord) => void,
): StateLedger<TestRecord, PlainMeta> =>
  new StateLedger<TestRecord, PlainMeta>({
    state,
    durable: async (record, id) => {
      if (record.text === null) throw new Error("unstorable");
      write(id, record);
    },
    endingOf: (ended) => ({
      failure: ended === "failed" ? "test" : null,
      isFinal: true,
      detail: null,
      host: null,
      retryAt: Number.MAX_SAFE_INTEGER,
    }),
    refusalOf: () => null,
  });

export interface Place {
  state(): CrawlState;
  /** Continues with what a crash leaves of the current state. */
  crash(): Promise<void>;
  dispose(): Promise<void>;
}

export async function stateHarness(place: Place): Promise<LedgerHarness> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-state-"));
  const records = join(folder, "records.jsonl");
  writeFileSync(records, "");
  let current: StateLedger<TestRecord, PlainMeta> | null = null;
  const abandoned: StateLedger<TestRecord, PlainMeta>[] = [];
  return {
    ledger() {
      let isDead = false;
      const ledger = testLedger(place.state(), (id, record) => {
        if (!isDead) appendFileSync(records, `${JSON.stringify({ id, record })}\n`);
      });
      const close = ledger.close.bind(ledger);
      current = Object.assign(ledger, {
        close: () => {
          isDead = true;
          return close();
        },
      });
      return current;
    },
    async crash() {
      if (current !== null) {
        // It works in order: when this is answered it is not writing.
        await current.take("", 0, 1).catch(() => {});
        abandoned.push(current);
        current = null;
      }
      await place.crash();
    },
    async records() {
      const lines = readFileSync(records, "utf8").split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line) as { id: number; record: TestRecord });
    },
    async dispose() {
      if (current !== null) abandoned.push(current);
      for (const ledger of abandoned) await ledger.close().catch(() => {});
      await place.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "trawl-sqlite-state-"));
  let generation = 0;
  const path = () => join(folder, `${generation}.db`);
  return {
    state: () => new SqliteState(path()),
    /** A copy of the files while the database is open. */
    async crash() {
      const before = path();
      generation++;
      for (const end of ["", "-wal"]) if (existsSync(before + end)) copyFileSync(before + end, path() + end);
    },
    async dispose() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
