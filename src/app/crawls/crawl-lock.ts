/** A lock next to its database: only one process at a time works on a crawl. */
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { type FileLock, isFileLocked, lockFile } from "../../storage/file-lock.ts";
import type { CrawlRecord } from "./registry.ts";

/** A process that only checks the lock holds it for a moment, which is no reason to give up. */
const PATIENCE_MS = 250;

const lockPath = (folder: string): string => join(folder, "lock.db");

export const lockCrawl = (folder: string): FileLock => lockFolder(folder, PATIENCE_MS);

export function lockFolder(folder: string, patienceMs: number): FileLock {
  const lock = lockFile(lockPath(folder), patienceMs);
  if (lock === null) throw new TrawlError("CRAWL_BUSY");
  return lock;
}

/** Whether a process is working on the crawl now. */
export const isLocked = (folder: string): boolean => isFileLocked(lockPath(folder));

/** Why another crawl of the project cannot begin. */
export function projectBusy({ id, domain, state }: CrawlRecord): TrawlError {
  const detail = `Crawl ${id} of ${domain} is ${state === "paused" ? "paused, and not over" : "running already"}.`;
  return new TrawlError("PROJECT_BUSY", detail, { crawlId: id });
}
