/**
 * What `crawl()` accepts besides settings: its options, which are checked because callers in JavaScript have no types,
 * and the file or folder that holds the crawl, which no second crawl may use meanwhile.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import { lockFile } from "../../storage/file-lock.ts";
import type { CrawlOptions } from "./library.ts";

type OnUrl = CrawlOptions["onUrl"];

const ANSWERS: ReadonlySet<unknown> = new Set<UrlAction | undefined>(["crawl", "record", "skip", undefined]);

export function checkOptions(start: unknown, options: CrawlOptions): void {
  const isList = Array.isArray(start);
  if (!(isList ? start : [start]).every((url) => typeof url === "string"))
    throw new TrawlError("BAD_URL", isList ? "Every URL of the list must be a string." : "The URL must be a string.");
  if (isList && start.length === 0) throw new TrawlError("BAD_URL", "The list contains no URLs.");
  for (const name of ["onUrl", "onPage", "onResource", "onComplete"] as const) {
    expect(name, options[name], "a function", typeof options[name] === "function");
  }
  const { signal, database } = options;
  expect("signal", signal, "an AbortSignal", signal instanceof AbortSignal);
  expect("database", database, "the path of a file", typeof database === "string" && database !== "");
}

function expect(name: string, value: unknown, what: string, isGood: boolean): void {
  if (value !== undefined && !isGood) throw new TrawlError("BAD_CONFIG", `${name}: expected ${what}`);
}

/** An invalid return value, such as a promise, must not reach the database as a verdict. */
export function checkedOnUrl(onUrl: OnUrl): OnUrl {
  if (onUrl === undefined) return undefined;
  return (url) => {
    const answer = onUrl(url);
    if (ANSWERS.has(answer)) return answer;
    throw new TrawlError("BAD_CONFIG", `onUrl: expected "crawl", "record", "skip" or undefined for ${url}`);
  };
}

/** Where the library stores a crawl: the caller's file, locked against a second crawl, or a temporary folder. */
export interface RunStore {
  path: string;
  release(): void;
}

export function openRunStore(database: string | undefined): RunStore {
  if (database === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "trawl-"));
    return { path: join(folder, "crawl.db"), release: () => rmSync(folder, { recursive: true, force: true }) };
  }
  // Two crawls in one file would both fetch every URL, and use the same number for different texts.
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
