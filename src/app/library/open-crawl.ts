/**
 * `openCrawl()`: reads a crawl of the data folder, row by row; and `savedSettings()`, the settings saved there for a
 * site.
 */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import type { z } from "zod";
import type { SiteOptions } from "../../site/site-config.ts";
import type { App } from "../app.ts";
import type { Operation } from "../operations/operation.ts";

/** Where to look. */
export interface HomeOptions {
  /** The data folder; TRAWL_HOME or `~/.trawl` if it is missing. */
  home?: string;
}

/** Which URLs to read, and which of their fields. */
export interface UrlsWanted {
  /** Names of fields; url, status, title, reason and depth if it is missing. */
  fields?: string[];
  /** Tests such as `status>=400` or `title~shop`; all must match. */
  filter?: string[];
  /** Text that the URL or title contains. */
  search?: string | null;
  /** A field; `-` before it for descending. */
  sort?: string | null;
}

/** Which links; all if nothing is given. */
export interface LinksWanted {
  /** What is known about the target. */
  state?: LinkRow["state"] | null;
  /** Only internal links, or only external ones. */
  internal?: "yes" | "no" | null;
  /** Only links with nofollow, or only those without. */
  nofollow?: "yes" | "no" | null;
  /** The first digit of the target's status: 3 for redirects, 4 and 5 for errors. */
  statusClass?: number | null;
  /** Text that source, target or anchor contains. */
  search?: string | null;
}

/** Which findings of a rule. */
export interface FindingsWanted {
  /**
   * All findings (the default); open findings, which nobody has accepted or ignored; or a state compared with the
   * previous crawl.
   */
  state?: "all" | "open" | "new" | "still" | "back" | "fixed";
}

/** Fields by name: text, a number, true or false, or null when the fact is missing. */
export type UrlRow = Record<string, string | number | boolean | null>;

/** A link of the crawl. */
export interface LinkRow {
  /** The page that has the link. */
  source: string;
  /** Where it leads. */
  target: string;
  /** anchor, image, script, and so on. */
  type: string;
  /** The text of the link. */
  text: string;
  /** Where on the page it is: navigation, content, footer, and so on. */
  position: string;
  nofollow: boolean;
  /** The target is within the site. */
  internal: boolean;
  /** It is present only after scripts ran. */
  rendered: boolean;
  /** Of the target; null when it was not fetched or did not answer. */
  status: number | null;
  /** Why the target did not answer. */
  error: string | null;
  /** `unverified`: the host turns crawlers away or was busy. `unchecked`: it was not fetched. */
  state: "alive" | "dead" | "unverified" | "unchecked";
  /** Why the target was not fetched. */
  reason: string | null;
}

/** What a rule of the audit found. */
export interface IssueRow {
  /** Its id, such as `title.missing`. */
  rule: string;
  /** Its subject: titles, images, links, and so on. */
  group: string;
  /** In words. */
  name: string;
  severity: "error" | "warning" | "notice";
  priority: "high" | "medium" | "low";
  /** URLs with this issue. */
  found: number;
  /** How many of them nobody has accepted or ignored. */
  open: number;
  accepted: number;
  ignored: number;
  /** URLs that the rule was applied to. */
  applies: number;
}

/** A URL on which a rule found something. */
export interface FindingRow {
  url: string;
  /** What was found there, one thing per line. */
  evidence: string | null;
  /** Compared with the previous crawl; null when there was none. */
  change: "new" | "still" | "back" | "fixed" | null;
  status: number | null;
  title: string | null;
  /** How many links lead to it. */
  inlinks: number;
  /** The first pages that link to it. */
  linkedFrom: { url: string; text: string }[];
}

/** A crawl in short. */
export interface CrawlDescription {
  id: number;
  startUrls: string[];
  /** `running`, `paused`, `completed`, `limit_reached`, `stopped`, `blocked` or `failed`. */
  state: string;
  /** How it ended and what to do next, in words; null when there is nothing to report. */
  message: string | null;
  /** ISO 8601, in UTC. */
  startedAt: string;
  durationMs: number;
  /** URLs that were found, */
  discovered: number;
  /** and fetched; */
  crawled: number;
  /** How many of them are pages: HTML that answered 2xx. */
  pages: number;
  /** URLs still to be crawled. */
  open: number;
  /** All settings, without secrets. */
  settings: Record<string, unknown>;
}

