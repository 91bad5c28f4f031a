/** `status` and `reset`: the progress of a crawl, read from its state alone, and how to start over. */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { type FileLock, lockFile } from "../storage/file-lock.ts";
import { type FileSystem, realFileSystem } from "../storage/file-system.ts";
import { CATALOGUE_FOLDER } from "./catalogue/catalogue.ts";
import type { CompactOptions } from "./catalogue/compact.ts";
import { type ForgetResult, forgetInSegments } from "./catalogue/forget-segments.ts";
import {
  BACKLOG_FILE,
  FOLLOW_FILE,
  FOLLOW_LOCK,
  IDENTITY_FOLDER,
  QUERY_DATABASE,
  SINCE_FOLDER,
} from "./folder-files.ts";
import { forgetInEvents } from "./follow/compact-events.ts";
import { eventSegments } from "./follow/event-segments.ts";
import type { RewriteResult } from "./follow/rewrite-events.ts";
import { Identities } from "./identity/identities.ts";
import { segmentNames } from "./rca/format/segment-names.ts";
import { dropPlaces, forgetInPlaces } from "./serve/consumer-places.ts";
import { KEY_FILE } from "./serve/cursor-seal.ts";
import type { StateSummary } from "./state/crawl-state.ts";
import { openState, type StateConfig } from "./state/crawl-state.ts";

/** Where earlier versions kept the DIDs of a PLC export, … */
const OLD_PLC_FILE = "plc.db";
/** … and the revisions of an earlier archive. */
const OLD_SINCE_FILE = "since.db";
/** The state file is emptied, not deleted: a crawl that is just starting may have it open. */
const BESIDE = [
  FOLLOW_FILE,
  BACKLOG_FILE,
  IDENTITY_FOLDER,
  OLD_PLC_FILE,
  OLD_SINCE_FILE,
  SINCE_FOLDER,
  CATALOGUE_FOLDER,
  QUERY_DATABASE,
  // Cursors that clients hold refer to the old segments, and are refused from now on.
  KEY_FILE,
];

/** A database may have its log next to it. */
const withLog = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`];

/** Works while a crawl runs. */
export async function atprotoStatus(config: StateConfig): Promise<StateSummary> {
  const state = openState(config);
  try {
    return await state.summary();
  } finally {
    await state.close();
  }
}

/**
 * Erases one account: its blocks and proofs in all segments, its events, what the catalogue and the state know of it, its DID document, and
 * the records that `query` has loaded. Refuses while a crawl or a follower runs. Rows in ClickHouse are erased by `forgetRows`; damaged files
 * that `repair` put aside are not touched, but named.
 */
export async function forgetAccount(
  config: StateConfig,
  did: string,
  options: Omit<CompactOptions, "folder">,
): Promise<ForgetResult & { events: RewriteResult | null }> {
  const state = openState(config);
  try {
    await state.take();
    // First, because it refuses while a follower is running.
    const events = await forgetInEvents({ ...options, folder: config.outputDir }, did);
    const result = await forgetInSegments({ ...options, folder: config.outputDir }, did);
    await state.forget(did);
    const identities = new Identities({ folder: join(config.outputDir, IDENTITY_FOLDER), maxAgeMs: 0, now: () => 0 });
    await identities.forget(did);
    identities.close();
    await forgetInPlaces(config.outputDir, did);
    // Recreated when needed, or left by an earlier version.
    for (const name of [QUERY_DATABASE, SINCE_FOLDER, OLD_PLC_FILE, OLD_SINCE_FILE].flatMap(withLog)) {
      await rm(join(config.outputDir, name), { recursive: true, force: true });
    }
    return { ...result, events };
  } finally {
    await state.close();
  }
}

/**
 * Deletes the segments and the state, if `confirm` agrees to that number. Refuses while a crawl runs. Returns the deleted
 * segments; null when nothing was deleted, because there was nothing or it was not confirmed.
 */
export async function resetAtproto(
  config: StateConfig,
  confirm: (segments: number) => Promise<boolean> = async () => true,
  fs: FileSystem = realFileSystem,
): Promise<string[] | null> {
  const { outputDir, redisAddress } = config;
  if (redisAddress === null && !existsSync(outputDir)) return null;
  const state = openState(config);
  let following: FileLock | null = null;
  try {
    // Held until the files are gone, so that no crawl starts in between.
    await state.take();
    following = existsSync(outputDir) ? lockFile(join(outputDir, FOLLOW_LOCK), 0) : null;
    if (existsSync(outputDir) && following === null) {
      throw new TrawlError("FOLLOW_BUSY", `Another process is following into ${outputDir}.`);
    }
    const segments = [...(await segmentNames(outputDir)), ...(await eventSegments(outputDir))];
    if (!(await confirm(segments.length))) return null;
    // The state first: after a crash here, the next crawl finds segments without state. State without segments would count
    // repos as stored that are gone.
    await state.reset();
    for (const { path } of segments) await fs.rm(path, { force: true });
    for (const name of BESIDE.flatMap(withLog)) {
      await rm(join(outputDir, name), { recursive: true, force: true });
    }
    await dropPlaces(outputDir);
    // If a power cut brought one back, the next crawl would count its repos as stored.
    if (segments.length > 0) await fs.syncFolder(outputDir);
    return segments.map(({ path }) => path);
  } finally {
    following?.release();
    await state.close();
  }
}
