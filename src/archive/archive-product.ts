/** The archive product: what the kernel calls, implemented with the gate, the robots keeper, the visitor and the record. */
import type { Clock } from "../kernel/clock.ts";
import type { LanePolicy } from "../kernel/lane.ts";
import type { Known, Note } from "../kernel/ledger.ts";
import type { CrawlContext, Offer, Outcome, Product } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import { FetchError } from "../net/fetch-errors.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { laneSignal } from "../politeness/host-lane.ts";
import { RobotsKeeper } from "../politeness/robots-keeper.ts";
import { isDiskFull } from "../storage/file-system.ts";
import { hostOf, originOf } from "../web/url.ts";
import { countVisit, type Metrics } from "./archive-metrics.ts";
import { archiveLanePolicy, retryAt, robotsSettings } from "./archive-politeness.ts";
import { failureRecord, type RecordContext, visitRecord } from "./archive-record.ts";
import { type Visit, Visitor, type VisitorOptions } from "./archive-visit.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import type { FindSink } from "./discovery-kinds.ts";
import { PacedFetcher, type PacedFetcherOptions } from "./fetch/paced-fetcher.ts";
import { ArchiveGate } from "./policy/archive-gate.ts";
import { type ArchiveMeta, PROVISIONAL_REASONS, skip } from "./policy/policy.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

/** How long a page waits before another attempt while robots.txt cannot be read. */
const ROBOTS_RETRY_MS = 60_000;
const DISK_RETRY_MS = 5_000;

export interface ArchiveEvents {
  onRecord?: (record: MetadataRecord) => void;
  onNotice?: (text: string) => void;
}

export interface ArchiveProductOptions {
  settings: ArchiveSettings;
  fetcher: PacedFetcherOptions["fetcher"];
  visitor: Omit<VisitorOptions, "fetcher">;
  finds: FindSink;
  metrics: Metrics;
  /** The page that led to a task, where the ledger does not add it when the record is written. */
  referrerOf: (task: Task<ArchiveMeta>) => string | null;
  /** Called when nothing more can be written. */
  onDiskFull: () => void;
  /** Goes into the `metadata` of every line. */
  extra: MetadataRecord["metadata"];
  events: ArchiveEvents;
  clock: Clock;
  random: () => number;
  close: () => Promise<void>;
}

type ArchiveOutcome = Outcome<MetadataRecord, ArchiveMeta> & { newOrigins?: string[] };

export class ArchiveProduct implements Product<MetadataRecord, ArchiveMeta> {
  readonly provisionalReasons = PROVISIONAL_REASONS;
  readonly robots: RobotsKeeper;
  readonly #options: ArchiveProductOptions;
  /** Hosts whose robots.txt cannot be read at the moment. */
  readonly #unreadable = new Set<string>();
  readonly #gate: ArchiveGate;
  readonly #visitor: Visitor;
  #settings: ArchiveSettings;

  constructor(options: ArchiveProductOptions) {
    const { settings, clock } = options;
    this.#options = options;
    this.#settings = settings;
    const intervalMs = (url: string) => this.lanePolicy(hostOf(url)).intervalMs;
    const fetcher = new PacedFetcher({ fetcher: options.fetcher, intervalMs });
    this.#visitor = new Visitor({ ...options.visitor, fetcher });
    this.robots = new RobotsKeeper({
      config: robotsSettings(settings),
      client: { fetch: async (request, context) => (await fetcher.fetch(request, context)).response },
      clock,
    });
    this.#gate = new ArchiveGate({ settings, robots: (url) => this.#disallowed(url) });
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
    const verdict = this.#gate.decide(found);
    // The same verdict again is not another decision.
    if (!again || verdict.action === "crawl") this.#options.finds.decided(verdict);
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
    try {
      const waiting = await this.#checkRobots(task, context);
      if (waiting !== null) return waiting;
      return this.#visited(task, await this.#visitor.visit(task, context));
    } catch (error) {
      if (context.signal.aborted) return null;
      if (error instanceof FetchError) return this.#failed(task, error);
      if (!isDiskFull(error)) throw error;
      onDiskFull();
      return {
        result: "retry",
        retryAt: clock.now() + DISK_RETRY_MS,
        signal: { kind: "neutral" },
        settle: () => null,
      };
    }
  }

