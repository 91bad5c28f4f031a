/** Where a crawl of the library is kept: the user's file, that no second crawl may use meanwhile, or a folder that goes with it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { lockFile } from "../kernel/sqlite/file-lock.ts";

export interface RunStore {
  path: string;
  release(): void;
}

export function openRunStore(database: string | undefined): RunStore {
  if (database === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "trawl-"));
    return { path: join(folder, "crawl.db"), release: () => rmSync(folder, { recursive: true, force: true }) };
  }
  // Two crawls in one file would both fetch every URL, and give the same number to different texts.
  const lock = lockDatabase(database);
  if (lock === null) throw new TrawlError("CRAWL_BUSY", `Another crawl is using ${database}.`);
  return { path: database, release: () => lock.release() };
}

/** What SQLite says of a file that it cannot open, as an error of ours; any other error as it is. */
export function cannotOpen(path: string, error: unknown): unknown {
  if ((error as { code?: unknown }).code !== "ERR_SQLITE_ERROR") return error;
  return new TrawlError("STORE_FAILED", `${path} cannot be opened: ${(error as Error).message}.`, { cause: error });
}

function lockDatabase(database: string) {
  try {
    return lockFile(`${database}-lock`, 0);
  } catch (error) {
    throw cannotOpen(database, error);
  }
}
