/**
 * Loads an archive into `repo_records`: the newest block of each repo, every record as `create` at the time its repo was crawled; then
 * what `follow` recorded, as `create`, `update` and `delete`. It leaves one row per record, and continues where it stopped. While one
 * batch is on its way the next is filled, and no further.
 */

import { basename } from "node:path";
import { TrawlError } from "../../errors.ts";
import type { CollectionFilter } from "../collection-filter.ts";
import { eventSegments } from "../follow/event-segments.ts";
import { InactiveAccounts } from "../inactive-accounts.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { collectionsOf } from "../rca/format/collection.ts";
import { type ArchivedRepo, RepoArchive } from "../rca/read/archive.ts";
import { NewestHeads } from "../rca/read/newest-heads.ts";
import type { SegmentReader } from "../rca/read/segment-reader.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import { BatchLoader } from "./batch-loader.ts";
import { changeJson, recordChanges } from "./event-changes.ts";
import { Bookmarks, dropWithoutRecords, segmentId } from "./load-bookmarks.ts";
import { LoadedAccounts } from "./loaded-accounts.ts";
import { rowFrame } from "./record-rows.ts";
import { applySchema, type ReplayTarget, recordsTimeType, type TimeType } from "./replay-tables.ts";
import { settle } from "./settle.ts";
import { newestOnly } from "./wanted-blocks.ts";

export interface ReplayOptions {
  /** The archive. */
  folder: string;
  target: ReplayTarget;
  collections: CollectionFilter;
  /** The form of records that events have; that of the segments is given. Default: seed. */
  json?: JsonForm;
  /** Also records of accounts that are not active, such as those taken down. */
  inactive?: boolean;
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
  /** Creates, updates and deletes that `follow` recorded. */
  changes: number;
  /** Accounts whose rows were removed, because they are no longer active. */
  removedAccounts: number;
  /** The signal ended it. */
  stopped: boolean;
}

/** An archive that is being read, with the segments in which damage was found. */
export interface WatchedArchive {
  folder: string;
  archive: RepoArchive;
  damaged: ReadonlySet<string>;
  onDamage: (damage: Damage) => void;
}

/** An archive may have segments, recorded events, or both. */
export async function openWatched(folder: string, report: (damage: Damage) => void): Promise<WatchedArchive> {
  const damaged = new Set<string>();
  const onDamage = (damage: Damage): void => {
    if (!damage.torn) damaged.add(damage.path);
    report(damage);
  };
  const archive = await RepoArchive.open(folder, onDamage);
  if (archive.segments.length === 0 && (await eventSegments(folder)).length === 0) {
    throw new TrawlError("NO_SEGMENTS", `${folder} has no .rca segments and no recorded events.`);
  }
  return { folder, archive, damaged, onDamage };
}

export async function replayArchive(options: ReplayOptions): Promise<ReplaySummary> {
  const watched = await openWatched(options.folder, options.onDamage);
  await using _ = watched.archive;
  return await replayWatched(watched, options);
}

export async function replayWatched(
  watched: WatchedArchive,
  options: Omit<ReplayOptions, "folder" | "onDamage">,
): Promise<ReplaySummary> {
  const { target, collections, signal } = options;
  await applySchema(target);
  const time = await recordsTimeType(target);
  await dropWithoutRecords(target);
  const bookmarks = await Bookmarks.open(target, collections, options.now);
  const accounts = await LoadedAccounts.open(target, collections.key, options.now);
  const loader = new BatchLoader(target, bookmarks, accounts);
  // Until this ends well, the next replay must expect rows without bookmarks.
  const wasInterrupted = await bookmarks.begin();
  using inactive = options.inactive ? null : new InactiveAccounts(watched.folder);
  const replay = new Replay(watched, options, { time, bookmarks, accounts, loader, inactive });
  await replay.segments();
  if (!signal?.aborted) await replay.events();
  const again = signal?.aborted ? [] : await accounts.activeAgain(inactive);
  if (again.length > 0) await replay.reload(new Set(again));
  await loader.finish();
  const { summary } = replay;
  if (signal?.aborted) return { ...summary, stopped: true };
  summary.removedAccounts = inactive === null ? 0 : await accounts.exclude(inactive.all());
  const mayRepeat = wasInterrupted || replay.repeats || again.length > 0;
  await settle({ target, time, mayRepeat, excludes: summary.removedAccounts > 0 || wasInterrupted });
  // What is damaged now may be repaired, and is then loaded again.
  if (watched.damaged.size === 0) await bookmarks.end();
  return summary;
}

interface ReplayTools {
  time: TimeType;
  bookmarks: Bookmarks;
  accounts: LoadedAccounts;
  loader: BatchLoader;
  inactive: InactiveAccounts | null;
}

class Replay {
  readonly #watched: WatchedArchive;
  readonly #options: Omit<ReplayOptions, "folder" | "onDamage">;
  readonly #tools: ReplayTools;
  readonly #heads: NewestHeads;
  readonly #bytesTotal: number;
  #bytesBefore = 0;
  /** Something was loaded that may have been loaded before. */
  repeats = false;
  readonly summary: ReplaySummary;

