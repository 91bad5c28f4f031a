/** Merges sorted records: into a new run, or one after another for a reader. */
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { advance } from "../merge-heap.ts";
import { foldRecord, isWhole, RECORD_BYTES } from "./catalogue-record.ts";
import { BLOCK_BYTES, compareKeys, type SortedRecords } from "./sorted-run.ts";

/** Records merged before other work gets its turn: a merge may take a minute, and requests must continue. */
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

/**
 * Each DID once, in order, from the first behind a key if one is given; damaged records are left out. Yields null now and then, for the
 * caller to let others have a turn.
 */
export function* mergedRecords(runs: readonly SortedRecords[], after?: Buffer): Generator<Buffer | null> {
  const cursors = runs.map((run, order) => new RunCursor(run.blocks(after), order));
  const heap = cursors.filter((cursor) => cursor.begin(after));
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
    advance(heap, byKey);
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

  /** Goes to the first one, or the first behind a key; false when there is none. */
  begin(after?: Buffer): boolean {
    let isThere = this.next();
    if (after !== undefined) while (isThere && compareKeys(this.bytes, this.at, after, 0) <= 0) isThere = this.next();
    return isThere;
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
