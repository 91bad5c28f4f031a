/**
 * Opens a database to read it, even where nothing can be written: on a full disk or a read-only one. A database in WAL mode is
 * normally read with the help of a file next to it (`-shm`), which SQLite has to create.
 */
import { statSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isOutOfReach } from "./store-error.ts";

/** How a database can be read: its path, or an address with SQLite's parameters, and what to set first. */
export interface ReadingWay {
  location: string;
  pragma: string;
}

/** Ways without a file of our own. They take no lock, so they are only for where nobody can write. */
function waysWithoutWriting(path: string): ReadingWay[] {
  const address = (parameters: string) => `${pathToFileURL(path).href}?${parameters}`;
  // Without changes in the WAL, the file is all there is. Otherwise they are read too, with the index of them in memory.
  if (sizeOf(`${path}-wal`) === 0) return [{ location: address("immutable=1"), pragma: "" }];
  if (process.platform === "win32") return [];
  return [{ location: address("vfs=unix-none&mode=ro"), pragma: "PRAGMA locking_mode = EXCLUSIVE" }];
}

/** Throws the first error if the database cannot be read at all. */
export function readingWay(path: string): ReadingWay {
  const usual = { location: path, pragma: "" };
  try {
    open(usual, {}).close();
    return usual;
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    for (const way of waysWithoutWriting(path)) {
      try {
        open(way, {}).close();
        return way;
      } catch {
        // What was wrong first is what matters.
      }
    }
    throw error;
  }
}

/** As `new DatabaseSync(path, { readOnly: true })`, wherever the file can be read. */
export const openForReading = (path: string, options: DatabaseSyncOptions = {}): DatabaseSync =>
  open(readingWay(path), options);

/** SQLite opens files only when something is read. */
function open({ location, pragma }: ReadingWay, options: DatabaseSyncOptions): DatabaseSync {
  const db = new DatabaseSync(location, { ...options, readOnly: true });
  try {
    db.exec(`PRAGMA busy_timeout = 5000; ${pragma}`);
    db.prepare("SELECT 1 FROM sqlite_master").get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
