/** Two batches of rows: one is on its way to the target, the other is filled. Bookmarks go with the batch they belong to. */
import type { Bookmark, Bookmarks } from "./load-bookmarks.ts";
import type { LoadedAccounts, TouchedRepo } from "./loaded-accounts.ts";
import { RECORD_COLUMNS, RecordRows } from "./record-rows.ts";
import { RECORDS_TABLE, type ReplayTarget } from "./replay-tables.ts";

/** Large enough for efficient inserts, small enough to keep two in memory. */
const BATCH_ROWS = 50_000;
/** Fifty thousand records of a megabyte would be more than the memory of most machines. */
const BATCH_BYTES = 64 * 1024 * 1024;

type Mark = Omit<Bookmark, "collections">;

interface Batch {
  rows: RecordRows;
  /** Repos whose block ends in this batch, and repos with changes in it. */
  blocks: TouchedRepo[];
  changed: Set<string>;
  marks: Map<string, Mark>;
}

const emptyBatch = (): Batch => ({ rows: new RecordRows(), blocks: [], changed: new Set(), marks: new Map() });

export class BatchLoader {
  readonly #target: ReplayTarget;
  readonly #bookmarks: Bookmarks;
  readonly #accounts: LoadedAccounts;
  #filling = emptyBatch();
  #spare = emptyBatch();
  #onItsWay: Promise<void> = Promise.resolve();
  #sent = 0;

  constructor(target: ReplayTarget, bookmarks: Bookmarks, accounts: LoadedAccounts) {
    this.#target = target;
    this.#bookmarks = bookmarks;
    this.#accounts = accounts;
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

  /** All rows of this block are in this batch or an earlier one. */
  blockEnds(repo: string, crawledAt: bigint): void {
    this.#filling.blocks.push({ repo, block: crawledAt });
  }

  changes(repo: string): void {
    this.#filling.changed.add(repo);
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
    // The next caller that awaits it gets the error; until then it must not count as unhandled.
    this.#onItsWay.catch(() => {});
  }

  async finish(): Promise<void> {
    await this.send();
    await this.#onItsWay;
  }

  async #load(batch: Batch): Promise<void> {
    const { rows, marks, blocks, changed } = batch;
    await this.#accounts.touch(blocks, changed);
    if (rows.count > 0) await this.#target.insert(RECORDS_TABLE, RECORD_COLUMNS, rows.bytes);
    await this.#accounts.loaded(new Set([...blocks.map(({ repo }) => repo), ...changed]));
    await this.#bookmarks.save(marks.values());
    rows.clear();
    marks.clear();
    changed.clear();
    batch.blocks = [];
  }
}
