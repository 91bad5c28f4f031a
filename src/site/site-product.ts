/** The site product: what the kernel calls, implemented with the gate, the robots keeper, the visitor and the record. */
import type { Clock } from "../kernel/clock.ts";
import type { LanePolicy } from "../kernel/lane.ts";
import type { Known, Note } from "../kernel/ledger.ts";
import type { CrawlContext, Offer, Outcome, Product } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import type { HttpClient } from "../net/client.ts";
import type { CookieJar } from "../net/cookie-jar.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { headerValue, parseRetryAfter } from "../net/headers.ts";
import { laneSignal, retryDelay, WEB_HOST_POLICY } from "../politeness/host-lane.ts";
import { RobotsKeeper } from "../politeness/robots-keeper.ts";
import type { Scope } from "../web/scope.ts";
import { defaultUrlAction } from "../web/tracking.ts";
import { type Canonicalize, hostOf, originOf } from "../web/url.ts";
import { CookieNote } from "./credentials/cookie-note.ts";
import { withPlainHeaders } from "./credentials/secret-headers.ts";
import type { SiteMeta } from "./link-kinds.ts";
import { type LinkTarget, LinkTargets } from "./link-targets.ts";
import { failedRecord, visitRecord } from "./page-record.ts";
import type { SiteConfig } from "./site-config.ts";
import { Gate, type UrlAction } from "./site-gate.ts";
import { PROVISIONAL_REASONS } from "./site-reasons.ts";
import type { SiteRecord } from "./site-record.ts";
import { namedSitemaps, nextSitemapGuess, readsSitemaps } from "./site-seeds.ts";
import { type Render, type Visit, Visitor } from "./site-visit.ts";
import type { Baseline } from "./store/baseline.ts";
import { packHtml } from "./store/bodies.ts";
import type { TextDictionary } from "./text-dictionary.ts";

/** Called for every fetched URL, in the order in which they are stored. */
export interface SiteEvents {
  onVisit?: (task: Task<SiteMeta>, visit: Visit, record: SiteRecord) => void;
  /** What was decided about a URL, by its id; again when it changes, and when a stored crawl is resumed. */
  onVerdict?: (id: number, action: UrlAction) => void;
  /** `at`: wall time in ms. */
  onFailure?: (task: Task<SiteMeta>, error: FetchError, at: number) => void;
}

export interface SiteProductOptions {
  config: SiteConfig;
  scope: Scope;
  canonicalize: Canonicalize;
  client: HttpClient;
  /** The crawl's cookies; null when cookies are off. */
  cookies: CookieJar | null;
  texts: TextDictionary;
  render: Render | null;
  baseline: Baseline | null;
  onUrl: ((url: string) => UrlAction | undefined) | null;
  events: SiteEvents;
  clock: Clock;
  random: () => number;
  close: () => Promise<void>;
}

/** An outcome with the hosts whose robots.txt must be read before its finds can be decided. */
interface SiteOutcome extends Outcome<SiteRecord, SiteMeta> {
  newOrigins: string[];
}

const RETRY = { firstMs: 1_000, maxMs: 5 * 60_000 };

/** Hosts that the site only links to: requested gently, and given up soon. */
const EXTERNAL_POLITENESS: LanePolicy = {
  ...WEB_HOST_POLICY,
  concurrency: 2,
  blockAfter: 3,
  giveUpAfter: 0,
  onGiveUp: "fail",
};

export class SiteProduct implements Product<SiteRecord, SiteMeta> {
  readonly provisionalReasons = PROVISIONAL_REASONS;
  readonly robots: RobotsKeeper;
  readonly #options: SiteProductOptions;
  readonly #gate: Gate;
  readonly #targets: LinkTargets;
  readonly #visitor: Visitor;
  /** Guessed sitemaps that are not settled yet, each with whether a page links to it. */
  readonly #guesses = new Map<string, { isLinked: boolean }>();
  readonly #cookieNote: CookieNote | null;
  /** Hosts whose robots.txt was asked for sitemaps. */
  readonly #sitemapOrigins = new Set<string>();
  readonly #noindexIn: { meta: boolean; header: boolean };

