/** `crawl()`: a crawl as one call, its pages as an async iterator, and callbacks for those who prefer them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import type { SiteOptions } from "../site/config.ts";
import type { UrlAction } from "../site/gate.ts";
import { parseConfig } from "../site/parse-config.ts";
import { SiteCrawl } from "../site/site-crawl.ts";
import { siteCanonicalizer } from "../site/url-rules.ts";
import { prepareBase } from "../web/url.ts";
import { normalizeUrl } from "./normalize-url.ts";
import { type Page, pageOf, type Resource, resourceOf } from "./page.ts";

export type { Page, PageLink, Resource } from "./page.ts";

export interface CrawlOptions extends SiteOptions {
  /** Decides on each URL, once: crawl, record or skip. Without an answer, trackers are skipped and all else is crawled. */
  onUrl?: (url: string) => UrlAction | undefined;
  /** Called for every page of HTML, in a fixed order. */
  onPage?: (page: Page) => void;
  /** Called for everything else that was fetched, and for what could not be. */
  onResource?: (resource: Resource) => void;
  onComplete?: (summary: CrawlSummary) => void;
  /** Stops the crawl when it aborts. */
  signal?: AbortSignal;
  /** The database file to crawl into, or to go on with. Without one the crawl leaves nothing behind. */
  database?: string;
}

export interface CrawlSummary {
  state: "completed" | "stopped" | "failed";
  discovered: number;
  crawled: number;
  /** URLs that are still to be crawled; over 0 when the crawl was stopped. */
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  /** How many URLs were not crawled for each reason. */
  reasons: Record<string, number>;
}

/** Pages that wait for a slow reader before the crawl waits with them. */
const MAX_WAITING = 100;

/** Starts at once. Iterate over it, or await its `summary`. */
export function crawl(url: string, options: CrawlOptions = {}): Run {
  return new Run(url, options);
}

export class Run implements AsyncIterable<Page> {
  readonly #summary: Promise<CrawlSummary>;
  readonly #started: Promise<SiteCrawl>;
  readonly #waiting: Page[] = [];
  #site: SiteCrawl | null = null;
  #wake: (() => void) | null = null;
  #ended = false;
  /** Whether somebody reads the pages: without callbacks a loop is expected, and pages wait for it to begin. */
  #reader: "expected" | "reading" | "none";
  #paused = false;

  constructor(url: string, options: CrawlOptions) {
    this.#reader = (options.onPage ?? options.onResource ?? options.onComplete) ? "none" : "expected";
    this.#started = this.#start(url, options);
    this.#summary = this.#finish(options);
    // Whoever only iterates is told by the iterator.
    this.#summary.catch(() => {});
  }

  /**
   * Resolves when the crawl has ended; rejects when it could not start or its database failed. Asked for before any
   * loop has begun, it means that nobody wants the pages one by one.
   */
  get summary(): Promise<CrawlSummary> {
    if (this.#reader === "expected") {
      this.#reader = "none";
      this.#waiting.length = 0;
      this.#site?.nudge();
    }
    return this.#summary;
  }

  /** Lets requests under way land, and resolves when all of it is stored. */
  async pause(): Promise<void> {
    this.#paused = true;
    await (await this.#started).pause();
  }

  async resume(): Promise<void> {
    this.#paused = false;
    (await this.#started).resume();
  }

  /** Resolves when no socket is open; with a `database` the crawl can be gone on with later. */
  async stop(): Promise<CrawlSummary> {
    await (await this.#started).stop();
    return this.#summary;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Page> {
    this.#reader = "reading";
    try {
      for (;;) {
        const page = this.#waiting.shift();
        if (page !== undefined) {
          if (this.#waiting.length === MAX_WAITING - 1) this.#site?.nudge();
          yield page;
        } else if (this.#ended) {
          await this.#summary;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      // Leaving the loop early means that nobody wants the rest.
      if (!this.#ended) await this.stop();
    }
  }

  async #start(url: string, options: CrawlOptions): Promise<SiteCrawl> {
    const { onUrl, onPage, onResource, onComplete: _, signal, database, ...settings } = options;
    // Errors in the options reach the caller as a rejection, not as a throw.
    await Promise.resolve();
    const config = parseConfig(settings);
    const normal = normalizeUrl(url);
    const start = siteCanonicalizer(config)(normal, prepareBase(normal));
    if (typeof start !== "string") throw new TrawlError("BAD_URL");
    const folder = database === undefined ? mkdtempSync(join(tmpdir(), "trawl-")) : null;
    const leaveNothing = () => folder !== null && rmSync(folder, { recursive: true, force: true });
    const starting = SiteCrawl.start({
      database: database ?? join(folder!, "crawl.db"),
      config,
      startUrls: [start],
      seeds: { via: "initial", batches: once([start]) },
      onUrl,
      isFull: () => this.#waiting.length >= MAX_WAITING,
      events: {
        onVisit: (task, visit, record) => {
          if (visit.content === null) return onResource?.(resourceOf(task, visit.response.status, record, null));
          if (onPage === undefined && this.#reader === "none") return;
          const page = pageOf(task, visit, record);
          onPage?.(page);
          this.#deliver(page);
        },
        onFailure: (task, error) => onResource?.(resourceOf(task, null, null, error)),
      },
    });
    starting.catch(leaveNothing);
    const site = await starting;
    const stop = () => site.stop();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    site.ended.finally(() => {
      // One signal may see many crawls; it is not to hold on to them all.
      signal?.removeEventListener("abort", stop);
      leaveNothing();
    });
    if (this.#paused) site.pause();
    this.#site = site;
    return site;
  }

  #deliver(page: Page): void {
    if (this.#reader === "none") return;
    this.#waiting.push(page);
    this.#wake?.();
  }

  async #finish(options: CrawlOptions): Promise<CrawlSummary> {
    try {
      const site = await this.#started;
      const end = await site.ended;
      if (end.state === "failed") throw end.error;
      const { discovered, crawled, open, recorded, skipped, errors } = site.progress();
      const reasons = Object.fromEntries(site.reasons());
      const summary = { state: end.state, discovered, crawled, open, recorded, skipped, errors, reasons };
      options.onComplete?.(summary);
      return summary;
    } finally {
      this.#ended = true;
      this.#wake?.();
    }
  }
}

async function* once(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}
