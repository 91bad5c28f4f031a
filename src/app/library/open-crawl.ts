/** `openCrawl()`: reads a crawl of the data folder, row by row; and `savedSettings()`, what was saved there for a site. */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import type { z } from "zod";
import type { SiteOptions } from "../../site/site-config.ts";
import type { App } from "../app.ts";
import type { DescribedCrawl } from "../operations/crawls.ts";
import type { FindingsAnswer, FindingsQuestion, IssueAnswer } from "../operations/issues.ts";
import type { LinkSearchQuestion, LinksOfCrawlAnswer } from "../operations/links.ts";
import type { Operation } from "../operations/operation.ts";
import type { UrlsQuestion } from "../operations/urls.ts";

/** Where to look. */
export interface HomeOptions {
  /** The data folder; TRAWL_HOME or `~/.trawl` if it is missing. */
  home?: string;
}

/** Which URLs, and what of them. */
export type UrlsWanted = Partial<Pick<UrlsQuestion, "fields" | "filter" | "search" | "sort">>;
/** Which links; all if nothing is given. */
export type LinksWanted = Partial<Omit<LinkSearchQuestion, "id" | "limit" | "cursor">>;
/** Which findings of a rule; all if nothing is given. */
export type FindingsWanted = Partial<Pick<FindingsQuestion, "state">>;

/** A value of a field: text, a number, or null when there is none. */
export type UrlRow = Record<string, string | number | null>;
/** A link of the crawl: source, target, text, position, and what is known of its target. */
export type LinkRow = LinksOfCrawlAnswer["rows"][number];
/** What a rule of the audit found: how often, how severe. */
export type IssueRow = IssueAnswer["issues"][number];
/** A URL on which a rule found something. */
export type FindingRow = FindingsAnswer["rows"][number];
/** The crawl with its settings, counts and end; what `trawl show --json` prints. */
export type CrawlDescription = DescribedCrawl;

/** As many rows as one answer may have. */
const ROWS_AT_ONCE = 1_000;

/**
 * Opens a crawl that the command line, the web app or an agent made. It can be read while it runs.
 *
 * @param crawl Its number, its site, or `last`: the newest that did not fail.
 * @throws TrawlError CRAWL_NOT_FOUND
 * @example
 * await using crawl = await openCrawl("last");
 * for await (const { url, status } of crawl.urls({ filter: ["status>=400"] })) console.log(status, url);
 */
export async function openCrawl(crawl: number | string, options: HomeOptions = {}): Promise<OpenCrawl> {
  const app = await openApp(options);
  try {
    const { crawlId } = await import("../crawls/named-crawl.ts");
    const id = crawlId(app, String(crawl));
    // An unknown number is refused here, not with the first row.
    app.crawls.get(id);
    return new OpenCrawl(app, id);
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** A crawl that is open for reading. Close it, or declare it with `await using`. */
export class OpenCrawl implements AsyncDisposable {
  /** Its number. */
  readonly id: number;
  readonly #app: App;

  constructor(app: App, id: number) {
    this.#app = app;
    this.id = id;
  }

  /** Its settings, counts, and how it ended. */
  async describe(): Promise<CrawlDescription> {
    const { describeCrawl } = await import("../operations/crawls.ts");
    return this.#ask(describeCrawl, {});
  }

  /** Every URL that was found, or those that match; see `docs/reference/fields.md` for the fields. */
  async *urls(wanted: UrlsWanted = {}): AsyncGenerator<UrlRow> {
    const { listUrls } = await import("../operations/urls.ts");
    // Rows of SQLite have no prototype; those of a library are plain objects.
    for await (const row of this.#rows((page) => this.#ask(listUrls, { ...wanted, ...page }))) yield { ...row };
  }

  /** Every link, or those that match. */
  async *links(wanted: LinksWanted = {}): AsyncGenerator<LinkRow> {
    const { searchLinks } = await import("../operations/links.ts");
    yield* this.#rows((page) => this.#ask(searchLinks, { ...wanted, ...page }));
  }

  /** The rules of the audit that found something, the worst first; none if the crawl was not audited. */
  async *issues(): AsyncGenerator<IssueRow> {
    const { listIssues } = await import("../operations/issues.ts");
    yield* (await this.#ask(listIssues, {})).issues;
  }

  /** The URLs on which a rule, such as `title.missing`, found something. */
  async *findings(rule: string, wanted: FindingsWanted = {}): AsyncGenerator<FindingRow> {
    const { listFindings } = await import("../operations/issues.ts");
    yield* this.#rows((page) => this.#ask(listFindings, { ...wanted, ...page, rule }));
  }

  /** Lets go of the files. */
  close(): Promise<void> {
    return this.#app.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #ask<Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    question: Omit<z.input<Input>, "id">,
  ): Promise<z.output<Output>> {
    const { ask } = await import("../operations/operation.ts");
    return ask(this.#app, operation, { ...question, id: this.id } as unknown as z.input<Input>);
  }

  async *#rows<Row>(
    read: (page: { limit: number; cursor: string | null }) => Promise<{ rows: Row[]; next: string | null }>,
  ): AsyncGenerator<Row> {
    let cursor: string | null = null;
    do {
      const { rows, next }: { rows: Row[]; next: string | null } = await read({ limit: ROWS_AT_ONCE, cursor });
      yield* rows;
      cursor = next;
    } while (cursor !== null);
  }
}

/**
 * The settings that were saved for the site of a URL, in the web app or with `trawl config save`, passwords and headers
 * included. `crawl()` itself depends on nothing but its arguments; with these it crawls as `trawl crawl` would.
 *
 * @example
 * const run = crawl(url, { ...(await savedSettings(url)), maxUrls: 500 });
 */
export async function savedSettings(url: string, options: HomeOptions = {}): Promise<SiteOptions> {
  const app = await openApp(options);
  try {
    // Resolved like any crawl's settings, so that what is no longer valid is named here.
    const resolved = app.configs.resolve(url);
    const saved = Object.keys(app.configs.saved(url));
    return Object.fromEntries(Object.entries(resolved).filter(([name]) => saved.includes(name)));
  } finally {
    await app.close();
  }
}

/** Loaded here: a program that only crawls needs none of it. */
async function openApp({ home }: HomeOptions): Promise<App> {
  const [{ App }, { openHome }] = await Promise.all([import("../app.ts"), import("../home.ts")]);
  const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, "utf8")) as { version: string };
  const env = home === undefined ? process.env : { TRAWL_HOME: home };
  return new App({ version, home: () => openHome(env), updateCheck: false });
}