  constructor(options: SiteProductOptions) {
    const { config, scope, clock, canonicalize, render, baseline, onUrl, cookies } = options;
    const client = withPlainHeaders(options.client, config.headers, (url) => this.#isInternal(url));
    this.#options = options;
    this.robots = new RobotsKeeper({ config, client, clock });
    this.#gate = new Gate({ config, scope, onUrl, robots: (url) => this.robots.judge(url) });
    this.#targets = new LinkTargets({
      canonicalize,
      keepsFragments: config.renderHashRoutes,
      isInternal: (url) => this.#isInternal(url),
    });
    this.#noindexIn = {
      meta: config.respectNoindex || config.respectNoindexMeta,
      header: config.respectNoindex || config.respectNoindexHeader,
    };
    this.#cookieNote = cookies && new CookieNote(cookies);
    this.#visitor = new Visitor({
      ...{ config, client, canonicalize, targets: this.#targets, render, baseline },
      walls: cookies && { cookies, mayFetch: (url, context) => this.#mayFetch(url, context) },
    });
  }

  gate(found: Found<SiteMeta>, again: boolean): Verdict {
    const verdict = this.#gate.decide(found, again);
    if (found.meta.isGuess && verdict.action === "crawl") this.#guesses.set(found.key, { isLinked: false });
    return verdict;
  }

  /** One lane per host, whatever the scheme: the same machine answers. */
  laneOf(found: Found<SiteMeta>): string {
    return hostOf(found.key);
  }

  lanePolicy(host: string): LanePolicy {
    const { config } = this.#options;
    const intervalMs = Math.max(config.rate > 0 ? 1000 / config.rate : 0, this.robots.crawlDelayMs(host));
    return this.#isInternal(`http://${host}/`)
      ? { ...WEB_HOST_POLICY, intervalMs, concurrency: config.parallelism }
      : { ...EXTERNAL_POLITENESS, intervalMs };
  }

  /** Only documents that are read can find URLs, so only their outcomes need to be in order. */
  isOrdered(task: Task<SiteMeta>): boolean {
    return this.#isRead(task);
  }

  async perform(task: Task<SiteMeta>, context: CrawlContext): Promise<SiteOutcome | null> {
    try {
      const denied = await this.#checkRobots(task, context);
      if (denied !== null) {
        return { result: "done", verdict: denied, signal: { kind: "neutral" }, newOrigins: [], settle: () => null };
      }
      const visit = await this.#visitor.visit(task, this.#isRead(task), context);
      this.#cookieNote?.write(context);
      return this.#visited(task, visit, this.#options.config.storeHtml ? await this.#pack(task, visit) : null);
    } catch (error) {
      if (context.signal.aborted) return null;
      if (error instanceof FetchError) return this.#failed(task, error);
      throw error;
    }
  }

  abandon(task: Task<SiteMeta>): SiteOutcome {
    return this.#failure(task, new FetchError("connect_failed", "the host stopped answering"));
  }

  prepare(outcome: SiteOutcome, context: CrawlContext): Promise<void> | undefined {
    return outcome.newOrigins.length === 0 ? undefined : this.#loadRobots(outcome.newOrigins, context);
  }

  admitted(id: number, { action }: Verdict): void {
    this.#options.events.onVerdict?.(id, action);
  }

  recover(known: Known): void {
    this.#gate.recover(known);
    this.#options.events.onVerdict?.(known.id, known.action);
  }

  recoverNote(note: Note): void {
    this.robots.recoverNote(note);
    this.#cookieNote?.recover(note);
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  /** A page may name thousands of subdomains: no more of them are requested at once than anything else. */
  async #loadRobots(origins: string[], context: CrawlContext): Promise<void> {
    const rest = origins[Symbol.iterator]();
    const loadAll = async () => {
      for (const origin of rest) await this.robots.load(`${origin}/`, false, context);
    };
    await Promise.all(Array.from({ length: this.#options.config.parallelism }, loadAll));
  }

  /** Checks robots.txt again just before the fetch: for an external host it is known only now. */
  async #checkRobots(task: Task<SiteMeta>, context: CrawlContext): Promise<Verdict | null> {
    if (this.#options.config.robots === "ignore" || task.meta.kind === "sitemap") return null;
    if (!this.robots.isKnown(task.key)) {
      await this.robots.load(task.key, true, context);
      await context.pace(task.lane);
    }
    const verdict = this.robots.judge(task.key);
    return verdict !== null && verdict.action === "skip" ? verdict : null;
  }

  /** Whether a URL that has not passed the gate may be fetched to reach another. `onUrl` is called once, later. */
  async #mayFetch(url: string, context: CrawlContext): Promise<boolean> {
    const { scope, onUrl, config } = this.#options;
    if (onUrl !== null || !scope.classify(url).inScope) return false;
    if (config.skipTrackers && defaultUrlAction(url).action !== "crawl") return false;
    if (config.robots !== "ignore" && !this.robots.isKnown(url)) {
      await context.pace(hostOf(url));
      await this.robots.load(url, true, context);
    }
    return this.robots.judge(url)?.action !== "skip";
  }

  /** An unmodified page is the one that the earlier crawl stored. */
  async #pack(task: Task<SiteMeta>, visit: Visit): Promise<Uint8Array | null> {
    if (visit.html !== null) return packHtml(visit.html);
    return visit.earlier === null ? null : this.#options.baseline!.html(task.key);
  }

  #visited(task: Task<SiteMeta>, visit: Visit, html: Uint8Array | null): SiteOutcome {
    const { config, clock } = this.#options;
    const { response } = visit;
    const now = clock.now();
    const signal = laneSignal(response, now);
    const retry = this.#retry(task, response.status, headerValue(response.headers, "retry-after"), now);
    if (retry !== null) return { result: "retry", retryAt: retry, signal, newOrigins: [], settle: () => null };
    const settle = (offer: Offer<SiteMeta>): SiteRecord | null => {
      outcome.verdict = this.#judgeGuess(task, visit);
      if (outcome.verdict !== undefined) {
        this.#offerSitemaps(task, visit, newOrigins, offer);
        return null;
      }
      this.#noteLinks(visit);
      const record = visitRecord(
        task,
        visit,
        {
          texts: this.#options.texts,
          isBlocked: (url) => this.robots.judge(url) !== null,
          isInternal: (url) => this.#isInternal(url),
          storeHeaders: config.storeHeaders,
          noindexIn: this.#noindexIn,
          html,
          now,
        },
        offer,
      );
      this.#offerSitemaps(task, visit, newOrigins, offer);
      this.#options.events.onVisit?.(task, visit, record);
      return record;
    };
    const bytes = heldBy(visit) + (html?.length ?? 0);
    const newOrigins = this.#newOrigins(task, visit);
    const outcome: SiteOutcome = { result: "done", signal, bytes, newOrigins, settle };
    return outcome;
  }

  /** The next place to look for a sitemap that is not where it was guessed, and those that robots.txt of a new host names. */
  #offerSitemaps(task: Task<SiteMeta>, visit: Visit, newOrigins: string[], offer: Offer<SiteMeta>): void {
    if (!readsSitemaps(this.#options.config) || task.meta.via === "list") return;
    const guess = isThere(task.meta, visit) ? null : nextSitemapGuess(task);
    if (guess !== null) offer(guess);
    for (const origin of newOrigins) {
      if (this.#sitemapOrigins.has(origin)) continue;
      this.#sitemapOrigins.add(origin);
      for (const found of namedSitemaps(origin, { ...this.#options, robots: this.robots })) offer(found);
    }
  }

  /** A sitemap that nobody named and that is not there was never part of the site; undefined when it counts. */
  #judgeGuess({ key, meta }: Task<SiteMeta>, visit: Visit | null): Verdict | undefined {
    if (!meta.isGuess) return undefined;
    const isLinked = this.#guesses.get(key)?.isLinked === true;
    this.#guesses.delete(key);
    return isLinked || isThere(meta, visit) ? undefined : { action: "skip", reason: "no_sitemap", rule: null };
  }

  /** Guesses are made at the start and settled soon: the links of most pages are not looked at. */
  #noteLinks({ links }: Visit): void {
    if (this.#guesses.size === 0) return;
    for (const { url } of links.targets) {
      const guess = this.#guesses.get(url);
      if (guess !== undefined) guess.isLinked = true;
    }
  }

  #failed(task: Task<SiteMeta>, error: FetchError): SiteOutcome {
    const now = this.#options.clock.now();
    const retry = this.#retry(task, error, null, now);
    if (retry === null) return this.#failure(task, error);
    return { result: "retry", retryAt: retry, signal: laneSignal(error, now), newOrigins: [], settle: () => null };
  }

  #failure(task: Task<SiteMeta>, error: FetchError): SiteOutcome {
    const now = this.#options.clock.now();
    const settle = (): SiteRecord | null => {
      outcome.verdict = this.#judgeGuess(task, null);
      if (outcome.verdict !== undefined) return null;
      this.#options.events.onFailure?.(task, error, now);
      return failedRecord(task, error, now);
    };
    const signal = laneSignal(error, now);
    const outcome: SiteOutcome = { result: "failed", signal, newOrigins: [], settle };
    return outcome;
  }

  /** The time of the next try; null when this was the last one. */
  #retry(task: Task<SiteMeta>, outcome: number | FetchError, retryAfter: string | null, now: number): number | null {
    const delayMs = retryDelay({
      attempt: task.attempt + 1,
      maxAttempts: this.#options.config.retries + 1,
      outcome,
      askedMs: retryAfter === null ? null : parseRetryAfter(retryAfter, now),
      maxAskedMs: RETRY.maxMs,
      random: this.#options.random,
      backOff: RETRY,
    });
    return delayMs === null ? null : now + delayMs;
  }

  #newOrigins(task: Task<SiteMeta>, visit: Visit): string[] {
    const { config } = this.#options;
    const wantsSitemaps = readsSitemaps(config) && task.meta.via !== "list";
    if (config.robots === "ignore" && !wantsSitemaps) return [];
    const own = originOf(task.key);
    const origins = new Set<string>();
    const consider = ({ url, origin, internal }: LinkTarget) => {
      if (!internal || origin === own) return;
      if ((wantsSitemaps && !this.#sitemapOrigins.has(origin)) || !this.robots.isKnown(url)) origins.add(origin);
    };
    for (const target of visit.links.targets) consider(target);
    if (visit.redirect !== null) consider(this.#targets.ofCanonical(visit.redirect));
    return [...origins];
  }

  /** Pages of the site, the list and sitemaps are read; for everything else, only the answer counts. */
  #isRead(task: Task<SiteMeta>): boolean {
    return task.meta.kind === "sitemap" || task.meta.via === "list" || this.#isInternal(task.key);
  }

  #isInternal(url: string): boolean {
    return this.#options.scope.classify(url).internal;
  }
}

/** Many servers answer every address with a page. What a guess redirects to may be a page that is wanted all the same. */
function isThere({ via }: SiteMeta, visit: Visit | null): boolean {
  if (visit === null || visit.response.status >= 400) return false;
  const isPage = visit.redirect === null && visit.contentType === "text/html" && visit.links.targets.length === 0;
  return via === "redirect" || !isPage;
}

/** A visit keeps the body, its text, and its links in memory. */
const heldBy = ({ response, links }: Visit): number => response.decodedBytes * 2 + links.targets.length * 80;
