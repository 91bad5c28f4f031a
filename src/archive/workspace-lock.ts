/**
 * Which processes work in a workspace. It has two halves, each for one process: the crawl (queue, spool, logs) and the
 * store (pages, metadata). `run` takes both; `run --discover` and `scrape` take one each, so they can run side by side.
 */
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";
import { type FileLock, isFileLocked, lockFile } from "../storage/file-lock.ts";

export const HALVES = ["crawl", "store"] as const;
export type Half = (typeof HALVES)[number];

/** `status` holds a lock for a moment to ask; that is no reason to give up. */
const PATIENCE_MS = 250;

/** Outside of what `reset` deletes: a lock whose file is gone keeps nobody out. */
const lockPath = (root: string, half: Half): string => join(root, `.${half}.lock`);

/** Takes all of these halves, or throws and takes none. */
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
      throw new TrawlError("WORKSPACE_BUSY", `Another process is working in ${root}.`);
    }
    locks.push(lock);
  }
  return { release };
}

/** The halves in use by some process. */
export const lockedHalves = (root: string): Half[] => HALVES.filter((half) => isFileLocked(lockPath(root, half)));
