/** The site product: what the kernel calls, implemented with the gate, the robots keeper, the visitor and the record. */
import type { Clock } from "../kernel/clock.ts";
import type { LanePolicy } from "../kernel/lane.ts";
import type { Known, Note } from "../kernel/ledger.ts";
import type { CrawlContext, Offer, Outcome, Product } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import type { BodyShare } from "../net/body-budget.ts";
import type { HttpClient, HttpResponse } from "../net/client.ts";
import type { CookieJar } from "../net/cookie-jar.ts";
import { FetchError, type FetchErrorCode } from "../net/fetch-errors.ts";
import { headerValue, parseRetryAfter } from "../net/headers.ts";
import { LINKED_HOST_POLICY, laneSignal, retryDelay, WEB_HOST_POLICY } from "../politeness/host-lane.ts";
import { RobotsKeeper } from "../politeness/robots-keeper.ts";
import type { Scope } from "../web/scope.ts";
import { defaultUrlAction } from "../web/tracking.ts";
import { type Canonicalize, hostOf, originOf } from "../web/url.ts";
import type { StartHosts } from "./client/start-hosts.ts";
import { CookieNote } from "./credentials/cookie-note.ts";
import { withPlainHeaders } from "./credentials/secret-headers.ts";
import { Guesses } from "./guesses.ts";
import type { SiteMeta } from "./links/link-kinds.ts";
import { type LinkTarget, LinkTargets } from "./links/link-targets.ts";
import { firstLinks } from "./links/site-links.ts";
import { failedRecord, visitRecord } from "./page-record.ts";
import type { SiteConfig } from "./site-config.ts";
import { Gate, type UrlAction } from "./site-gate.ts";
import { PROVISIONAL_REASONS } from "./site-reasons.ts";
import type { SiteEvents, SiteRecord } from "./site-record.ts";
import { isGuessThere, namedSitemaps, nextSitemapGuess, readsSitemaps } from "./site-seeds.ts";
import type { Baseline } from "./store/baseline.ts";
import { packHtml } from "./store/bodies.ts";
import type { TextDictionary } from "./text-dictionary.ts";
import { type StoppedTrap, type StoredPages, TrapWatch } from "./traps/trap-watch.ts";
import { ChallengeWatch } from "./visit/challenge-watch.ts";
import { HeldBodies, heldBy } from "./visit/held-bodies.ts";
import { OldTls } from "./visit/old-tls.ts";
import type { Render } from "./visit/page-rendering.ts";
import { type Visit, Visitor } from "./visit/site-visit.ts";
import { type Soft404Options, Soft404s } from "./visit/soft-404.ts";

export interface SiteProductOptions {
  config: SiteConfig;
  scope: Scope;
  canonicalize: Canonicalize;
  client: HttpClient;
  /** The crawl's cookies; null when cookies are off. */
  cookies: CookieJar | null;
  hosts: StartHosts;
  /** Whether this crawl requests the URL's host. If several machines share a crawl, each host belongs to one of them. */
  owns: (url: string) => boolean;
  /** One of many crawls of this process. */
  isPart?: boolean;
  texts: TextDictionary;
  /** What an interrupted crawl had stored. */
  stored: StoredPages;
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

/** Nothing was sent, so it uses up no limit. */
const REFUSED: FetchErrorCode = "private_address";

const RETRY = { firstMs: 1_000, maxMs: 5 * 60_000 };

export class SiteProduct implements Product<SiteRecord, SiteMeta> {
  readonly #bodies: HeldBodies;
  readonly provisionalReasons = PROVISIONAL_REASONS;
  readonly robots: RobotsKeeper;
  readonly #options: SiteProductOptions;
  readonly #gate: Gate;
  readonly #targets: LinkTargets;
  readonly #visitor: Visitor;
  readonly #guesses = new Guesses();
  readonly #cookieNote: CookieNote | null;
  /** Hosts whose robots.txt was asked for sitemaps. */
  readonly #sitemapOrigins = new Set<string>();
  /** URLs that an interrupted crawl tried in vain, because the host has an address that is never requested. */
  readonly #refused: ReadonlySet<number>;
  readonly #traps: TrapWatch | null;
  readonly #soft404s: Soft404s | null;
  readonly #oldTls: OldTls | null;
  readonly #challenges = new ChallengeWatch();
  readonly #noindexIn: { meta: boolean; header: boolean };

