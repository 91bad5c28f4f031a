/**
 * Databases that only their owner can read, whatever the folder and the umask: they contain passwords and cookies.
 */
import { chmodSync, closeSync, openSync, type Stats, statSync } from "node:fs";
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
    for (const file of [path, `${path}-wal`, `${path}-shm`]) keepFilePrivate(file);
  }
}

/**
 * Takes the permissions of everyone else away from a file. What belongs to someone else, or is on a read-only disk, stays as it is.
 * So does anything that is not a file: `/tmp`, given where a database is expected, must not be closed to all other users.
 */
export const keepFilePrivate = (path: string): void => keepPrivate(path, (found) => found.isFile());

/** The same for a folder of ours. */
export const keepFolderPrivate = (path: string): void => keepPrivate(path, (found) => found.isDirectory());

function keepPrivate(path: string, isOurs: (found: Stats) => boolean): void {
  try {
    const found = statSync(path);
    if (isOurs(found) && (found.mode & OTHERS) !== 0) chmodSync(path, found.mode & ~OTHERS & 0o7777);
  } catch {
    // Missing, or not ours to change.
  }
}
