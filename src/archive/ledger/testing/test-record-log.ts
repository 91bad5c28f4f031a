/** The smallest record log: a JSON line for each record, with its id. */
import { existsSync, readFileSync } from "node:fs";
import type { TestRecord } from "../../../kernel/testing/ledger-harness.ts";
import { AppendFile } from "../../../storage/append-file.ts";
import type { FileSystem } from "../../../storage/file-system.ts";
import type { RecordLog } from "../file-ledger.ts";

export interface StoredRecord {
  id: number;
  record: TestRecord;
}

export class TestRecordLog implements RecordLog<StoredRecord> {
  readonly #file: AppendFile;

  private constructor(file: AppendFile) {
    this.#file = file;
  }

  static async open(path: string, fs?: FileSystem): Promise<TestRecordLog> {
    return new TestRecordLog(await AppendFile.open(path, fs));
  }

  get length(): number {
    return this.#file.length;
  }

  async append(records: readonly StoredRecord[]): Promise<number> {
    const bad = records.findIndex(({ record }) => record.text === null);
    const good = bad < 0 ? records : records.slice(0, bad);
    await this.#file.append(Buffer.from(good.map((record) => `${JSON.stringify(record)}\n`).join("")));
    // Earlier ones stay in the log: the ledger must notice that they do not count.
    if (bad >= 0) throw new Error("unstorable");
    return this.length;
  }

  async truncateTo(length: number): Promise<void> {
    if (length < this.length) await this.#file.truncate(length);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

export function readRecords(path: string): StoredRecord[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as StoredRecord);
}
