/**
 * Databases that only their owner can read, whatever the folder and the umask: they contain passwords and cookies.
 */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** Opens a database for writing; makes it, and what an older version wrote, private. */
export function openPrivateDatabase(path: string): DatabaseSync {
  keepDatabasePrivate(path);
  return new DatabaseSync(path);
}

/**
 * Makes the file before SQLite does, whose other files (WAL and index) get the same permissions. One that exists is never opened
 * here: closing it would release the locks that this process has on it.
 */
export function keepDatabasePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch {
    // It exists, or cannot be made: then SQLite says why.
    for (const file of [path, `${path}-wal`, `${path}-shm`]) keepPrivate(file);
  }
}

/** Takes the permissions of everyone else away. What belongs to someone else, or to a read-only disk, stays as it is. */
export function keepPrivate(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS & 0o7777);
  } catch {
    // Missing, or not ours to change.
  }
}
