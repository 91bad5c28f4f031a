/**
 * A lock that one process holds at a time. It is SQLite's lock on an empty file: the system releases it when the
 * process ends, however it ends, so there are no stale locks.
 */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { openPrivateDatabase } from "../kernel/sqlite/private-files.ts";

export interface FileLock {
  /** May be called again. */
  release(): void;
}

const SQLITE_BUSY = 5;

/** Locks held by this process: one that the caller keeps no reference to must not be released by the garbage collector. */
const held = new Set<DatabaseSync>();

/**
 * Returns null when another process still holds the lock after `patienceMs`. Creates the file; its folder must exist.
 */
export function lockFile(path: string, patienceMs: number): FileLock | null {
  const db = openPrivateDatabase(path);
  try {
    // Without a journal on the disk nothing is written: a workspace on a full disk can be locked too.
    db.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`);
  } catch (error) {
    db.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  held.add(db);
  return {
    release: () => {
      if (held.delete(db)) db.close();
    },
  };
}

const LOOK_MS = 20;

/** The same without holding up this thread meanwhile. */
export async function lockPatiently(path: string, patienceMs: number): Promise<FileLock | null> {
  for (const end = performance.now() + patienceMs; ; ) {
    const lock = lockFile(path, 0);
    if (lock !== null || performance.now() >= end) return lock;
    await setTimeout(LOOK_MS);
  }
}

/**
 * Whether any process holds the lock now. Looking takes a reader's lock, so that two processes that look at once do not
 * each take the other for the holder, and writes nothing.
 */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    db.prepare("SELECT 1 FROM sqlite_master").get();
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return true;
    throw error;
  } finally {
    db.close();
  }
}
