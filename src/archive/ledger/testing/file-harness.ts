/** A place for tests of file ledgers. A crash continues with a copy of the files as they are. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../kernel/clock.ts";
import type { Batch, Known, Ledger, Recovered, TaskState } from "../../../kernel/ledger.ts";
import type { Task } from "../../../kernel/task.ts";
import type { LedgerHarness, TestRecord } from "../../../kernel/testing/ledger-harness.ts";
import { PLAIN_META, type PlainMeta } from "../../../kernel/testing/samples.ts";
import type { FileSystem } from "../../../storage/file-system.ts";
import { FileLedger } from "../file-ledger.ts";
import { ledgerPaths } from "../ledger-files.ts";
import { readRecords, type StoredRecord, TestRecordLog } from "./test-record-log.ts";

export interface FileHarness extends LedgerHarness {
  /** The folder of the ledger's current files. */
  readonly folder: string;
  /** The notices of the ledgers. */
  readonly notices: string[];
}

export const RECORDS_FILE = "records.jsonl";

/** `change` alters the copied files as a crash may. */
export function fileHarness(change: (folder: string) => void = () => {}): FileHarness {
  const root = mkdtempSync(join(tmpdir(), "trawl-files-"));
  let generation = 0;
  const ledgers: TestLedger[] = [];
  const notices: string[] = [];
  const folder = () => join(root, `${generation}`);
  mkdirSync(folder());
  return {
    notices,
    get folder() {
      return folder();
    },
    ledger() {
      const ledger = new TestLedger(folder(), (text) => notices.push(text));
      ledgers.push(ledger);
      return ledger;
    },
    async crash() {
      const before = folder();
      generation++;
      mkdirSync(folder());
      // The seal and the commits are copied first, so anything written to the other files in the meantime is after the
      // last commit.
      const first = ["commits.jsonl", "seal.json"];
      const names = readdirSync(before).sort((a, b) => first.indexOf(b) - first.indexOf(a));
      for (const name of names) {
        if (existsSync(join(before, name))) copyFileSync(join(before, name), join(folder(), name));
      }
      change(folder());
    },
    records: async () => readRecords(join(folder(), RECORDS_FILE)),
    async dispose() {
      for (const ledger of ledgers) await ledger.close().catch(() => {});
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A file ledger whose records know their ids, which only tests need. */
export class TestLedger implements Ledger<TestRecord, PlainMeta> {
  readonly #folder: string;
  readonly #onNotice: (text: string) => void;
  readonly #fs: FileSystem | undefined;
  #records: TestRecordLog | null = null;
  #ledger: FileLedger<StoredRecord, PlainMeta> | null = null;

  constructor(folder: string, onNotice: (text: string) => void, fs?: FileSystem) {
    this.#fs = fs;
    this.#folder = folder;
    this.#onNotice = onNotice;
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    this.#records = await TestRecordLog.open(join(this.#folder, RECORDS_FILE), this.#fs);
    this.#ledger = new FileLedger<StoredRecord, PlainMeta>({
      paths: ledgerPaths(this.#folder),
      records: this.#records,
      codec: PLAIN_META,
      pageType: (kind) => `kind ${kind}`,
      clock: systemClock,
      onNotice: this.#onNotice,
      fs: this.#fs,
    });
    try {
      return await this.#ledger.open(onKnown);
    } catch (error) {
      await this.#records.close();
      throw error;
    }
  }

  commit(batch: Batch<TestRecord, PlainMeta>): Promise<void> {
    const settled = batch.settled.map(({ record, ...rest }) => ({
      ...rest,
      record: record === null ? null : { id: rest.id, record },
    }));
    return this.#ledger!.commit({ ...batch, settled });
  }

  take(lane: string, after: number, max: number): Promise<Task<PlainMeta>[]> {
    return this.#ledger!.take(lane, after, max);
  }

  stateOf(id: number): TaskState | null {
    return this.#ledger!.stateOf(id);
  }

  async close(): Promise<void> {
    await this.#ledger?.close();
    await this.#records?.close();
    this.#records = null;
  }
}
