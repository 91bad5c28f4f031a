/** One process at a time works on a crawl: a lock beside its database. */
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { type FileLock, isFileLocked, lockFile } from "../../storage/file-lock.ts";

/** Somebody who only asks whether the crawl is locked holds the lock for a moment: that is no reason to give up. */
const PATIENCE_MS = 250;

const lockPath = (folder: string): string => join(folder, "lock.db");

export const lockCrawl = (folder: string): FileLock => lockFolder(folder, PATIENCE_MS);

export function lockFolder(folder: string, patienceMs: number): FileLock {
  const lock = lockFile(lockPath(folder), patienceMs);
  if (lock === null) throw new TrawlError("CRAWL_BUSY");
  return lock;
}

/** Whether some process works on the crawl now. */
export const isLocked = (folder: string): boolean => isFileLocked(lockPath(folder));
