/** What every command is given: the terminal, the crawls on this machine, and a place for its exit code. */
import type { Command } from "commander";
import type { Crawls } from "../../app/crawls/crawls.ts";
import type { CrawlRecord } from "../../app/crawls/registry.ts";
import { TrawlError } from "../../errors.ts";
import type { SiteReader } from "../../site/store/reader.ts";
import type { Terminal } from "./output/terminal.ts";

export interface Cli {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** 0 done, 1 failed, 2 bad usage or config, 3 interrupted and resumable. */
  exitCode: number;
}

/** The option that every command has. */
export interface JsonOption {
  json?: true;
}

export const addJson = (command: Command, description = "Print JSON, for scripts."): Command =>
  command.option("--json", description);

/** Opens the crawls of this machine for as long as `use` runs. */
export async function withCrawls<T>(cli: Cli, use: (crawls: Crawls) => T | Promise<T>): Promise<T> {
  // Loaded here, so that help and bad usage answer at once.
  const [{ Crawls }, { openHome }] = await Promise.all([
    import("../../app/crawls/crawls.ts"),
    import("../../app/home.ts"),
  ]);
  const crawls = new Crawls(openHome(cli.env));
  try {
    return await use(crawls);
  } finally {
    crawls.close();
  }
}

export interface OpenCrawl {
  crawls: Crawls;
  record: CrawlRecord;
  reader: SiteReader;
}

/** Opens one crawl's data for as long as `use` runs. */
export function withCrawl<T>(cli: Cli, typedId: string, use: (crawl: OpenCrawl) => T | Promise<T>): Promise<T> {
  return withCrawls(cli, async (crawls) => {
    const record = crawls.get(crawlId(crawls, typedId));
    const reader = crawls.read(record.id);
    try {
      return await use({ crawls, record, reader });
    } finally {
      reader.close();
    }
  });
}

/** The id that was typed: a number, or `last` for the newest crawl. */
export function crawlId(crawls: Crawls, typed: string): number {
  if (typed === "last") {
    const newest = crawls.list()[0];
    if (newest === undefined) throw new TrawlError("CRAWL_NOT_FOUND", "There is no crawl on this machine yet.");
    return newest.id;
  }
  if (!/^[1-9]\d{0,14}$/.test(typed)) {
    throw new TrawlError("BAD_USAGE", `"${typed}" is not a crawl id: give a number, or "last".`);
  }
  return Number(typed);
}

/** The URL that was typed, as this crawl writes it. */
export const crawlUrl = ({ crawls, record }: Pick<OpenCrawl, "crawls" | "record">, typed: string): string =>
  crawls.canonical(record.id, typed);
