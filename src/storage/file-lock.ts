/**
 * A lock that one process holds at a time. It is SQLite's own lock on an empty file: the system lets go of it when the
 * process ends, however it ends, so no stale lock is left behind.
 */
import { DatabaseSync } from "node:sqlite";

export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** Null when another process still holds it after `patienceMs`. Makes the file; its folder must be there. */
export function lockFile(path: string, patienceMs: number): FileLock | null {
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${patienceMs}; BEGIN EXCLUSIVE`);
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return { release: () => db.close() };
}

/** Whether some process holds it now. */
export function isFileLocked(path: string): boolean {
  const lock = lockFile(path, 0);
  lock?.release();
  return lock === null;
}
