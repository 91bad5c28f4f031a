/** `crawl()`: a crawl as one call, its pages as an async iterator, and callbacks for those who prefer them. */
import { TrawlError } from "../../errors.ts";
import type { CrawlEnd } from "../../kernel/crawl.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { type EndState, endState, endText } from "../../site/crawl-end.ts";
import { parseConfig, type SiteOptions } from "../../site/site-config.ts";
import { SiteCrawl, type SiteProgress } from "../../site/site-crawl.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import { seedSources } from "../../site/site-seeds.ts";
import { type ReadEnd, readEnd } from "../../site/store/end-facts.ts";
import { sqliteSiteStore } from "../../site/store/site-store.ts";
import { siteCanonicalizer } from "../../site/url-rules.ts";
import { prepareBase } from "../../web/url.ts";
import { normalizeUrl } from "../url-input.ts";
import { checkedOnUrl, checkOptions, openRunStore } from "./library-options.ts";
import { type Page, pageOf, type Resource, resourceOf, UrlActions } from "./page.ts";

export type { Page, PageLink, Resource } from "./page.ts";

export interface CrawlOptions extends SiteOptions {
  /** Decides on each URL, at once and once: crawl, record or skip. Without an answer, trackers are skipped and all else is crawled. */
  onUrl?: (url: string) => UrlAction | undefined;
  /** Called for every page of HTML, in a fixed order. */
  onPage?: (page: Page) => void;
  /** Called for everything else that was fetched, and for what could not be. */
  onResource?: (resource: Resource) => void;
  /**
   * Called when the crawl has ended, and waited for before `summary` and `stop()` resolve. In it both may be asked for:
   * they resolve at once, to the summary that it was given.
   */
  onComplete?: (summary: CrawlSummary) => void;
  /** Stops the crawl when it aborts. */
  signal?: AbortSignal;
  /** The database file to crawl into, or to go on with. Without one the crawl leaves nothing behind. */
  database?: string;
}

export interface CrawlSummary {
  /**
   * `completed`; `limit_reached`, when a limit on URLs left some out; `stopped`; `paused`, when a host stopped answering;
   * `blocked` or `failed`, when the crawl got nothing.
   */
  state: EndState;
  /** How it ended and what to do next, in words; null when there is nothing to say. */
  message: string | null;
  /** Pages: HTML that answered 2xx. */
  totalPages: number;
  /** URLs that were found, */
  discovered: number;
  /** and fetched, whatever came back. */
  crawled: number;
  /** URLs that are still to be crawled; over 0 when the crawl was stopped, or a host stopped answering. */
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  /** How many URLs were not crawled for each reason. */
  reasons: Record<string, number>;
}

export interface CrawlProgress {
  /** `new` until the crawl has started. */
  state: SiteProgress["state"];
  /** URLs that were found, */
  discovered: number;
  /** and fetched, whatever came back. */
  crawled: number;
  /** URLs that are still to be crawled. */
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  retries: number;
  /** Requests that are under way. */
  inFlight: number;
}

