/** Where a crawl of the library is kept: the user's file, that no second crawl may use meanwhile, or a folder that goes with it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { lockFile } from "../../storage/file-lock.ts";

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

function lockDatabase(database: string) {
  try {
    return lockFile(`${database}-lock`, 0);
  } catch (error) {
    throw storeError(error, database);
  }
}
