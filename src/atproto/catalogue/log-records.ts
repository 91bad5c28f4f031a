/**
 * The records in writers' logs, for a reader. A full log has 65,536 records: sorting them takes 40 ms, and finding one
 * in an unsorted log takes less than one. So they are sorted only for readers that look up many.
 */
import { foldRecord, isWhole, RECORD_BYTES } from "./catalogue-record.ts";
import { RecordBatch } from "./record-batch.ts";
import type { SortedRecords } from "./sorted-run.ts";

/** Look-ups after which the records are sorted. */
const FEW = 16;

export class LogRecords implements SortedRecords {
  readonly #logs: readonly Buffer[];
  #sorted: RecordBatch | null = null;
  #finds = 0;

  /** Each as it is on the disk; the last record of one may be torn. */
  constructor(logs: readonly Buffer[] = []) {
    this.#logs = logs.filter(({ length }) => length >= RECORD_BYTES);
  }

  /** A DID that was put twice counts twice. */
  get count(): number {
    return this.#logs.reduce((sum, { length }) => sum + Math.floor(length / RECORD_BYTES), 0);
  }

  find(key: Buffer): Buffer | null {
    if (this.#sorted !== null || ++this.#finds > FEW) return this.#batch().find(key);
    let found: Buffer | null = null;
    for (const log of this.#logs) {
      for (let at = log.indexOf(key); at >= 0; at = log.indexOf(key, at + 1)) {
        if (at % RECORD_BYTES !== 0 || at + RECORD_BYTES > log.length || !isWhole(log, at)) continue;
        if (found === null) found = Buffer.from(log.subarray(at, at + RECORD_BYTES));
        else foldRecord(found, log, at);
      }
    }
    return found;
  }

  *blocks(): Generator<{ bytes: Buffer; length: number }> {
    yield* this.#batch().blocks();
  }

  #batch(): RecordBatch {
    if (this.#sorted === null) {
      this.#sorted = new RecordBatch();
      for (const log of this.#logs) this.#sorted.addLog(log);
    }
    return this.#sorted;
  }
}