const NO_COUNTS = { discovered: 0, crawled: 0, open: 0, recorded: 0, skipped: 0, errors: 0, retries: 0, inFlight: 0 };
const NOT_STARTED: CrawlProgress = { state: "new", ...NO_COUNTS };

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
  readonly #actions = new UrlActions();
  #site: SiteCrawl | null = null;
  /** How the crawl ended, read before its database is let go of; null when the engine failed. */
  #end: Promise<ReadEnd | null> = Promise.resolve(null);
  /** Settled when a page or the end has come; there may be several loops. */
  #news = Promise.withResolvers<void>();
  #ended = false;
  /** While `onComplete` runs: whoever asks then may be `onComplete` itself, and would wait for its own end. */
  #completing: CrawlSummary | null = null;
  /** What a callback's promise rejected with. */
  #failure: { error: unknown } | null = null;
  /** Whether somebody reads the pages: without callbacks a loop is expected, and pages wait for it to begin. */
  #reader: "expected" | "reading" | "none";
  #paused = false;

  constructor(url: string, options: CrawlOptions) {
    this.#reader = (options.onPage ?? options.onResource ?? options.onComplete) ? "none" : "expected";
    this.#started = this.#start(url, options);
    this.#summary = this.#finish(options);
    if (this.#reader === "expected") this.#leaveToLoop();
  }

  /**
   * Resolves when the crawl has ended; rejects when it could not start or its database failed. Asked for before any
   * loop has begun, it means that nobody wants the pages one by one. While `onComplete` runs it is resolved already;
   * only a promise that was asked for earlier waits for `onComplete`, and is not to be awaited in it.
   */
  get summary(): Promise<CrawlSummary> {
    if (this.#completing !== null) return Promise.resolve(this.#completing);
    if (this.#reader === "expected") {
      this.#reader = "none";
      this.#waiting.length = 0;
      this.#site?.nudge();
    }
    return this.#summary;
  }

  /** How far the crawl is, at this moment; all counts are 0 until it has started. */
  get progress(): CrawlProgress {
    return this.#site?.progress() ?? NOT_STARTED;
  }

  /** Lets requests under way land, and resolves when all of it is stored. */
  async pause(): Promise<void> {
    this.#paused = true;
    await (await this.#running()).pause();
  }

  async resume(): Promise<void> {
    this.#paused = false;
    (await this.#running()).resume();
  }

  /** Resolves when no socket is open; with a `database` the crawl can be resumed later. In `onComplete`, at once. */
  async stop(): Promise<CrawlSummary> {
    return this.#completing ?? this.#halt();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Page> {
    // A loop in `onComplete` comes after all pages.
    if (this.#completing !== null) return;
    this.#reader = "reading";
    this.#leaveToLoop();
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
          await this.#news.promise;
        }
      }
    } finally {
      // Leaving the loop early means that nobody wants the rest.
      if (!this.#ended) await this.#halt();
    }
  }

  /** Stops, and waits for `onComplete` as well. */
  async #halt(): Promise<CrawlSummary> {
    await (await this.#running()).stop();
    return this.#summary;
  }

  async #start(url: string, options: CrawlOptions): Promise<SiteCrawl> {
    const { onUrl, onPage, onResource, onComplete: _, signal, database, ...settings } = options;
    // Errors in the options reach the caller as a rejection, not as a throw.
    await Promise.resolve();
    checkOptions(url, options);
    const config = parseConfig(settings);
    const normal = normalizeUrl(url);
    const start = siteCanonicalizer(config)(normal, prepareBase(normal));
    if (typeof start !== "string") throw new TrawlError("BAD_URL");
    const store = openRunStore(database);
    const site = await SiteCrawl.start({
      store: () => sqliteSiteStore(store.path),
      config,
      startUrls: [start],
      sources: seedSources({ via: "initial", batches: once([start]) }),
      onUrl: checkedOnUrl(onUrl),
      isFull: () => this.#waiting.length >= MAX_WAITING,
      events: {
        onVerdict: (id, action) => this.#actions.set(id, action),
        onVisit: (task, visit, record) => {
          if (visit.content === null) {
            this.#watch(onResource?.(resourceOf(task, visit.response.status, record, null)));
            return;
          }
          if (onPage === undefined && this.#reader === "none") return;
          const page = pageOf(task, visit, record, this.#actions);
          this.#watch(onPage?.(page));
          this.#deliver(page);
        },
        onFailure: (task, error) => this.#watch(onResource?.(resourceOf(task, null, null, error))),
      },
    }).catch((error) => {
      store.release();
      throw storeError(error, store.path);
    });
    const stop = () => site.stop();
    signal?.addEventListener("abort", stop, { once: true });
    const howItEnded = (end: CrawlEnd): ReadEnd | null => {
      if (end.state === "failed") return null;
      const how = end.state === "stopped" ? "stopped" : "drained";
      return readEnd(store.path, { ...end, how }, { mode: "site", config, startUrls: [start] });
    };
    // Comes before the summary, after which the same database may be asked for again.
    this.#end = site.ended.then(howItEnded).finally(() => {
      // One signal may see many crawls; it is not to hold on to them all.
      signal?.removeEventListener("abort", stop);
      store.release();
    });
    this.#end.catch(() => {});
    if (signal?.aborted || this.#failure !== null) stop();
    if (this.#paused) site.pause();
    this.#site = site;
    return site;
  }

  /** A callback's promise is not waited for; one that rejects ends the crawl, as a throw does. */
  #watch(answer: unknown): void {
    if (!(answer instanceof Promise)) return;
    answer.catch((error) => {
      // The summary is out: Node tells, as of any promise that nobody awaits.
      if (this.#ended) throw error;
      this.#failure ??= { error };
      this.#site?.stop();
    });
  }

  /** Whoever asks is told when the crawl could not start, and need not be told by the summary as well. */
  #running(): Promise<SiteCrawl> {
    return this.#started.catch(async (error) => {
      await this.#summary;
      throw error;
    });
  }

  /** The loop throws what the summary rejects with. Where there is none, an error that nobody awaits must not pass in silence. */
  #leaveToLoop(): void {
    this.#summary.catch(() => {});
  }

  #deliver(page: Page): void {
    if (this.#reader === "none") return;
    this.#waiting.push(page);
    this.#tell();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async #finish(options: CrawlOptions): Promise<CrawlSummary> {
    try {
      const site = await this.#started;
      const end = await site.ended;
      const read = await this.#end;
      if (end.state === "failed") throw end.error;
      if (this.#failure !== null) throw this.#failure.error;
      const { ending, pages: totalPages } = read!;
      const { discovered, crawled, open, recorded, skipped, errors } = site.progress();
      const reasons = Object.fromEntries(site.reasons());
      const summary: CrawlSummary = {
        ...{ state: endState(ending), message: endText(ending), totalPages },
        ...{ discovered, crawled, open, recorded, skipped, errors, reasons },
      };
      this.#completing = summary;
      await options.onComplete?.(summary);
      return summary;
    } finally {
      this.#completing = null;
      this.#ended = true;
      this.#tell();
    }
  }
}

async function* once(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}
