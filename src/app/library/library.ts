/** `crawl()`: a crawl as one call, with its pages as an async iterator, or callbacks. */
import { TrawlError } from "../../errors.ts";
import type { CrawlEnd } from "../../kernel/crawl.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { type EndState, endState, endText } from "../../site/crawl-end.ts";
import { parseConfig, type SiteConfig, type SiteOptions } from "../../site/site-config.ts";
import { SiteCrawl, type SiteProgress } from "../../site/site-crawl.ts";
import type { UrlAction } from "../../site/site-gate.ts";
import { seedSources } from "../../site/site-seeds.ts";
import { type ReadEnd, readEnd } from "../../site/store/end-facts.ts";
import { sqliteSiteStore } from "../../site/store/site-store.ts";
import { siteCanonicalizer } from "../../site/url-rules.ts";
import { hostOf, prepareBase } from "../../web/url.ts";
import { listSettings } from "../crawls/url-list.ts";
import { normalizeUrl } from "../url-input.ts";
import { FoundOn } from "./found-on.ts";
import { checkedOnUrl, checkOptions, openRunStore } from "./library-options.ts";
import { type Page, pageOf, type Resource, resourceOf, UrlActions } from "./page.ts";

export type { Page, PageLink, Resource } from "./page.ts";

export interface CrawlOptions extends SiteOptions {
  /** Decides each URL once, synchronously: crawl, record or skip. If it returns undefined, trackers are skipped and everything else is crawled. */
  onUrl?: (url: string) => UrlAction | undefined;
  /** Called for every HTML page, in a fixed order. */
  onPage?: (page: Page) => void;
  /** Called for everything else that was fetched, and for URLs that could not be fetched. */
  onResource?: (resource: Resource) => void;
  /**
   * Called when the crawl has ended; `summary` and `stop()` wait for it. Inside it, both can be awaited: they resolve at once,
   * to the same summary.
   */
  onComplete?: (summary: CrawlSummary) => void;
  /** Stops the crawl when it aborts. */
  signal?: AbortSignal;
  /**
   * The database file for the crawl; if it exists, the crawl continues. If missing, the crawl leaves nothing behind.
   */
  database?: string;
}

export interface CrawlCounts {
  /** URLs that were found, */
  discovered: number;
  /** and fetched, whatever came back. */
  crawled: number;
  /** URLs still to be crawled. After the end, above 0 if the crawl was stopped or a host stopped answering. */
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
}

export interface CrawlSummary extends CrawlCounts {
  /**
   * `completed`; `limit_reached`, when a limit on URLs left some out; `stopped`; `paused`, when a host stopped answering;
   * `blocked` or `failed`, when the crawl got nothing.
   */
  state: EndState;
  /** How it ended and what to do next, in words; null when there is nothing to report. */
  message: string | null;
  /** Pages: HTML that answered 2xx. */
  totalPages: number;
  /** How many URLs were not crawled for each reason. */
  reasons: Record<string, number>;
}

export interface CrawlProgress extends CrawlCounts {
  /** `new` until the crawl has started. */
  state: SiteProgress["state"];
  retries: number;
  /** Requests in flight. */
  inFlight: number;
}

const NO_COUNTS = { discovered: 0, crawled: 0, open: 0, recorded: 0, skipped: 0, errors: 0, retries: 0, inFlight: 0 };
const NOT_STARTED: CrawlProgress = { state: "new", ...NO_COUNTS };

/** How many pages may wait for a slow reader before the crawl waits too. */
const MAX_WAITING = 100;

/**
 * Starts at once. Iterate over it, or await its `summary`.
 *
 * @param start Where to start; or a list of URLs, which are fetched without following links.
 */
export function crawl(start: string | readonly string[], options: CrawlOptions = {}): Run {
  return new Run(start, options);
}

/** What is crawled first. */
interface Start {
  mode: "site" | "list";
  config: SiteConfig;
  /** Canonical. */
  urls: string[];
  /** For a list, one URL per host. */
  hosts: string[];
}

export class Run implements AsyncIterable<Page> {
  readonly #summary: Promise<CrawlSummary>;
  readonly #started: Promise<SiteCrawl>;
  readonly #waiting: Page[] = [];
  readonly #actions = new UrlActions();
  #site: SiteCrawl | null = null;
  /** A URL as the crawl writes it; null until the options have been checked. */
  #canonical: ((url: string) => string) | null = null;
  /** How the crawl ended, read before its database is released; null when the engine failed. */
  #end: Promise<ReadEnd | null> = Promise.resolve(null);
  /** Settled when a page or the end has arrived; there may be several loops. */
  #news = Promise.withResolvers<void>();
  #ended = false;
  /** While `onComplete` runs, the caller may be `onComplete` itself, and would wait for its own end. */
  #completing: CrawlSummary | null = null;
  /** The reason why a callback's promise rejected. */
  #failure: { error: unknown } | null = null;
  /** Whether the pages are read: without callbacks a loop is expected, and pages wait for it to begin. */
  #reader: "expected" | "reading" | "none";
  #paused = false;

