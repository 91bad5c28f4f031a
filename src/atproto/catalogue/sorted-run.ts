/** Files of records sorted by DID: written once, searched on disk, merged into larger ones. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { foldRecord, isWhole, KEY_BYTES, RECORD_BYTES } from "./catalogue-record.ts";

const PAGE_RECORDS = 68;
const PAGE_BYTES = RECORD_BYTES * PAGE_RECORDS;
/** Read and written at once when a whole file is. */
const BLOCK_BYTES = RECORD_BYTES * 8_192;

export const compareKeys = (a: Buffer, atA: number, b: Buffer, atB: number): number =>
  a.compare(b, atB, atB + KEY_BYTES, atA, atA + KEY_BYTES);

/** Records in the order of their keys, each key once. */
export interface SortedRecords {
  blocks(): Iterable<{ bytes: Buffer; length: number }>;
}

export class SortedRun implements SortedRecords {
  readonly path: string;
  readonly count: number;
  readonly #file: number;
  readonly #page = Buffer.allocUnsafe(PAGE_BYTES);
  #first = 0;

  /** Throws ENOENT when another process has merged it away. */
  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "r");
    this.count = Math.floor(fstatSync(this.#file).size / RECORD_BYTES);
  }

  /** The record of a key, in a buffer of its own; null when it has none, or a damaged one. */
  find(key: Buffer): Buffer | null {
    const share = (key.readUInt32BE(1) * 2 ** 16 + key.readUInt16BE(5)) / 2 ** 48;
    let [low, high] = [0, this.count];
    for (let guesses = 0; low < high; guesses++) {
      // DIDs are hashes, so the first guesses are close; a file of others is halved.
      const guess =
        guesses < 3 ? Math.min(high - 1, Math.max(low, Math.floor(share * this.count))) : (low + high) >>> 1;
      const records = this.#load(guess, low, high);
      if (compareKeys(key, 0, this.#page, 0) < 0) high = this.#first;
      else if (compareKeys(key, 0, this.#page, (records - 1) * RECORD_BYTES) > 0) low = this.#first + records;
      else return this.#inPage(key, records);
    }
    return null;
  }

  /** All of them in order. The buffer is that of the reader: it changes with the next block. */
  *blocks(): Generator<{ bytes: Buffer; length: number }> {
    const bytes = Buffer.allocUnsafe(BLOCK_BYTES);
    for (let at = 0; at < this.count * RECORD_BYTES; ) {
      const read = readSync(this.#file, bytes, 0, BLOCK_BYTES, at);
      const length = read - (read % RECORD_BYTES);
      if (length === 0) return;
      yield { bytes, length };
      at += length;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #inPage(key: Buffer, records: number): Buffer | null {
    let [low, high] = [0, records];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareKeys(key, 0, this.#page, middle * RECORD_BYTES);
      if (order === 0) {
        const at = middle * RECORD_BYTES;
        return isWhole(this.#page, at) ? Buffer.from(this.#page.subarray(at, at + RECORD_BYTES)) : null;
      }
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return null;
  }

  /** Reads the page around a record, within bounds; returns how many records it has. */
  #load(record: number, low: number, high: number): number {
    this.#first = Math.max(low, Math.min(record - (PAGE_RECORDS >>> 1), high - PAGE_RECORDS));
    const records = Math.min(PAGE_RECORDS, high - this.#first);
    readSync(this.#file, this.#page, 0, records * RECORD_BYTES, this.#first * RECORD_BYTES);
    return records;
  }
}

/** Records merged before other work gets its turn: a merge may take a minute, and requests must go on. */
const MERGED_AT_ONCE = 20_000;

/**
 * Writes what the runs have, each DID once, in order. Of equal DIDs the later run counts. `keep` may change a record, or drop it by
 * returning false. Returns the number of records; the file is synced, its name is not.
 */
export async function mergeRuns(
  runs: readonly SortedRecords[],
  target: string,
  {
    keep,
    signal,
    fs = realFileSystem,
  }: { keep?: (record: Buffer) => boolean; signal?: AbortSignal; fs?: FileSystem } = {},
): Promise<number> {
  const handle = await fs.open(target, "w", 0o644);
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let [filled, count] = [0, 0];
  try {
    for (const record of mergedRecords(runs)) {
      if (record === null) {
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        continue;
      }
      if (keep !== undefined && !keep(record)) continue;
      record.copy(block, filled);
      filled += RECORD_BYTES;
      count++;
      if (filled < BLOCK_BYTES) continue;
      await handle.write(block, 0, filled, (count - filled / RECORD_BYTES) * RECORD_BYTES);
      filled = 0;
    }
    if (filled > 0) await handle.write(block, 0, filled, (count - filled / RECORD_BYTES) * RECORD_BYTES);
    await handle.sync();
    return count;
  } finally {
    await handle.close();
  }
}

/** Each DID once, in order; damaged records are left out. Yields null now and then, for the caller to let others have a turn. */
export function* mergedRecords(runs: readonly SortedRecords[]): Generator<Buffer | null> {
  const heap = runs.map((run, order) => new RunCursor(run.blocks(), order)).filter((cursor) => cursor.next());
  heap.sort(byKey);
  const held = Buffer.alloc(RECORD_BYTES);
  let isHeld = false;
  for (let merged = 1; heap.length > 0; merged++) {
    if (merged % MERGED_AT_ONCE === 0) yield null;
    const first = heap[0]!;
    if (isHeld && compareKeys(held, 0, first.bytes, first.at) === 0) foldRecord(held, first.bytes, first.at);
    else {
      if (isHeld) yield held;
      first.bytes.copy(held, 0, first.at, first.at + RECORD_BYTES);
      isHeld = true;
    }
    if (!first.next()) {
      const last = heap.pop()!;
      if (heap.length > 0) heap[0] = last;
    }
    sink(heap);
  }
  if (isHeld) yield held;
}

/** The records of a run, one after the other. */
class RunCursor {
  readonly order: number;
  readonly #blocks: Iterator<{ bytes: Buffer; length: number }>;
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  #length = 0;

  constructor(blocks: Iterable<{ bytes: Buffer; length: number }>, order: number) {
    this.#blocks = blocks[Symbol.iterator]();
    this.order = order;
  }

  /** False after the last one. */
  next(): boolean {
    for (;;) {
      this.at += RECORD_BYTES;
      if (this.at >= this.#length) {
        const { done, value } = this.#blocks.next();
        if (done === true) return false;
        this.bytes = value.bytes;
        this.#length = value.length;
        this.at = 0;
      }
      if (isWhole(this.bytes, this.at)) return true;
    }
  }
}

const byKey = (a: RunCursor, b: RunCursor): number => compareKeys(a.bytes, a.at, b.bytes, b.at) || a.order - b.order;

/** Puts the first where it belongs. */
function sink(heap: RunCursor[]): void {
  const moved = heap[0]!;
  for (let at = 0; at < heap.length; ) {
    let child = 2 * at + 1;
    if (child + 1 < heap.length && byKey(heap[child + 1]!, heap[child]!) < 0) child++;
    if (child >= heap.length || byKey(moved, heap[child]!) <= 0) {
      heap[at] = moved;
      return;
    }
    heap[at] = heap[child]!;
    at = child;
  }
}