/** A crawl that is open for reading. Close it, or declare it with `await using`. */
export interface OpenCrawl extends AsyncDisposable {
  /** Its number. */
  readonly id: number;
  /** Its settings, counts, and how it ended. */
  describe(): Promise<CrawlDescription>;
  /** Every URL that was found, or those that match. The reference of fields lists the field names. */
  urls(wanted?: UrlsWanted): AsyncGenerator<UrlRow>;
  /** Every link, or those that match. */
  links(wanted?: LinksWanted): AsyncGenerator<LinkRow>;
  /** The rules of the audit that found something, worst first; empty if the crawl was not audited. */
  issues(): AsyncGenerator<IssueRow>;
  /** The URLs on which a rule, such as `title.missing`, found something. */
  findings(rule: string, wanted?: FindingsWanted): AsyncGenerator<FindingRow>;
  /** Lets go of the files. */
  close(): Promise<void>;
}

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
    // An unknown number is refused here, not at the first row.
    app.crawls.get(id);
    return new StoredCrawl(app, id);
  } catch (error) {
    await app.close();
    throw error;
  }
}

class StoredCrawl implements OpenCrawl {
  readonly id: number;
  readonly #app: App;

  constructor(app: App, id: number) {
    this.#app = app;
    this.id = id;
  }

  async describe(): Promise<CrawlDescription> {
    const { describeCrawl } = await import("../operations/crawls.ts");
    const { crawl, summary } = await this.#ask(describeCrawl, {});
    const { id, startUrls, state, message, startedAt, durationMs, settings } = crawl;
    const { discovered, crawled, pages, open } = summary;
    return { id, startUrls, state, message, startedAt, durationMs, discovered, crawled, pages, open, settings };
  }

  async *urls(wanted: UrlsWanted = {}): AsyncGenerator<UrlRow> {
    const { listUrls } = await import("../operations/urls.ts");
    // Rows of SQLite have no prototype; those of a library are plain objects.
    for await (const row of this.#rows((page) => this.#ask(listUrls, { ...wanted, ...page }))) yield { ...row };
  }

  async *links(wanted: LinksWanted = {}): AsyncGenerator<LinkRow> {
    const { searchLinks } = await import("../operations/links.ts");
    yield* this.#rows((page) => this.#ask(searchLinks, { ...wanted, ...page }));
  }

  async *issues(): AsyncGenerator<IssueRow> {
    const { listIssues } = await import("../operations/issues.ts");
    yield* (await this.#ask(listIssues, {})).rows;
  }

  async *findings(rule: string, wanted: FindingsWanted = {}): AsyncGenerator<FindingRow> {
    const { listFindings } = await import("../operations/issues.ts");
    yield* this.#rows((page) => this.#ask(listFindings, { ...wanted, ...page, rule }));
  }

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
 * included. `crawl()` itself depends only on its arguments; with these settings, it crawls as `trawl crawl` would.
 *
 * ⏎ @example const run = crawl(url, { ...(await savedSettings(url)), maxUrls: 500 });
 */
export async function savedSettings(url: string, options: HomeOptions = {}): Promise<SiteOptions> {
  const app = await openApp(options);
  try {
    // Resolved like any crawl's settings, so that the error names a value that is no longer valid.
    const resolved = app.configs.resolve(url);
    const saved = Object.keys(app.configs.saved(url));
    return Object.fromEntries(Object.entries(resolved).filter(([name]) => saved.includes(name)));
  } finally {
    await app.close();
  }
}

/** Loaded here, because a program that only crawls does not need it. */
async function openApp({ home }: HomeOptions): Promise<App> {
  const [{ App }, { openHome }] = await Promise.all([import("../app.ts"), import("../home.ts")]);
  const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, "utf8")) as { version: string };
  const env = home === undefined ? process.env : { TRAWL_HOME: home };
  return new App({ version, home: () => openHome(env), updateCheck: false });
}
