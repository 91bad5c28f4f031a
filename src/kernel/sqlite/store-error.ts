/** Turns an SQLite error about a file into a TrawlError that names the file and says what to do. */
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { openPrivateDatabase } from "./private-files.ts";

/** SQLite's primary result codes; the bits above the lowest eight only add detail. */
const PRIMARY = 0xff;
const IN_USE = new Set([5, 6]); // BUSY, LOCKED
const DAMAGED = new Set([11, 26]); // CORRUPT, NOTADB
const OUT_OF_REACH = new Set([3, 8, 10, 13, 14]); // PERM, READONLY, IOERR, FULL, CANTOPEN

/** Whether the file cannot be opened or written: no permission, a full disk, or a read-only one. */
export function isOutOfReach(error: unknown): boolean {
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  if (errcode !== undefined) return OUT_OF_REACH.has(errcode & PRIMARY);
  return error instanceof TrawlError && cause !== undefined && isOutOfReach(cause);
}

/** An error that is not about the file, such as a mistake in SQL, is returned unchanged. */
export function storeError(error: unknown, place: string): unknown {
  const { errcode = 0, message } = error as { errcode?: number; message?: string };
  const code = errcode & PRIMARY;
  const failed = (what: string, hint?: string) =>
    new TrawlError("STORE_FAILED", `${place} ${what}: ${message}.`, { cause: error, hint });
  if (OUT_OF_REACH.has(code)) return failed("cannot be opened or written");
  if (IN_USE.has(code)) return failed("is in use", "Another program is using it. Try again later.");
  if (DAMAGED.has(code)) {
    return failed(
      "is damaged",
      "Restore it from a backup, or delete it: `trawl crawls rm <id>` deletes a crawl; if registry.db is missing, Trawl creates a new one.",
    );
  }
  return error;
}

/** Opens and prepares a database; if that fails, closes it and throws an error that names it. */
export function openStore(
  path: string,
  ready: (db: DatabaseSync) => void,
  open: (path: string) => DatabaseSync = openPrivateDatabase,
): DatabaseSync {
  let db: DatabaseSync | null = null;
  try {
    db = open(path);
    ready(db);
    return db;
  } catch (error) {
    db?.close();
    throw storeError(error, path);
  }
}
