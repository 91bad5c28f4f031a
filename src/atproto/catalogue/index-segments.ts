/**
 * Updates a catalogue from the segments of a folder: the ones that it does not cover are read, only their heads. If a segment that
 * it covers has changed or is gone, the whole catalogue is rebuilt; failures are kept.
 */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { readableSegments, type SegmentName } from "../rca/format/segment-names.ts";
import { openReadable } from "../rca/read/archive.ts";
import { Catalogue } from "./catalogue.ts";
import {
  emptyManifest,
  MERGE_LOCK,
  newRunName,
  readManifest,
  readNames,
  saveManifest,
  takeLock,
} from "./catalogue-files.ts";
import { dropPlace, isPlcKey, isStoredRecord } from "./catalogue-record.ts";
import { addRun, appendNames, changeManifest, tidy } from "./catalogue-writer.ts";
import { mergeRuns } from "./merge-runs.ts";
import { RecordBatch } from "./record-batch.ts";
import { SortedRun } from "./sorted-run.ts";

export interface IndexOptions {
  /** That of the segments. */
  folder: string;
  /** That of the catalogue. */
  catalogue: string;
  /** Rebuilds it, whatever it covers. */
  rebuild?: boolean;
  onDamage: (damage: Damage) => void;
  /** Called after each segment. */
  onSegment?: (segment: string, done: number, of: number) => void;
  signal?: AbortSignal;
  fs?: FileSystem;
}

export interface IndexResult {
  /** Segments that were read. */
  segments: number;
  /** Blocks in them. */
  blocks: number;
  /** The catalogue was rebuilt. */
  rebuilt: boolean;
}

/** Blocks that are sorted in memory at once: about 60 MB. */
const SPILL_RECORDS = 1 << 18;

interface Coverage {
  /** The finished segments. */
  all: (SegmentName & { size: number })[];
  /** Segments that the catalogue lacks. */
  missing: (SegmentName & { size: number })[];
  /** A segment in the catalogue has changed. */
  isStale: boolean;
  /** A segment is being written, or was left by a crash. */
  isUnfinished: boolean;
}

export async function uncovered(folder: string, covered: ReadonlyMap<number, number>): Promise<Coverage> {
  const all: Coverage["all"] = [];
  let isUnfinished = false;
  for (const name of await readableSegments(folder)) {
    if (name.state !== "final") isUnfinished = true;
    else all.push({ ...name, size: (await stat(name.path)).size });
  }
  const missing = all.filter(({ number }) => !covered.has(number));
  const known = all.length - missing.length;
  const isStale = known < covered.size || all.some(({ number, size }) => (covered.get(number) ?? size) !== size);
  return { all, missing, isStale, isUnfinished };
}

export async function indexSegments(options: IndexOptions): Promise<IndexResult> {
  const { folder, catalogue, rebuild = false, fs = realFileSystem } = options;
  await makeFolder(catalogue, fs);
  // Held throughout, because merging also removes files that the manifest does not name.
  const lock = await takeLock(catalogue, MERGE_LOCK);
  try {
    if (rebuild) await dropUnreadable(catalogue, fs);
    const before = rebuild ? emptyManifest() : (readManifest(catalogue) ?? emptyManifest());
    const covered = new Map(Object.entries(before.segments).map(([number, size]) => [Number(number), size]));
    const { all, missing, isStale } = await uncovered(folder, covered);
    const rebuilt = rebuild || isStale;
    const todo = rebuilt ? all : missing;
    if (todo.length === 0 && !rebuilt) return { segments: 0, blocks: 0, rebuilt: false };
    const reading = new SegmentReading(options, fs);
    try {
      await reading.read(todo);
      const sizes = new Map(todo.map(({ number, size }) => [number, size]));
      if (rebuilt) await replace(catalogue, fs, reading, sizes);
      else {
        await addRun(catalogue, fs, reading.records());
        await changeManifest(catalogue, fs, (manifest) => {
          for (const [number, size] of sizes) manifest.segments[`${number}`] = size;
        });
      }
    } finally {
      await reading.close();
    }
    await tidy(catalogue, fs);
    return { segments: todo.length, blocks: reading.blocks, rebuilt };
  } finally {
    lock.release();
  }
}

