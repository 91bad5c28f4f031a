/** What SQLite says of a file that failed, as an error of ours: which file it is, and what can be done about it. */
import { DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { TrawlError } from "../../errors.ts";

/** SQLite's primary result codes; the bits above the first eight only say more of the same. */
const PRIMARY = 0xff;
const IN_USE = new Set([5, 6]); // BUSY, LOCKED
const DAMAGED = new Set([11, 26]); // CORRUPT, NOTADB
const OUT_OF_REACH = new Set([3, 8, 10, 13, 14]); // PERM, READONLY, IOERR, FULL, CANTOPEN

/** An error that tells nothing of the file, such as a mistake in SQL, comes back as it is. */
export function storeError(error: unknown, place: string): unknown {
  const { errcode = 0, message } = error as { errcode?: number; message?: string };
  const code = errcode & PRIMARY;
  const failed = (what: string, hint?: string) =>
    new TrawlError("STORE_FAILED", `${place} ${what}: ${message}.`, { cause: error, hint });
  if (OUT_OF_REACH.has(code)) return failed("cannot be opened or written");
  if (IN_USE.has(code)) return failed("is in use", "Another program holds it: try again.");
  if (DAMAGED.has(code)) {
    return failed(
      "is damaged",
      "Put back a copy of it, or give it up: `trawl crawls rm <id>` deletes a crawl, and Trawl creates a new registry.db when the old one is moved away.",
    );
  }
  return error;
}

/** Opens a database and makes it ready; one that fails at it is named, and not held on to. */
export function openStore(path: string, options: DatabaseSyncOptions, ready: (db: DatabaseSync) => void): DatabaseSync {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, options);
    ready(db);
    return db;
  } catch (error) {
    db?.close();
    throw storeError(error, path);
  }
}
