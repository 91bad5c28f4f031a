/**
 * Who works in a workspace. It has two halves, one process each: the crawl (queue, spool, logs) and the store (pages,
 * metadata). `run` has both; `run --discover` and `scrape` have one each, so that they can go side by side.
 */
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";
import { type FileLock, isFileLocked, lockFile } from "../storage/file-lock.ts";

export const HALVES = ["crawl", "store"] as const;
export type Half = (typeof HALVES)[number];

/** `status` holds a lock for a moment, to ask: that is no reason to give up. */
const PATIENCE_MS = 250;

/** Beside what `reset` removes: a lock whose file is gone keeps nobody out. */
const lockPath = (root: string, half: Half): string => join(root, `.${half}.lock`);

/** All of these halves, or an error and none. */
export function lockWorkspace(root: string, halves: readonly Half[]): FileLock {
  ensureFolder(root);
  const locks: FileLock[] = [];
  const release = (): void => {
    for (const lock of locks.splice(0)) lock.release();
  };
  for (const half of halves) {
    const lock = lockFile(lockPath(root, half), PATIENCE_MS);
    if (lock === null) {
      release();
      throw new TrawlError("WORKSPACE_BUSY", `Another process works in ${root}.`);
    }
    locks.push(lock);
  }
  return { release };
}

/** The halves that some process works on now. */
export const lockedHalves = (root: string): Half[] => HALVES.filter((half) => isFileLocked(lockPath(root, half)));