/** The blocks of segments, sorted in memory, and in files when they are many. */
class SegmentReading {
  readonly #options: IndexOptions;
  readonly #fs: FileSystem;
  readonly #batch = new RecordBatch();
  readonly #spilled: SortedRun[] = [];
  readonly #names: Set<string>;
  blocks = 0;

  constructor(options: IndexOptions, fs: FileSystem) {
    this.#options = options;
    this.#fs = fs;
    this.#names = new Set(readNames(options.catalogue).values());
  }

  async read(segments: readonly SegmentName[]): Promise<void> {
    const { onSegment } = this.#options;
    for (const [at, segment] of segments.entries()) {
      await this.#readSegment(segment);
      onSegment?.(segment.path, at + 1, segments.length);
    }
  }

  records(): (SortedRun | RecordBatch)[] {
    return [...this.#spilled, this.#batch];
  }

  async close(): Promise<void> {
    for (const run of this.#spilled) {
      run.close();
      await rm(run.path, { force: true });
    }
  }

  async #readSegment({ number: segment, path, state }: SegmentName): Promise<void> {
    const { catalogue, onDamage, signal } = this.#options;
    const reader = await openReadable({ path, state }, onDamage);
    if (reader === null) return;
    const others: string[] = [];
    try {
      for await (const { head, offset, size, crc } of reader.heads()) {
        signal?.throwIfAborted();
        const { did, rev, crawledAt: at } = head;
        const place = { segment, offset, size, crc };
        const record = this.#batch.add({ did, place, rev, status: "stored", nextAttempt: 0, at });
        this.blocks++;
        if (!isPlcKey(record) && !this.#names.has(did)) {
          others.push(did);
          this.#names.add(did);
        }
        if (this.#batch.count >= SPILL_RECORDS) await this.#spill();
      }
    } finally {
      await reader.close();
    }
    if (others.length > 0) await appendNames(catalogue, others, this.#fs);
  }

  async #spill(): Promise<void> {
    const path = join(this.#options.catalogue, newRunName());
    await mergeRuns([this.#batch], path, { fs: this.#fs });
    this.#spilled.push(new SortedRun(path));
    this.#batch.clear();
  }
}

/** What the segments have, and what was known about accounts that failed. Runs that others add meanwhile are kept. */
async function replace(
  catalogue: string,
  fs: FileSystem,
  reading: SegmentReading,
  segments: ReadonlyMap<number, number>,
): Promise<void> {
  const before = readManifest(catalogue) ?? emptyManifest();
  const failures = join(catalogue, newRunName());
  const old = before.runs.map(({ file }) => new SortedRun(join(catalogue, file)));
  try {
    await mergeRuns(old, failures, { keep: keepFailure, fs });
  } finally {
    for (const run of old) run.close();
  }
  const kept = new SortedRun(failures);
  const file = newRunName();
  try {
    const count = await mergeRuns([kept, ...reading.records()], join(catalogue, file), { fs });
    await fs.syncFolder(catalogue);
    const known = new Set(before.runs.map((run) => run.file));
    await changeManifest(catalogue, fs, (manifest) => {
      const added = Object.entries(manifest.segments).filter(([number]) => before.segments[number] === undefined);
      manifest.runs = [{ file, count }, ...manifest.runs.filter((run) => !known.has(run.file))];
      manifest.segments = Object.fromEntries([...added, ...[...segments].map(([number, size]) => [`${number}`, size])]);
    });
  } finally {
    kept.close();
  }
}

function keepFailure(record: Buffer): boolean {
  if (isStoredRecord(record)) return false;
  dropPlace(record);
  return true;
}

/** A catalogue that cannot be read has nothing to keep. */
async function dropUnreadable(catalogue: string, fs: FileSystem): Promise<void> {
  try {
    readManifest(catalogue);
  } catch {
    await saveManifest(catalogue, emptyManifest(), fs);
  }
}

/** Opens the catalogue of an archive if it covers everything; null otherwise, and while a segment is unfinished. */
export async function openWholeCatalogue(folder: string, catalogue: string): Promise<Catalogue | null> {
  if (readManifest(catalogue) === null) return null;
  const opened = new Catalogue(catalogue);
  const { missing, isStale, isUnfinished } = await uncovered(folder, opened.segments);
  if (missing.length === 0 && !isStale && !isUnfinished) return opened;
  opened.close();
  return null;
}
