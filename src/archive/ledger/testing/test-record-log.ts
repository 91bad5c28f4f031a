/** The smallest record log: a JSON line for each record, with its id. */
import { existsSync, readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { TestRecord } from "../../../kernel/testing/ledger-harness.ts";
import { AppendFile } from "../../../storage/append-file.ts";
import type { FileSystem } from "../../../storage/file-system.ts";
import type { CommittedRecords, RecordLog, RecordMark } from "../record-log.ts";

export interface StoredRecord {
  id: number;
  record: TestRecord;
}

export class TestRecordLog implements RecordLog<StoredRecord> {
  readonly #file: AppendFile;
  #sum = 0;

  private constructor(file: AppendFile) {
    this.#file = file;
  }

  static async open(path: string, fs?: FileSystem): Promise<TestRecordLog> {
    const log = new TestRecordLog(await AppendFile.open(path, fs));
    log.#sum = crc32(await log.#file.read(0, log.#file.length));
    return log;
  }

  get mark(): RecordMark {
    return { bytes: this.#file.length, sum: this.#sum };
  }

  async append(records: readonly StoredRecord[]): Promise<RecordMark> {
    if (records.length === 0) return this.mark;
    const bad = records.findIndex(({ record }) => record.text === null);
    const good = bad < 0 ? records : records.slice(0, bad);
    const bytes = Buffer.from(good.map((record) => `${JSON.stringify(record)}\n`).join(""));
    await this.#file.append(bytes);
    // Earlier records stay in the log: the ledger must notice that they do not count.
    if (bad >= 0) throw new Error("unstorable");
    this.#sum = crc32(bytes, this.#sum);
    return this.mark;
  }

  async recover({ mark, isClosed }: CommittedRecords): Promise<void> {
    if (mark === null) return;
    const kept = await this.#file.read(0, mark.bytes);
    const isIntact = kept.length === mark.bytes && (mark.sum === null || mark.sum === crc32(kept));
    if (!isIntact || (isClosed && mark.bytes < this.#file.length)) throw new Error("the records are damaged");
    if (mark.bytes < this.#file.length) await this.#file.truncate(mark.bytes);
    this.#sum = crc32(kept);
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
