/**
 * One process at a time works on a crawl. The lock is SQLite's own lock on a small file beside the database: the
 * system lets go of it when the process ends, however it ends, so no stale lock is left behind.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../errors.ts";

export interface CrawlLock {
  release(): void;
}

/** Somebody who only asks whether the crawl is locked holds the lock for a moment: that is no reason to give up. */
const PATIENCE_MS = 250;

export const lockCrawl = (folder: string): CrawlLock => lockFolder(folder, PATIENCE_MS);

export function lockFolder(folder: string, patienceMs: number): CrawlLock {
  const db = new DatabaseSync(join(folder, "lock.db"));
  try {
    db.exec(`PRAGMA busy_timeout = ${patienceMs}; BEGIN EXCLUSIVE`);
  } catch {
    db.close();
    throw new TrawlError("CRAWL_BUSY");
  }
  return { release: () => db.close() };
}

/** Whether some process works on the crawl now. */
export function isLocked(folder: string): boolean {
  try {
    lockFolder(folder, 0).release();
    return false;
  } catch (error) {
    if (error instanceof TrawlError && error.code === "CRAWL_BUSY") return true;
    throw error;
  }
}
