/** Checks the options of `crawl()` that are no settings: who writes JavaScript has no types to be told by. */
import { TrawlError } from "../../errors.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import type { CrawlOptions } from "./library.ts";

type OnUrl = CrawlOptions["onUrl"];

const ANSWERS: ReadonlySet<unknown> = new Set<UrlAction | undefined>(["crawl", "record", "skip", undefined]);

export function checkOptions(url: unknown, options: CrawlOptions): void {
  if (typeof url !== "string") throw new TrawlError("BAD_URL", "The URL must be a string.");
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
