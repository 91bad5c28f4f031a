/**
 * Writes event segments again without what no longer counts, each as a whole: the new file is on the disk before it takes the name of
 * the old one. Readers that have the old one open read on in it.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { FOLLOW_FILE, FOLLOW_LOCK } from "../folder-files.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { type EventBatch, encodeBatch, encodeEventHeader, type StoredEvent } from "./event-format.ts";
import {
  batchesOf,
  type EventSegment,
  eventSegments,
  readBatch,
  readEventHeader,
  readEvents,
} from "./event-segments.ts";
import { FollowState } from "./follow-state.ts";

export interface RewriteOptions {
  folder: string;
  /** The event as it stays; null when nothing of it does, itself when all of it does. */
  keep: (event: StoredEvent) => StoredEvent | null | Promise<StoredEvent | null>;
  onDamage: (damage: Damage) => void;
  signal?: AbortSignal;
  fs?: FileSystem;
}

export interface RewriteResult {
  /** Segments that were written again. */
  segments: number;
  droppedEvents: number;
  droppedOps: number;
  bytesBefore: number;
  bytesAfter: number;
  /** Segments with damaged batches are left alone. */
  damaged: string[];
}

const ZSTD_LEVEL = 3;

/** Whoever holds it is the only one that appends events. Throws FOLLOW_BUSY. */
export function takeFollowLock(folder: string): FileLock {
  const lock = lockFile(join(folder, FOLLOW_LOCK), 0);
  if (lock === null) throw new TrawlError("FOLLOW_BUSY", `Another process is following into ${folder}.`);
  return lock;
}

/** All segments; the caller holds the lock of the follower. */
export async function rewriteEvents(options: RewriteOptions): Promise<RewriteResult> {
  const segments = await eventSegments(options.folder);
  const state = existsSync(join(options.folder, FOLLOW_FILE)) ? new FollowState(options.folder) : null;
  try {
    if (state !== null) await catchUp(state, options);
    const result = noResult();
    for (const segment of segments) {
      const isLast = segment === segments.at(-1);
      // After a crash in between it is read again from its beginning.
      if (isLast) state?.commit({ segment: segment.number, offset: 0 });
      const end = await rewriteSegment(segment, options, result);
      if (isLast) state?.commit({ segment: segment.number, offset: end });
    }
    return result;
  } finally {
    state?.close();
  }
}

/** All but the last, to which a follower may be appending. */
export async function rewriteFinishedEvents(options: RewriteOptions): Promise<RewriteResult> {
  const result = noResult();
  for (const segment of (await eventSegments(options.folder)).slice(0, -1)) {
    await rewriteSegment(segment, options, result);
  }
  return result;
}

const noResult = (): RewriteResult => ({
  segments: 0,
  droppedEvents: 0,
  droppedOps: 0,
  bytesBefore: 0,
  bytesAfter: 0,
  damaged: [],
});

async function catchUp(state: FollowState, { folder, onDamage }: RewriteOptions): Promise<void> {
  for await (const batch of readEvents(folder, onDamage, state.applied)) {
    for (const event of batch.events) state.apply(event);
    state.commit({ segment: batch.segment, offset: batch.end });
  }
}

/** Returns the length of the file. */
async function rewriteSegment(segment: EventSegment, options: RewriteOptions, result: RewriteResult): Promise<number> {
  const { folder, onDamage, signal, fs = realFileSystem } = options;
  let isDamaged = false;
  // What a crash left of a batch goes too: nobody knows whose it is.
  let isTorn = false;
  const watch = (damage: Damage): void => {
    if (damage.torn) isTorn = true;
    else isDamaged = true;
    onDamage(damage);
  };
  const header = await readEventHeader(segment, watch);
  if (header === null) return 0;
  const path = `${segment.path}.partial`;
  const file = await fs.open(path, "w");
  let [before, after, dropped, changed, ops] = [0, 0, 0, 0, 0];
  const write = async (bytes: Buffer): Promise<void> => {
    await file.writeFile(bytes);
    after += bytes.length;
  };
  try {
    // Another time of creation, so that whoever remembers places in it begins again.
    await write(encodeEventHeader({ ...header, createdAt: header.createdAt + 1n }));
    let waiting: EventBatch | null = null;
    for await (const placed of batchesOf(segment, { onDamage: watch })) {
      signal?.throwIfAborted();
      before = placed.end;
      const batch = readBatch(placed, watch);
      if (batch === null) break;
      // An empty batch is kept only at the end, for its cursor.
      if (waiting !== null && waiting.events.length > 0) await write(encodeBatch(waiting, ZSTD_LEVEL));
      waiting = { cursor: batch.cursor, events: [] };
      for (const event of batch.events) {
        const kept = await options.keep(event);
        if (kept !== null) waiting.events.push(kept);
        else dropped++;
        if (kept !== event) changed++;
        if (kept?.kind === "commit" && event.kind === "commit") ops += event.ops.length - kept.ops.length;
      }
    }
    if (waiting !== null) await write(encodeBatch(waiting, ZSTD_LEVEL));
    await file.sync();
  } finally {
    await file.close();
    if (signal?.aborted) await fs.rm(path, { force: true });
  }
  if (isDamaged || (changed === 0 && !isTorn)) {
    if (isDamaged) result.damaged.push(segment.path);
    await fs.rm(path, { force: true });
    return before;
  }
  await fs.rename(path, segment.path);
  await fs.syncFolder(folder);
  result.segments++;
  result.droppedEvents += dropped;
  result.droppedOps += ops;
  result.bytesBefore += before;
  result.bytesAfter += after;
  return after;
}