  constructor(start: string | readonly string[], options: CrawlOptions) {
    this.#reader = (options.onPage ?? options.onResource ?? options.onComplete) ? "none" : "expected";
    this.#started = this.#start(start, options);
    this.#summary = this.#finish(options);
    if (this.#reader === "expected") this.#leaveToLoop();
  }

  /**
   * Resolves when the crawl has ended; rejects when it could not start or its database failed. If it is read before any loop has
   * begun, pages are not kept for a loop. While `onComplete` runs, it is already resolved; only a promise taken earlier waits for
   * `onComplete`, and must not be awaited in it.
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

  /** How far the crawl is at this moment; all counts are 0 until it has started. */
  get progress(): CrawlProgress {
    return this.#site?.progress() ?? NOT_STARTED;
  }

  /**
   * Crawls these URLs as well, wherever they are. robots.txt, limits and `onUrl` apply to them as to any others, and
   * links on them are followed where the crawl follows links. Rejects with BAD_URL, or with CRAWL_ENDED when the crawl
   * has ended.
   */
  async add(...urls: string[]): Promise<void> {
    const site = await this.#running();
    const added = urls.map((url) => this.#canonical!(url));
    if (!site.add(added)) throw new TrawlError("CRAWL_ENDED");
  }

  /** Lets requests in flight finish, and resolves when everything is stored. */
  async pause(): Promise<void> {
    this.#paused = true;
    await (await this.#running()).pause();
  }

  /** Continues after `pause()`. */
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
      // Leaving the loop early means that the rest is not wanted.
      if (!this.#ended) await this.#halt();
    }
  }

  /** Stops, and waits for `onComplete` as well. */
  async #halt(): Promise<CrawlSummary> {
    await (await this.#running()).stop();
    return this.#summary;
  }

  async #start(given: string | readonly string[], options: CrawlOptions): Promise<SiteCrawl> {
    const { onUrl, onPage, onResource, onComplete: _, signal, database, ...settings } = options;
    // Errors in the options reach the caller as a rejection, not as a throw.
    await Promise.resolve();
    checkOptions(given, options);
    const { mode, config, urls, hosts } = this.#startOf(given, parseConfig(settings));
    const store = openRunStore(database);
    const foundOn = new FoundOn(store.path);
    const site = await SiteCrawl.start({
      store: () => sqliteSiteStore(store.path),
      config,
      startUrls: hosts,
      sources: seedSources({ via: mode === "list" ? "list" : "initial", batches: once(urls) }),
      onUrl: checkedOnUrl(onUrl),
      isFull: () => this.#waiting.length >= MAX_WAITING,
      events: {
        readsBodies: onPage !== undefined || this.#reader !== "none",
        onVerdict: (id, action) => this.#actions.set(id, action),
        onVisit: (task, visit, record) => {
          foundOn.remember(task.id, task.key);
          if (visit.content === null) {
            if (onResource === undefined) return;
            this.#watch(onResource(resourceOf(task, { visit, record }, null, foundOn.urlOf(task.parent))));
            return;
          }
          if (onPage === undefined && this.#reader === "none") return;
          const page = pageOf(task, visit, record, this.#actions, foundOn.urlOf(task.parent));
          this.#watch(onPage?.(page));
          this.#deliver(page);
        },
        onFailure: (task, error) => {
          if (onResource !== undefined)
            this.#watch(onResource(resourceOf(task, null, error, foundOn.urlOf(task.parent))));
        },
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
      return readEnd(store.path, { ...end, how }, { mode, config, startUrls: hosts });
    };
    // Before the summary, after which the same database may be opened again.
    this.#end = site.ended.then(howItEnded).finally(() => {
      // One signal may serve many crawls, so it must not keep them all in memory.
      signal?.removeEventListener("abort", stop);
      foundOn.close();
      store.release();
    });
    this.#end.catch(() => {});
    if (signal?.aborted || this.#failure !== null) stop();
    if (this.#paused) site.pause();
    this.#site = site;
    return site;
  }

  #startOf(given: string | readonly string[], config: SiteConfig): Start {
    const canonicalize = siteCanonicalizer(config);
    this.#canonical = (url) => {
      const normal = normalizeUrl(url);
      const canonical = canonicalize(normal, prepareBase(normal));
      if (typeof canonical !== "string") throw new TrawlError("BAD_URL");
      return canonical;
    };
    if (typeof given === "string") {
      const urls = [this.#canonical(given)];
      return { mode: "site", config, urls, hosts: urls };
    }
    const urls = given.map(this.#canonical);
    const hosts = new Map(urls.map((url) => [hostOf(url), url]));
    return { mode: "list", config: listSettings(config), urls, hosts: [...hosts.values()] };
  }

  /** A callback's promise is not awaited. If it rejects, the crawl ends, as it does when a callback throws. */
  #watch(answer: unknown): void {
    if (!(answer instanceof Promise)) return;
    answer.catch((error) => {
      // The summary has resolved, so Node reports this as an unhandled rejection.
      if (this.#ended) throw error;
      this.#failure ??= { error };
      this.#site?.stop();
    });
  }

  /** The caller gets the error if the crawl could not start; the summary need not report it again. */
  #running(): Promise<SiteCrawl> {
    return this.#started.catch(async (error) => {
      await this.#summary;
      throw error;
    });
  }

  /** The loop throws the error of the summary. Without a loop, an unhandled error must not pass silently. */
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
