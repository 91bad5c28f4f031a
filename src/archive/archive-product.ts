/** The archive product: what the kernel calls, implemented with the gate, the robots keeper, the visitor and the record. */
import type { Clock } from "../kernel/clock.ts";
import type { LanePolicy, LaneSignal } from "../kernel/lane.ts";
import type { Known, Note } from "../kernel/ledger.ts";
import type { CrawlContext, Offer, Product } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import { FetchError } from "../net/fetch-errors.ts";
import { headerBytes } from "../net/headers.ts";
import type { HttpRequest, HttpResponse } from "../net/http-types.ts";
import { challengeOf } from "../politeness/challenge.ts";
import { isRetryable } from "../politeness/host-lane.ts";
import { RobotsKeeper } from "../politeness/robots-keeper.ts";
import { isDiskFull } from "../storage/file-system.ts";
import { hostOf, originOf } from "../web/url.ts";
import { countVisit, type Metrics } from "./archive-metrics.ts";
import { type ArchiveOutcome, type Attempt, later } from "./archive-outcome.ts";
import {
  archiveLanePolicy,
  hostSignal,
  privateHint,
  retryAt,
  retryMs,
  robotsSettings,
  sentAwayUntil,
} from "./archive-politeness.ts";
import { cutText, failureRecord, type RecordContext, visitRecord } from "./archive-record.ts";
import { type Exchange, hasFailed, type Visit, Visitor, type VisitorOptions } from "./archive-visit.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import type { FindSink } from "./discovery-kinds.ts";
import { PacedFetcher, type PacedFetcherOptions } from "./fetch/paced-fetcher.ts";
import { HostHealth } from "./host-health.ts";
import { ArchiveGate } from "./policy/archive-gate.ts";
import { type ArchiveMeta, PROVISIONAL_REASONS, skip } from "./policy/policy.ts";
import { RULES_NOTE } from "./reconsider.ts";
import { REREAD_NOTE } from "./reread.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

/** The shortest time that a host rests while its robots.txt cannot be read. */
const ROBOTS_REST_MS = 1_000;
const ROBOTS_PATIENCE_MS = 2_000;
const DISK_RETRY_MS = 5_000;

export interface ArchiveEvents {
  onRecord?: (record: MetadataRecord) => void;
  onNotice?: (text: string) => void;
}

export interface ArchiveProductOptions {
  settings: ArchiveSettings;
  fetcher: PacedFetcherOptions["fetcher"];
  visitor: Omit<VisitorOptions, "fetcher">;
  /** For a page, "gone" is an answer. For a file that a page needs, it means that the file is missing. */
  failsWhenGone: boolean;
  finds: FindSink;
  metrics: Metrics;
  /** The page that led to a task, for records that the ledger does not add it to. */
  referrerOf: (task: Task<ArchiveMeta>) => string | null;
  /** Called with every note of the ledger. */
  recoverNote?: (note: Note) => void;
  /** Called when the rules of a host have changed. */
  onRobotsChange: () => void;
  /** Called when nothing more can be written. */
  onDiskFull: () => void;
  /** Goes into the `metadata` of a task's line. */
  extraOf: (task: Task<ArchiveMeta>) => MetadataRecord["metadata"];
  events: ArchiveEvents;
  clock: Clock;
  random: () => number;
  close: () => Promise<void>;
}

export class ArchiveProduct implements Product<MetadataRecord, ArchiveMeta> {
  readonly provisionalReasons = PROVISIONAL_REASONS;
  readonly robots: RobotsKeeper;
  readonly #options: ArchiveProductOptions;
  /** Hosts whose robots.txt cannot be read at the moment. */
  readonly #unreadable = new Set<string>();
  readonly #gate: ArchiveGate;
  readonly #fetcher: PacedFetcher;
  readonly #visitor: Visitor;
  readonly #health = new HostHealth();
  /** The rules that the refusals were last compared with; null when they never were. */
  rules: string | null = null;
  /** How many URLs this run requests again. */
  refetching = 0;
  /** A repair has lost lines of the queue, so the links of stored pages must be read again. */
  mustReread = false;
  #reopened = 0;
  #settings: ArchiveSettings;

