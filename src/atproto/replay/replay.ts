/**
 * Loads an archive into `repo_records`: segments in order, every record as `create`, at the time its repo was crawled.
 * Done again it leaves one row per record (with FINAL), and it continues where it stopped. While one batch is on its way the
 * next is filled, and no further.
 */

import { basename } from "node:path";
import type { Damage } from "../rca/format/bytes.ts";
import { collectionsOf } from "../rca/format/collection.ts";
import { type ArchivedRepo, openArchive, type RepoArchive } from "../rca/read/archive.ts";
import type { SegmentReader } from "../rca/read/segment-reader.ts";
import { type Bookmark, Bookmarks, dropWithoutRecords, segmentId } from "./bookmarks.ts";
import { RECORD_COLUMNS, RecordRows, rowFrame } from "./record-rows.ts";
import { applySchema, RECORDS_TABLE, type ReplayTarget, recordsTimeType, type TimeType } from "./replay-tables.ts";
import type { CollectionFilter } from "./wanted-blocks.ts";

export interface ReplayOptions {
  /** The archive. */
  folder: string;
  target: ReplayTarget;
  collections: CollectionFilter;
  /** Unix milliseconds. */
  now: () => number;
  onDamage: (damage: Damage) => void;
  onProgress?: (progress: ReplayProgress) => void;
  /** Ends it after the current batch; what was loaded is kept. */
  signal?: AbortSignal;
}

export interface ReplayProgress {
  /** The file that is read. */
  segment: string;
  /** Bytes of the archive. */
  bytesRead: number;
  bytesTotal: number;
  repos: number;
  records: number;
}

export interface ReplaySummary {
  segments: number;
  /** Loaded to their end before. */
  segmentsSkipped: number;
  repos: number;
  records: number;
  /** The signal ended it. */
  stopped: boolean;
}

/** An archive that is being read, with the segments in which damage was found. */
export interface WatchedArchive {
  archive: RepoArchive;
  damaged: ReadonlySet<string>;
  onDamage: (damage: Damage) => void;
}

export async function openWatched(folder: string, report: (damage: Damage) => void): Promise<WatchedArchive> {
  const damaged = new Set<string>();
  const onDamage = (damage: Damage): void => {
    if (!damage.torn) damaged.add(damage.path);
    report(damage);
  };
  return { archive: await openArchive(folder, onDamage), damaged, onDamage };
}

export async function replayArchive(options: ReplayOptions): Promise<ReplaySummary> {
  const watched = await openWatched(options.folder, options.onDamage);
  await using _ = watched.archive;
  return await replaySegments(watched, options, () => true);
}

/** `wants` may leave out blocks. */
export async function replaySegments(
  { archive, damaged, onDamage }: WatchedArchive,
  options: Omit<ReplayOptions, "folder" | "onDamage">,
  wants: (path: string, offset: number) => boolean,
): Promise<ReplaySummary> {
  const { target, collections, onProgress, signal } = options;
  await applySchema(target);
  const time = await recordsTimeType(target);
  await dropWithoutRecords(target);
  const bookmarks = await Bookmarks.open(target, collections, options.now);
  const loader = new BatchLoader(target, bookmarks);
  const bytesTotal = archive.segments.reduce((total, { size }) => total + size, 0);
  const summary = { segments: archive.segments.length, segmentsSkipped: 0, repos: 0, records: 0, stopped: false };
  let bytesBefore = 0;

  const load = async (segment: SegmentReader, loadedUntil: number): Promise<void> => {
    for await (const repo of segment.repos()) {
      if (signal?.aborted) return;
      if (repo.offset <= loadedUntil) continue;
      if (wants(segment.path, repo.offset)) {
        const batches = loader.sent;
        summary.records += await loadRepo(loader, { ...repo, path: segment.path }, { collections, onDamage, time });
        summary.repos++;
        if (loader.sent > batches) {
          const bytesRead = bytesBefore + repo.offset + repo.size;
          const { repos, records } = summary;
          onProgress?.({ segment: basename(segment.path), bytesRead, bytesTotal, repos, records });
        }
      }
      // No bookmark is set after damage: once it is repaired, the missing records are loaded.
      if (!damaged.has(segment.path)) {
        loader.mark({ segment: segmentId(segment), offset: repo.offset, did: repo.did, size: 0 });
      }
    }
    if (segment.indexed && !damaged.has(segment.path)) loader.markDone(segmentId(segment), segment.size);
  };

  for (const segment of archive.segments) {
    const loadedUntil = await bookmarks.loadedUntil(segment);
    if (loadedUntil === null) summary.segmentsSkipped++;
    else await load(segment, loadedUntil);
    if (signal?.aborted) break;
    bytesBefore += segment.size;
  }
  await loader.finish();
  return { ...summary, stopped: signal?.aborted ?? false };
}

/** Returns the number of its records. */
async function loadRepo(
  loader: BatchLoader,
  repo: ArchivedRepo,
  { collections, onDamage, time }: Pick<ReplayOptions, "collections" | "onDamage"> & { time: TimeType },
): Promise<number> {
  let count = 0;
  for (const { name, records } of collectionsOf(repo, onDamage, collections.wants)) {
    const frame = rowFrame(repo.did, name, repo.crawledAt, time);
    for (const { rkey, value } of records) {
      loader.rows.add(frame, rkey, value);
      if (loader.isFull) await loader.send();
    }
    count += records.length;
  }
  return count;
}

// Two batches of rows: one is on its way to the target, the other is filled. Bookmarks go with the batch they belong to.

/** Large enough for efficient inserts, small enough to keep two in memory. */
const BATCH_ROWS = 50_000;
/** Fifty thousand records of a megabyte would be more than the memory of most machines. */
const BATCH_BYTES = 64 * 1024 * 1024;

type Mark = Omit<Bookmark, "collections">;

interface Batch {
  rows: RecordRows;
  marks: Map<string, Mark>;
}

const emptyBatch = (): Batch => ({ rows: new RecordRows(), marks: new Map() });

class BatchLoader {
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
    // The next caller that awaits it gets the error; until then it must not count as unhandled.
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
