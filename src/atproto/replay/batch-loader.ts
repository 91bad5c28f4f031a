/** Two batches of rows: one is on its way to the target, the other is filled. Bookmarks go with the batch they belong to. */
import type { Bookmark, Bookmarks } from "./bookmarks.ts";
import { RECORD_COLUMNS, RecordRows } from "./record-rows.ts";
import type { ReplayTarget } from "./schema.ts";
import { RECORDS_TABLE } from "./schema.ts";

/** Large enough for ClickHouse to insert well, small enough to hold two of them. */
const BATCH_ROWS = 50_000;
/** Fifty thousand records of a megabyte would be more than the memory of most machines. */
const BATCH_BYTES = 64 * 1024 * 1024;

type Mark = Omit<Bookmark, "collections">;

interface Batch {
  rows: RecordRows;
  marks: Map<string, Mark>;
}

const emptyBatch = (): Batch => ({ rows: new RecordRows(), marks: new Map() });

export class BatchLoader {
  readonly #target: ReplayTarget;
  readonly #bookmarks: Bookmarks;
  #filling = emptyBatch();
  #spare = emptyBatch();
  #onItsWay: Promise<void> = Promise.resolve();
  #sent = 0;

  constructor(target: ReplayTarget, bookmarks: Bookmarks) {
    this.#target = target;
    this.#bookmarks = bookmarks;
  }

  get rows(): RecordRows {
    return this.#filling.rows;
  }

  get isFull(): boolean {
    return this.rows.count >= BATCH_ROWS || this.rows.byteLength >= BATCH_BYTES;
  }

  /** Batches so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Everything up to here is in this batch or an earlier one. */
  mark(mark: Mark): void {
    this.#filling.marks.set(mark.segment, mark);
  }

  /** The segment was read to its end. */
  markDone(segment: string, size: number): void {
    const { offset, did } = this.#filling.marks.get(segment) ?? { offset: -1, did: "" };
    this.mark({ segment, offset, did, size });
  }

  /** Waits for the batch before. */
  async send(): Promise<void> {
    await this.#onItsWay;
    const batch = this.#filling;
    this.#filling = this.#spare;
    this.#spare = batch;
    this.#sent++;
    this.#onItsWay = this.#load(batch);
    // Whoever waits for it next gets the error; until then it is nobody's.
    this.#onItsWay.catch(() => {});
  }

  async finish(): Promise<void> {
    await this.send();
    await this.#onItsWay;
  }

  async #load({ rows, marks }: Batch): Promise<void> {
    if (rows.count > 0) await this.#target.insert(RECORDS_TABLE, RECORD_COLUMNS, rows.bytes);
    await this.#bookmarks.save(marks.values());
    rows.clear();
    marks.clear();
  }
}