  constructor(options: ArchiveProductOptions) {
    const { settings, clock } = options;
    this.#options = options;
    this.#settings = settings;
    const intervalMs = (url: string) => this.lanePolicy(hostOf(url)).intervalMs;
    const fetcher = new PacedFetcher({ fetcher: options.fetcher, intervalMs });
    this.#fetcher = fetcher;
    this.#visitor = new Visitor({ ...options.visitor, fetcher });
    this.robots = new RobotsKeeper({
      config: robotsSettings(settings),
      client: { fetch: (request, context) => this.#fetchRobots(request, context) },
      clock,
      onChange: options.onRobotsChange,
    });
    this.#gate = new ArchiveGate({ settings, robots: (url) => this.#disallowed(url) });
  }

  /** How many URLs were refused in an earlier run, or earlier in this one, and are queued now. */
  get reopened(): number {
    return this.#reopened;
  }

  get policy(): ArchiveGate {
    return this.#gate;
  }

  /** Applies what may change while the archive runs. The caller must then refresh the policies of the lanes. */
  apply(settings: ArchiveSettings): void {
    this.#settings = settings;
    this.#gate.apply(settings);
    this.#visitor.setContentTypes(settings.config.scope.content_types);
  }

  gate(found: Found<ArchiveMeta>, again: boolean): Verdict {
    if (found.refetch && again) {
      const verdict = this.#gate.decideAgain(found);
      if (verdict.action === "crawl") this.refetching++;
      return verdict;
    }
    const verdict = this.#gate.decide(found);
    if (found.refetch && verdict.action === "crawl") this.refetching++;
    // Repeating the same verdict is not another decision.
    if (!again || verdict.action === "crawl") this.#options.finds.decided(verdict, found, this.#gate);
    if (found.again && verdict.action === "crawl") this.#reopened++;
    return verdict;
  }

  /** One lane per host: the same machine answers. */
  laneOf(found: Found<ArchiveMeta>): string {
    return hostOf(found.key);
  }

  lanePolicy(host: string): LanePolicy {
    return archiveLanePolicy(this.#settings.config.limits, this.robots.crawlDelayMs(host));
  }

  /** Every page may find others, so all outcomes keep their order. That makes it breadth first. */
  isOrdered(): boolean {
    return true;
  }

  async perform(task: Task<ArchiveMeta>, context: CrawlContext): Promise<ArchiveOutcome | null> {
    const { clock, onDiskFull } = this.#options;
    let request = 0;
    try {
      const waiting = await this.#checkRobots(task, context);
      if (waiting !== null) return waiting;
      request = this.#health.sent();
      return await this.#visited({ task, request, context }, await this.#visitor.visit(task, context));
    } catch (error) {
      if (context.signal.aborted) return null;
      if (error instanceof FetchError) return this.#unanswered({ task, request, context }, error);
      if (!isDiskFull(error)) throw error;
      onDiskFull();
      return later(task, { kind: "neutral" }, clock.now() + DISK_RETRY_MS);
    }
  }

  /** A lane whose host does not answer is parked, never abandoned. */
  abandon(task: Task<ArchiveMeta>): ArchiveOutcome {
    return this.#failure(task, new FetchError("connect_failed", "the host stopped answering"));
  }

  prepare({ newOrigins = [] }: ArchiveOutcome, context: CrawlContext): Promise<void> | undefined {
    const ready = this.#options.finds.ready?.();
    const robots = newOrigins.length === 0 ? undefined : this.loadRobots(newOrigins, context);
    return ready === undefined ? robots : Promise.all([ready, robots]).then(() => {});
  }

  /**
   * Reads the robots.txt of these origins, which the first verdicts on their URLs need. A slow one is not waited for,
   * because the whole crawl would wait; it is read before the first page of its host in any case.
   */
  async loadRobots(origins: readonly string[], context: CrawlContext): Promise<void> {
    const { clock } = this.#options;
    const loads = origins.map((origin) => this.robots.load(`${origin}/`, false, context));
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ROBOTS_PATIENCE_MS, resolve);
      void Promise.allSettled(loads).then(() => {
        cancel();
        resolve();
      });
    });
  }

  recover(known: Known): void {
    this.#gate.recover(known);
  }

  recoverNote(note: Note): void {
    this.robots.recoverNote(note);
    this.#health.recoverNote(note);
    this.#options.finds.recoverNote?.(note);
    this.#options.recoverNote?.(note);
    if (note.key === RULES_NOTE) this.rules = note.value;
    if (note.key === REREAD_NOTE) this.mustReread = note.value !== "";
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  /** What a robots.txt said when a page was fetched belongs to the archive too. */
  async #fetchRobots(request: HttpRequest, context: CrawlContext): Promise<HttpResponse> {
    const { clock, visitor, onDiskFull } = this.#options;
    const at = clock.now();
    const { response } = await this.#fetcher.fetch(request, context);
    const exchange: Exchange = { at, url: request.url, conditions: [], response, unchangedSha256: null };
    try {
      await visitor.onExchange?.(exchange);
    } catch (error) {
      // The rules are known, and pages wait for room before they are fetched.
      if (!isDiskFull(error)) throw error;
      onDiskFull();
    }
    return response;
  }

  /** What robots.txt is known to forbid. A robots.txt that cannot be read is requested again before the fetch. */
  #disallowed(url: string): Verdict | null {
    const against = this.robots.judge(url);
    return against?.reason === "robots_disallow" ? skip("robots_disallow", against.rule!) : null;
  }

  /** Checks robots.txt, which may have changed or expired, just before the fetch. Null when the fetch is allowed. */
  async #checkRobots(task: Task<ArchiveMeta>, context: CrawlContext): Promise<ArchiveOutcome | null> {
    if (!this.robots.isKnown(task.key)) {
      await this.robots.load(task.key, true, context);
      await context.pace(task.lane);
    }
    const against = this.robots.judge(task.key);
    const isReadable = against?.reason !== "robots_unreachable";
    if (isReadable) this.#unreadable.delete(task.lane);
    if (against === null) return null;
    const { metrics, clock, events, finds } = this.#options;
    if (!isReadable) {
      // Reported once. Otherwise an archive that waits for hours would look as if it hung.
      if (!this.#unreadable.has(task.lane))
        events.onNotice?.(`${task.lane} waits: ${against.rule}${privateHint(against.rule!)}`);
      this.#unreadable.add(task.lane);
      // Denied for now, not forbidden: the page must not be lost, so its host rests until robots.txt is requested again.
      const why = against.rule!;
      if (this.robots.isClosed(task.key)) return later(task, { kind: "closed", why });
      const forMs = Math.max(this.robots.expiresAt(task.key) - clock.now(), ROBOTS_REST_MS);
      return later(task, { kind: "throttled", forMs, why });
    }
    const verdict = skip("robots_disallow", against.rule!);
    const settle = () => {
      metrics.increment("policy_reject_robots_disallow");
      finds.refused?.(task.key, verdict);
      return null;
    };
    // A page that was fetched before stays as it is.
    const kept = task.refetch ? undefined : verdict;
    return { result: "done", verdict: kept, signal: { kind: "neutral" }, settle };
  }

  async #visited(attempt: Attempt, visit: Visit): Promise<ArchiveOutcome> {
    const { task, request, context } = attempt;
    const { response, kind } = visit;
    const signal = this.#signalOf(response, visit.challenge);
    if (signal.kind === "throttled") return this.#rest(attempt, signal);
    this.#health.heard(task);
    if (isRetryable(response.status)) {
      const again = await this.#again(attempt, response, signal);
      if (again !== null) return again;
    } else this.#health.answered(task.lane, request);
    if (kind === "page" || kind === "not_modified") this.#health.served(task, context);
    return this.#settled(task, visit, signal);
  }

  #settled(task: Task<ArchiveMeta>, visit: Visit, signal: LaneSignal): ArchiveOutcome {
    const { clock, metrics, finds, events, failsWhenGone } = this.#options;
    const now = clock.now();
    const settle = (offer: Offer<ArchiveMeta>, context: CrawlContext): MetadataRecord => {
      countVisit(metrics, visit);
      finds.offerAll(task, visit, offer, this.#gate, context);
      if (visit.kind === "cut") events.onNotice?.(cutText(visit, this.#settings.config.limits.max_page_mb));
      const record = visitRecord(visit, this.#recordContext(task, now));
      events.onRecord?.(record);
      return record;
    };
    const bytes = headerBytes(visit.response.headers) + visit.response.decodedBytes + visit.links.length * 300;
    const result = hasFailed(visit, failsWhenGone) ? "failed" : "done";
    return { result, signal, bytes, newOrigins: this.#newOrigins(visit.links), settle };
  }

  /** There was no answer. */
  async #unanswered(attempt: Attempt, error: FetchError): Promise<ArchiveOutcome | null> {
    const { clock, fetcher, metrics } = this.#options;
    const { task, context } = attempt;
    // A proxy that lets nothing through tells us nothing about the page or its host.
    if (error.code === "proxy_failed") {
      const forMs = fetcher.readyAt() - clock.now();
      metrics.increment("retries");
      return later(task, forMs > 0 ? { kind: "throttled", forMs, why: error.message } : { kind: "neutral" });
    }
    const signal = this.#signalOf(error);
    if (signal.kind === "throttled") return this.#rest(attempt, signal);
    this.#health.heard(task);
    const again = error.retryable ? await this.#again(attempt, error, signal) : null;
    return context.signal.aborted ? null : (again ?? this.#failure(task, error));
  }

  /** The host asks for a rest: its lane waits, and the page waits with it, without losing an attempt. */
  #rest({ task, request }: Attempt, signal: LaneSignal): ArchiveOutcome {
    const { metrics, clock } = this.#options;
    metrics.increment("retries");
    const sentAway = this.#health.sentAway(task, request);
    return later(task, signal, sentAwayUntil(sentAway, signal, this.#settings.config.limits, clock.now()));
  }

  /** The outcome of a failure that may be temporary; null when the page is given up. */
  async #again(
    attempt: Attempt,
    outcome: HttpResponse | FetchError,
    signal: LaneSignal,
  ): Promise<ArchiveOutcome | null> {
    const { clock, metrics, random } = this.#options;
    const { limits } = this.#settings.config;
    const { task, request } = attempt;
    const { lane } = task;
    const again = retryAt(task, outcome, limits, clock.now(), random);
    if (again === null && (this.#health.isWell(lane, request) || (await this.#answersOthers(attempt, signal))))
      return null;
    if (again === null) this.#health.failed(lane);
    metrics.increment("retries");
    // The error of one page says nothing about its host, unless the host is in trouble.
    const isDistress = signal.kind === "neutral" && this.#health.isIll(lane);
    const distress: LaneSignal = isDistress ? { kind: "overloaded", forMs: null, why: "every page fails" } : signal;
    if (again !== null) return { result: "retry", retryAt: again, signal: distress, settle: () => null };
    // No attempt failed because of the page itself.
    return { ...later(task, distress, clock.now() + retryMs(task.attempt + 1, limits, random)), attempts: 0 };
  }

  /** Requests a page that the host served before: if that fails too, the host is in trouble, not the page. */
  async #answersOthers({ task, context }: Attempt, signal: LaneSignal): Promise<boolean> {
    const url = this.#health.otherPage(task);
    // No other page to try. A neutral error says nothing against the host; a host in distress has yet to serve a page.
    if (url === null || this.robots.judge(url) !== null) return signal.kind === "neutral";
    try {
      await context.pace(task.lane);
      const request = this.#health.sent();
      const { response } = await this.#fetcher.fetch({ url, signal: context.signal }, context);
      const isWell =
        this.#signalOf(response, challengeOf(response)).kind !== "throttled" && !isRetryable(response.status);
      if (isWell) this.#health.answered(task.lane, request);
      return isWell;
    } catch (error) {
      if (error instanceof FetchError || context.signal.aborted) return false;
      throw error;
    }
  }

  #failure(task: Task<ArchiveMeta>, error: FetchError): ArchiveOutcome {
    const { clock, metrics, events } = this.#options;
    const now = clock.now();
    const settle = (): MetadataRecord => {
      metrics.increment("fetch_fail_err");
      const record = failureRecord(error, this.#recordContext(task, now));
      events.onRecord?.(record);
      return record;
    };
    return { result: "failed", signal: this.#signalOf(error), settle };
  }

  #signalOf(outcome: HttpResponse | FetchError, challenge: string | null = null): LaneSignal {
    const { clock, random } = this.#options;
    return hostSignal(outcome, this.#settings.config.limits, clock.now(), random, challenge);
  }

  #recordContext(task: Task<ArchiveMeta>, now: number): RecordContext {
    const { extraOf, referrerOf } = this.#options;
    const pageType = this.#gate.types.nameOf(task.meta.pageType);
    return { task, referrer: referrerOf(task), now, pageType, extra: extraOf(task) };
  }

  /** Hosts that may be archived and whose robots.txt has not been read. */
  #newOrigins(links: readonly string[]): string[] {
    const origins = new Set<string>();
    for (const link of links) {
      if (!this.robots.isKnown(link) && this.#gate.policy(link) === null) origins.add(originOf(link));
    }
    return [...origins];
  }
}