  constructor(watched: WatchedArchive, options: Omit<ReplayOptions, "folder" | "onDamage">, tools: ReplayTools) {
    this.#watched = watched;
    this.#options = options;
    this.#tools = tools;
    this.#heads = new NewestHeads(watched.archive);
    const { segments } = watched.archive;
    this.#bytesTotal = segments.reduce((total, { size }) => total + size, 0);
    const none = { segmentsSkipped: 0, repos: 0, records: 0, changes: 0, removedAccounts: 0, stopped: false };
    this.summary = { segments: segments.length, ...none };
  }

  async segments(): Promise<void> {
    const { archive } = this.#watched;
    const isNewest = await newestOnly(archive);
    for (const segment of archive.segments) {
      const { bookmarks } = this.#tools;
      const loadedUntil = await bookmarks.loadedUntil(segment);
      if (loadedUntil === null) this.summary.segmentsSkipped++;
      else {
        if (loadedUntil === -1 && bookmarks.knows(segmentId(segment))) this.repeats = true;
        await this.#segment(segment, loadedUntil, isNewest);
      }
      if (this.#options.signal?.aborted) break;
      this.#bytesBefore += segment.size;
    }
  }

  async #segment(
    segment: SegmentReader,
    loadedUntil: number,
    isNewest: (path: string, offset: number) => boolean,
  ): Promise<void> {
    const { loader, inactive } = this.#tools;
    const { damaged } = this.#watched;
    for await (const repo of segment.repos()) {
      if (this.#options.signal?.aborted) return;
      if (repo.offset <= loadedUntil) continue;
      const isWanted = isNewest(segment.path, repo.offset) && (inactive?.statusOf(repo.did) ?? null) === null;
      if (isWanted) await this.#load({ ...repo, path: segment.path });
      // No bookmark is set after damage: once it is repaired, the missing records are loaded.
      if (!damaged.has(segment.path)) {
        loader.mark({ segment: segmentId(segment), offset: repo.offset, did: repo.did, size: 0 });
      }
    }
    if (segment.indexed && !damaged.has(segment.path)) loader.markDone(segmentId(segment), segment.size);
  }

  async #load(repo: ArchivedRepo): Promise<void> {
    const { loader, time } = this.#tools;
    const { collections } = this.#options;
    const batches = loader.sent;
    for (const { name, records } of collectionsOf(repo, this.#watched.onDamage, collections.wants)) {
      const frame = rowFrame(repo.did, name, repo.crawledAt, time);
      for (const { rkey, value } of records) {
        loader.rows.add(frame, rkey, value);
        if (loader.isFull) await loader.send();
      }
      this.summary.records += records.length;
    }
    loader.blockEnds(repo.did, repo.crawledAt);
    this.summary.repos++;
    if (loader.sent > batches) this.#progress(repo.path, this.#bytesBefore + repo.offset + repo.size);
  }

  async events(): Promise<void> {
    const { bookmarks, inactive } = this.#tools;
    const isActive = (did: string): boolean => (inactive?.statusOf(did) ?? null) === null;
    const from = (id: string): number => {
      const until = bookmarks.eventsLoadedUntil(id);
      if (until === 0 && bookmarks.knows(id)) this.repeats = true;
      return until;
    };
    await this.#changes(isActive, from, true);
  }

  /** Accounts that were left out before: all that is known of them. */
  async reload(dids: ReadonlySet<string>): Promise<void> {
    for (const did of dids) {
      const repo = await this.#watched.archive.find(did);
      if (repo !== null) await this.#load(repo);
      else this.#tools.loader.changes(did);
    }
    await this.#changes(
      (did) => dids.has(did),
      () => 0,
      false,
    );
  }

  async #changes(isWanted: (did: string) => boolean, from: (id: string) => number, marks: boolean): Promise<void> {
    const { loader, time } = this.#tools;
    const { collections, json = "seed", signal } = this.#options;
    const { folder, onDamage, damaged } = this.#watched;
    const batches = recordChanges({
      folder,
      onDamage,
      from,
      newest: (did) => this.#heads.of(did),
      wants: (did, collection) => collections.wants(collection) && isWanted(did),
    });
    for await (const { id, path, end, changes } of batches) {
      if (signal?.aborted) return;
      for (const change of changes) {
        const frame = rowFrame(change.did, change.collection, change.time, time);
        loader.rows.add(frame, change.rkey, changeJson(change, json), change.operation);
        loader.changes(change.did);
        if (loader.isFull) await loader.send();
      }
      this.summary.changes += changes.length;
      if (marks && !damaged.has(path)) loader.mark({ segment: id, offset: end, did: "", size: 0 });
      if (changes.length > 0) this.#progress(path, this.#bytesTotal);
    }
  }

  #progress(path: string, bytesRead: number): void {
    const { repos, records } = this.summary;
    const progress = { segment: basename(path), bytesRead, bytesTotal: this.#bytesTotal, repos, records };
    this.#options.onProgress?.(progress);
  }
}