  constructor(options: SiteProductOptions) {
    const { config, scope, clock, canonicalize, render, baseline, onUrl, cookies } = options;
    const client = withPlainHeaders(options.client, config.headers, (url) => this.#isInternal(url));
    this.#options = options;
    const keepsBodies = options.events.readsBodies === true;
    this.#bodies = new HeldBodies(keepsBodies);
    this.robots = new RobotsKeeper({ config, client, clock });
    this.#gate = new Gate({
      ...{ config, scope, onUrl },
      robots: (url) => this.robots.judge(url),
      refuses: (url) => options.client.refuses(url),
      pages: config.maxPages > 0 ? options.stored.pageCount() : 0,
    });
    this.#refused = new Set(options.stored.refused());
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
    this.#traps = config.stopTraps ? new TrapWatch() : null;
    this.#traps?.recover(options.stored);
    const rules: Pick<Soft404Options, "mayFetch" | "isInternal"> = {
      mayFetch: (url, context) => this.#mayFetch(url, context),
      isInternal: (url) => this.#isInternal(url),
    };
    this.#visitor = new Visitor({
      ...{ config, client, canonicalize, targets: this.#targets, render, baseline },
      keepsBodies,
      isPart: options.isPart ?? false,
      walls: cookies && { cookies, ...rules },
    });
    this.#oldTls = config.checkTls ? new OldTls(options.client) : null;
    const { detectSoft404, singlePage } = config;
    this.#soft404s = detectSoft404 && !singlePage ? new Soft404s({ visitor: this.#visitor, ...rules }) : null;
  }

  gate(found: Found<SiteMeta>, again: boolean): Verdict {
    const verdict = this.#gate.decide(found, again);
    if (found.meta.isGuess && verdict.action === "crawl") this.#guesses.admit(found.key);
    // The kernel copies the find after this call.
    if (this.#traps !== null) found.meta = this.#traps.found(found, verdict);
    return verdict;
  }

  /** Parts of the site that were stopped because they bring nothing new. */
  stoppedTraps(): StoppedTrap[] {
    return this.#traps?.stopped() ?? [];
  }

  refuse(task: Task<SiteMeta>): SiteOutcome | null {
    return (this.#gate.beyondPages(task) ?? this.#traps?.refusal(task)) ? this.#against(task, null) : null;
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
      : { ...LINKED_HOST_POLICY, intervalMs };
  }

  /** Only documents that are read can find URLs, so only their outcomes need to be in order. */
  isOrdered(task: Task<SiteMeta>): boolean {
    return this.#isRead(task);
  }

  perform = (task: Task<SiteMeta>, context: CrawlContext): Promise<SiteOutcome | null> =>
    this.#bodies.hold<SiteRecord, SiteMeta, SiteOutcome>((share) => this.#perform(task, share, context));

  async #perform(task: Task<SiteMeta>, share: BodyShare, context: CrawlContext): Promise<SiteOutcome | null> {
    try {
      const denied = await this.#checkRobots(task, context);
      if (denied !== null) return this.#against(task, denied);
      const visit = await this.#visitor.visit(task, this.#isRead(task), context, share);
      const html = this.#options.config.storeHtml ? await this.#pack(task, visit) : null;
      this.#bodies.read(visit, share);
      await this.#soft404s?.learn(task, visit, context);
      if (this.#isInternal(task.key)) await this.#oldTls?.learn(task.key, context);
      this.#cookieNote?.write(context);
      return this.#visited(task, visit, html);
    } catch (error) {
      if (context.signal.aborted) return null;
      if (error instanceof FetchError) return this.#failed(task, error);
      throw error;
    }
  }

  abandon(task: Task<SiteMeta>): SiteOutcome {
    const error = this.#challenges.errorOf(task.lane) ?? new FetchError("connect_failed", "the host stopped answering");
    return this.#failure(task, error);
  }

  prepare(outcome: SiteOutcome, context: CrawlContext): Promise<void> | undefined {
    const { newOrigins } = outcome;
    if (newOrigins.length === 0) return undefined;
    return this.robots.loadAll(newOrigins, this.#options.config.parallelism, context);
  }

  admitted(id: number, { action }: Verdict): void {
    this.#traps?.sees(id);
    this.#options.events.onVerdict?.(id, action);
  }

  recover(known: Known): void {
    if (!this.#refused.has(known.id)) this.#gate.recover(known);
    this.#traps?.sees(known.id);
    this.#options.events.onVerdict?.(known.id, known.action);
  }

  recoverNote(note: Note): void {
    this.robots.recoverNote(note);
    this.#cookieNote?.recover(note);
    this.#soft404s?.recover(note);
    this.#oldTls?.recover(note);
    this.#options.hosts.recover(note);
  }

  async close(): Promise<void> {
    await Promise.all([this.#visitor.close(), this.#options.close()]).finally(() => this.#bodies.close());
  }

  /** Checks robots.txt again just before the fetch: that of an external host is known only now. */
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
    if (onUrl !== null || !scope.classify(url).inScope || !this.#options.owns(url)) return false;
    if (config.skipTrackers && defaultUrlAction(url).action !== "crawl") return false;
    if (config.robots !== "ignore" && !this.robots.isKnown(url)) {
      await context.pace(hostOf(url));
      await this.robots.load(url, true, context);
    }
    return this.robots.judge(url)?.action !== "skip";
  }

  /** An unmodified page is the one that the earlier crawl stored. */
  async #pack(task: Task<SiteMeta>, visit: Visit): Promise<Uint8Array | null> {
    if (visit.rendered !== null) return packHtml(Buffer.from(visit.rendered.result.html));
    if (visit.html !== null) return packHtml(visit.html);
    return visit.earlier === null ? null : this.#options.baseline!.html(task.key);
  }

  #visited(task: Task<SiteMeta>, visit: Visit, html: Uint8Array | null): SiteOutcome {
    const now = this.#options.clock.now();
    const { signal, rest } = this.#challenges.judge(task, visit, this.#isInternal(task.key), now);
    const retry = rest ?? (visit.challenge === null ? this.#retry(task, visit.response, now) : null);
    if (retry !== null) return { result: "retry", ...retry, signal, newOrigins: [], settle: () => null };
    const settle = (offer: Offer<SiteMeta>, context: CrawlContext): SiteRecord | null => {
      outcome.verdict = this.#overrule(task, () => this.#judgeGuess(task, visit));
      if (outcome.verdict !== undefined) {
        if (task.meta.isGuess) this.#offerSitemaps(task, visit, newOrigins, offer);
        return null;
      }
      this.#guesses.noteLinks(visit.links);
      // A sitemap of a million URLs would only fill the database; a few show what was left out.
      if (task.meta.kind === "sitemap" && this.#gate.isFull) visit.links = firstLinks(visit.links, 100);
      this.#traps?.begin(task);
      const record = visitRecord(
        task,
        visit,
        {
          texts: this.#options.texts,
          ruleAgainst: (url, agent) => this.robots.ruleAgainst(url, agent),
          isInternal: (url) => this.#isInternal(url),
          storeHeaders: this.#options.config.storeHeaders,
          noindexIn: this.#noindexIn,
          isSoft404: this.#soft404s?.judge(task, visit, context) ?? false,
          html,
          now,
        },
        offer,
      );
      this.#gate.settled(record.page);
      if (this.#traps !== null) Object.assign(record.page, this.#traps.end(task, visit, record.links));
      this.#offerSitemaps(task, visit, newOrigins, offer);
      this.#options.events.onVisit?.(task, visit, record);
      return record;
    };
    const newOrigins = this.#newOrigins(task, visit);
    const bytes = heldBy(visit) + (html?.length ?? 0);
    const outcome: SiteOutcome = { result: "done", signal, bytes, newOrigins, settle };
    return outcome;
  }

  /** The outcome of a task that is not fetched, or not wanted, because of something learned since its admission. */
  #against(task: Task<SiteMeta>, verdict: Verdict | null): SiteOutcome {
    const settle = () => {
      outcome.verdict = this.#overrule(task, () => verdict ?? undefined);
      return null;
    };
    const outcome: SiteOutcome = { result: "done", signal: { kind: "neutral" }, newOrigins: [], settle };
    return outcome;
  }

  /**
   * A verdict against a task whose outcome is being applied. Traps and the page limit come first, whatever the outcome was: with
   * more requests in flight, more pages have been fetched by the time the trap is recognised, or the limit reached.
   */
  #overrule(task: Task<SiteMeta>, other: () => Verdict | undefined): Verdict | undefined {
    const trap = this.#traps?.refusal(task) ?? null;
    if (trap !== null) this.#traps!.refused(task, trap);
    const verdict = trap ?? this.#gate.beyondPages(task) ?? other();
    if (verdict !== undefined && verdict.action !== "crawl") this.#gate.release(task.key);
    return verdict;
  }

  /** The next place to look for a sitemap after a wrong guess, and the sitemaps that a new host's robots.txt names. */
  #offerSitemaps(task: Task<SiteMeta>, visit: Visit, newOrigins: string[], offer: Offer<SiteMeta>): void {
    if (!readsSitemaps(this.#options.config) || task.meta.via === "list") return;
    const guess = isGuessThere(task.meta, visit) ? null : nextSitemapGuess(task);
    if (guess !== null) offer(guess);
    for (const origin of newOrigins) {
      if (this.#sitemapOrigins.has(origin)) continue;
      this.#sitemapOrigins.add(origin);
      for (const found of namedSitemaps(origin, { ...this.#options, robots: this.robots })) offer(found);
    }
  }

  #judgeGuess(task: Task<SiteMeta>, visit: Visit | null): Verdict | undefined {
    if (!task.meta.isGuess) return undefined;
    return this.#guesses.settle(task, visit) ?? this.#gate.confirm(task.key);
  }

  #failed(task: Task<SiteMeta>, error: FetchError): SiteOutcome {
    const now = this.#options.clock.now();
    const retry = this.#retry(task, error, now);
    if (retry === null) return this.#failure(task, error);
    return { result: "retry", ...retry, signal: laneSignal(error, now), newOrigins: [], settle: () => null };
  }

  #failure(task: Task<SiteMeta>, error: FetchError): SiteOutcome {
    const now = this.#options.clock.now();
    const settle = (): SiteRecord | null => {
      outcome.verdict = this.#overrule(task, () => this.#judgeGuess(task, null));
      if (outcome.verdict !== undefined) return null;
      if (error.code === REFUSED) this.#gate.release(task.key);
      this.#options.events.onFailure?.(task, error, now);
      return failedRecord(task, error, { now, storeHeaders: this.#options.config.storeHeaders });
    };
    const outcome: SiteOutcome = { result: "failed", signal: laneSignal(error, now), newOrigins: [], settle };
    return outcome;
  }

  /** The time of the next attempt; null when this was the last one. */
  #retry(task: Task<SiteMeta>, outcome: HttpResponse | FetchError, now: number): { retryAt: number } | null {
    const isError = outcome instanceof FetchError;
    const asked = isError ? null : headerValue(outcome.headers, "retry-after");
    const delayMs = retryDelay({
      attempt: task.attempt + 1,
      maxAttempts: this.#options.config.retries + 1,
      outcome: isError ? outcome : outcome.status,
      askedMs: asked === null ? null : parseRetryAfter(asked, now),
      maxAskedMs: RETRY.maxMs,
      random: this.#options.random,
      backOff: RETRY,
    });
    return delayMs === null ? null : { retryAt: now + delayMs };
  }

  #newOrigins(task: Task<SiteMeta>, visit: Visit): string[] {
    const { config } = this.#options;
    const wantsSitemaps = readsSitemaps(config) && task.meta.via !== "list";
    if (config.robots === "ignore" && !wantsSitemaps) return [];
    const own = originOf(task.key);
    const origins = new Set<string>();
    const consider = ({ url, origin, internal }: LinkTarget) => {
      if (!internal || origin === own || !this.#options.owns(url)) return;
      if ((wantsSitemaps && !this.#sitemapOrigins.has(origin)) || !this.robots.isKnown(url)) origins.add(origin);
    };
    for (const target of visit.links.targets) consider(target);
    if (visit.redirect !== null) consider(this.#targets.ofCanonical(visit.redirect));
    return [...origins];
  }

  /** Pages of the site, lists and sitemaps are read; for everything else, only the answer counts. */
  #isRead(task: Task<SiteMeta>): boolean {
    return task.meta.kind === "sitemap" || task.meta.via === "list" || this.#isInternal(task.key);
  }

  #isInternal(url: string): boolean {
    return this.#options.scope.classify(url).internal;
  }
}
