/**
 * A lock that one process holds at a time. It is SQLite's lock on an empty file: the system releases it when the
 * process ends, however it ends, so there are no stale locks.
 */
import { DatabaseSync } from "node:sqlite";

export interface FileLock {
  /** May be called again. */
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * Returns null when another process still holds the lock after `patienceMs`. Creates the file; its folder must exist.
 */
export function lockFile(path: string, patienceMs: number): FileLock | null {
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${patienceMs}; BEGIN EXCLUSIVE`);
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return {
    release: () => {
      if (db.isOpen) db.close();
    },
  };
}

/** Whether any process holds the lock now. */
export function isFileLocked(path: string): boolean {
  const lock = lockFile(path, 0);
  lock?.release();
  return lock === null;
}