  /** A lane whose host does not answer is parked, never abandoned. */
  abandon(task: Task<ArchiveMeta>): ArchiveOutcome {
    return this.#failure(task, new FetchError("connect_failed", "the host stopped answering"));
  }

  prepare({ newOrigins = [] }: ArchiveOutcome, context: CrawlContext): Promise<void> | undefined {
    if (newOrigins.length === 0) return undefined;
    return Promise.all(newOrigins.map((origin) => this.robots.load(`${origin}/`, false, context))).then(() => {});
  }

  recover(known: Known): void {
    this.#gate.recover(known);
  }

  recoverNote(note: Note): void {
    this.robots.recoverNote(note);
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  /** What robots.txt is known to forbid. One that cannot be read is requested again before the fetch. */
  #disallowed(url: string): Verdict | null {
    const against = this.robots.judge(url);
    return against?.reason === "robots_disallow" ? skip("robots_disallow", against.rule!) : null;
  }

  /** Checks robots.txt again just before the fetch: it may have changed or expired. Null when nothing is against it. */
  async #checkRobots(task: Task<ArchiveMeta>, context: CrawlContext): Promise<ArchiveOutcome | null> {
    if (!this.robots.isKnown(task.key)) {
      await this.robots.load(task.key, true, context);
      await context.pace(task.lane);
    }
    const against = this.robots.judge(task.key);
    const isReadable = against?.reason !== "robots_unreachable";
    if (isReadable) this.#unreadable.delete(task.lane);
    if (against === null) return null;
    const { metrics, clock, events } = this.#options;
    if (!isReadable) {
      // Reported once: otherwise an archive that waits for hours would look as if it hung.
      if (!this.#unreadable.has(task.lane)) events.onNotice?.(`${task.lane} waits: ${against.rule}`);
      this.#unreadable.add(task.lane);
      // Denied for now, but not forbidden, so the page must not be lost: it waits, and its host is requested more
      // slowly.
      const retryAt = clock.now() + ROBOTS_RETRY_MS;
      return { result: "retry", retryAt, signal: { kind: "unreachable" }, settle: () => null };
    }
    const settle = () => {
      metrics.increment("policy_reject_robots_disallow");
      return null;
    };
    return { result: "done", verdict: skip("robots_disallow", against.rule!), signal: { kind: "neutral" }, settle };
  }

  #visited(task: Task<ArchiveMeta>, visit: Visit): ArchiveOutcome {
    const { clock, metrics, finds, events } = this.#options;
    const { response, kind } = visit;
    const now = clock.now();
    const signal = laneSignal(response, now);
    const again = this.#retryAt(task, response, now);
    if (again !== null) return { result: "retry", retryAt: again, signal, settle: () => null };
    const failed = kind === "error" || kind === "cut";
    const settle = (offer: Offer<ArchiveMeta>): MetadataRecord => {
      countVisit(metrics, visit);
      finds.offerAll(task, visit, offer, this.#gate);
      const record = visitRecord(visit, this.#recordContext(task, now));
      events.onRecord?.(record);
      return record;
    };
    const bytes = response.decodedBytes + visit.links.length * 300;
    return { result: failed ? "failed" : "done", signal, bytes, newOrigins: this.#newOrigins(visit.links), settle };
  }

  #failed(task: Task<ArchiveMeta>, error: FetchError): ArchiveOutcome {
    const now = this.#options.clock.now();
    const again = this.#retryAt(task, error, now);
    if (again === null) return this.#failure(task, error);
    const ready = Math.max(again, this.#options.fetcher.readyAt());
    return { result: "retry", retryAt: ready, signal: laneSignal(error, now), settle: () => null };
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
    return { result: "failed", signal: laneSignal(error, now), settle };
  }

  #recordContext(task: Task<ArchiveMeta>, now: number): RecordContext {
    const { extra, referrerOf } = this.#options;
    return { task, referrer: referrerOf(task), now, pageType: this.#gate.types.nameOf(task.meta.pageType), extra };
  }

  #retryAt(task: Task<ArchiveMeta>, outcome: HttpResponse | FetchError, now: number): number | null {
    const again = retryAt(task, outcome, this.#settings.config.limits, now, this.#options.random);
    if (again !== null) this.#options.metrics.increment("retries");
    return again;
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
