/** The product that archives the network: what the kernel calls, implemented with getRepo, the parse threads and a segment. */
import { backOff } from "../kernel/back-off.ts";
import type { LanePolicy, LaneSignal } from "../kernel/lane.ts";
import type { Known, Note } from "../kernel/ledger.ts";
import type { CrawlContext, Outcome, Product } from "../kernel/product.ts";
import { CRAWL, type Found, type Task, type Verdict } from "../kernel/task.ts";
import type { DidMeta } from "./did-feed.ts";
import {
  ERROR_CLASS_NAMES,
  ERROR_CLASSES,
  type ErrorClass,
  failure,
  laneSignalOf,
  type RepoFailure,
} from "./error-classes.ts";
import type { HostSizes } from "./host-sizes.ts";
import type { HostTiers } from "./host-tiers.ts";
import { normaliseEndpoint } from "./identity/did.ts";
import { pdsLanePolicy, tierBySize } from "./lane-policy.ts";
import type { WrittenRepo } from "./rca/write/segment-writer.ts";
import type { ParsePool } from "./repo/parse-pool.ts";
import type { PreparedRepo } from "./repo/prepare-repo.ts";
import type { CarBudget, CarShare } from "./repo-client.ts";
import { isPassedOver, type PassedOver, RepoFetch, type RepoFetchOptions } from "./repo-fetch.ts";
import { SourceError } from "./sources/source-client.ts";
import type { SettledDid } from "./state/crawl-state.ts";

export interface RepoEvents {
  /** A repo is done: stored, or failed for this crawl. Its block may not be on disk yet. */
  onRepo?: (record: RepoRecord, repo: PreparedRepo | null) => void;
}

export interface AtprotoProductOptions extends RepoFetchOptions {
  pool: RepoFetchOptions["pool"] & Pick<ParsePool, "room">;
  budget: CarBudget;
  sizes: HostSizes;
  tiers: Pick<HostTiers, "of">;
  /** Whether another repo may be stored; if not, the task stays open. */
  mayStore: () => boolean;
  /** A task of this lane is over. */
  onSettled: (lane: string) => void;
  /** Passes a repo to the segment. Resolves when it is on disk; with null when it cannot be stored. */
  store: (repo: PreparedRepo, record: RepoRecord) => Promise<WrittenRepo | null>;
  /** Its host reports that it need not be fetched. */
  onPassedOver: (reason: PassedOver) => void;
  /** Whether this crawl may send requests to a host that an account has moved to. */
  isAllowed: (origin: string) => boolean;
  /** Whether another process crawls that host. */
  isElsewhere: (origin: string) => boolean;
  events: RepoEvents;
  random: () => number;
  close: () => Promise<void>;
}

/**
 * Failures that an outdated identity may cause: the account has moved, or has another key. Its document is looked up
 * again before they count.
 */
const DOUBTFUL: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  "not_found",
  "deactivated",
  "takendown",
  "suspended",
  "bad_signature",
  "http_error",
  "redirected",
  "dns_error",
  "unavailable",
  "connection_error",
  "timeout",
]);
/** A document that was looked up this recently is looked up again only when a signature does not match. */
const RECENT_MS = 60 * 60_000;

const RETRY = { firstMs: 2_000, maxMs: 5 * 60_000, jitter: 0.5 };

export class AtprotoProduct implements Product<RepoRecord, DidMeta> {
  /** If a host lists an account as moved away, that says nothing about the host that has it now. */
  readonly provisionalReasons: ReadonlySet<string> = new Set<string>(ERROR_CLASS_NAMES);
  readonly notes = new Map<string, string>();
  readonly #options: AtprotoProductOptions;
  readonly #fetching: RepoFetch;
  /** Attempts that were throttled, and those that failed: each kind has its own limit. */
  readonly #tries = new Map<number, { failures: number; throttles: number }>();
  /** Tasks whose CAR did not fit in memory: the next time, they wait until there is room for the largest. */
  readonly #crowded = new Set<number>();
  /** Tasks whose document was requested again. */
  readonly #refreshed = new Set<number>();
  /** Where to fetch tasks whose account has left the host of their lane. */
  readonly #moved = new Map<number, string>();

  constructor(options: AtprotoProductOptions) {
    this.#options = options;
    this.#fetching = new RepoFetch(options);
  }

  gate({ meta: { refusal } }: Found<DidMeta>): Verdict {
    return refusal === null ? CRAWL : { action: "skip", reason: refusal, rule: "as its host lists it" };
  }

  laneOf({ meta: { pds } }: Found<DidMeta>): string {
    // Only finds without a refusal are fetched, and those have a host.
    return pds!;
  }

  /** Hosts that only sources request (a relay) have no repos here, and are infrastructure. */
  lanePolicy(origin: string): LanePolicy {
    const { config, sizes, tiers } = this.#options;
    const tier = tiers.of(origin) ?? tierBySize(sizes.sizeOf(origin) ?? Number.POSITIVE_INFINITY);
    const policy = pdsLanePolicy(tier, config);
    return origin === new URL(config.plcUrl).origin ? { ...policy, intervalMs: 1000 / config.plcRps } : policy;
  }

  /** Accounts that a host lists as inactive are recorded with that status. */
  admitted(_id: number, { action, reason }: Verdict): void {
    if (action === "skip") this.#options.metrics.processed(reason ?? "unknown");
  }

  /** Repos do not lead to other repos, so their order does not matter. */
  isOrdered(): boolean {
    return false;
  }

  async perform(task: Task<DidMeta>, context: CrawlContext): Promise<Outcome<RepoRecord, DidMeta> | null> {
    const { signal } = context;
    const { pool, budget, metrics, clock } = this.#options;
    await pool.room();
    if (signal.aborted) return null;
    try {
      using share = await budget.open(this.#crowded.has(task.id) ? "largest" : "usual", signal);
      metrics.dispatched();
      const begun = clock.now();
      const result = await this.#attemptAt(this.#hostOf(task), task, share, context);
      if (result === null) return this.#again(task);
      if (isPassedOver(result)) return this.#passOver(task, result);
      if ("class" in result) return await this.#failed(task, result, context);
      if (!this.#options.mayStore()) return null;
      metrics.repo(result, (clock.now() - begun) / 1000);
      return this.#stored(task, result);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  abandon(task: Task<DidMeta>): Outcome<RepoRecord, DidMeta> {
    return this.#over(task, failure("unavailable", "the host was given up"));
  }

  prepare(): undefined {}

  /** A cursor ledger recovers no keys. */
  recover(_known: Known): void {}

  recoverNote({ key, value }: Note): void {
    this.notes.set(key, value);
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  /** While the task waited, another host's claim may have triggered a look-up of its document. */
  #hostOf(task: Task<DidMeta>): string {
    const { config, identity, isAllowed } = this.#options;
    const known = this.#moved.get(task.id);
    if (known !== undefined || config.trustSources) return known ?? task.lane;
    const { pds, isLookup } = identity(task.key) ?? { pds: null, isLookup: false };
    const host = pds === null || !isLookup ? null : normaliseEndpoint(pds, config.allowPrivate).origin;
    if (host === null || host === task.lane || !isAllowed(host)) return task.lane;
    this.#moved.set(task.id, host);
    return host;
  }

  /** An account that has moved is fetched when it is its new host's turn. */
  async #attemptAt(
    host: string,
    task: Task<DidMeta>,
    share: CarShare,
    context: CrawlContext,
  ): Promise<PreparedRepo | RepoFailure | PassedOver | null> {
    if (host === task.lane) return this.#fetching.attempt(host, task, share, context);
    const turn = await context.turn(host);
    let signal: LaneSignal = { kind: "neutral" };
    try {
      const result = await this.#fetching.attempt(host, task, share, context);
      if (result !== null)
        signal = typeof result === "object" && "class" in result ? laneSignalOf(result) : { kind: "ok" };
      return result;
    } finally {
      turn.done(signal);
    }
  }

  /** The archive already has this version, or the account is not wanted: the state does not change. */
  #passOver(task: Task<DidMeta>, reason: PassedOver): Outcome<RepoRecord, DidMeta> {
    const settle = (): null => {
      this.#forget(task);
      this.#options.metrics.processed(reason);
      this.#options.onPassedOver(reason);
      return null;
    };
    const verdict: Verdict = {
      action: "skip",
      reason,
      rule: reason === "unchanged" ? "--since" : "--signal-collection",
    };
    return { result: "done", signal: { kind: "ok" }, verdict, settle };
  }

  #stored(task: Task<DidMeta>, repo: PreparedRepo): Outcome<RepoRecord, DidMeta> {
    const settle = (): RepoRecord => {
      const pds = this.#moved.get(task.id) ?? task.lane;
      const record: RepoRecord = { did: task.key, pds, failure: null, detail: null, durable: null };
      if (repo.undecodableCount > 0) record.detail = `${repo.undecodableCount} records cannot be decoded`;
      record.durable = this.#options.store(repo, record);
      // The commit awaits it, but possibly later.
      record.durable.catch(() => {});
      this.#finish(task, record, repo);
      return record;
    };
    return { result: "done", signal: { kind: "ok" }, bytes: blockBytes(repo), settle };
  }

  /** Our memory was full, which is not the host's fault. */
  #again(task: Task<DidMeta>): Outcome<RepoRecord, DidMeta> {
    this.#crowded.add(task.id);
    const retryAt = this.#options.clock.now();
    return { result: "retry", retryAt, signal: { kind: "neutral" }, settle: () => null };
  }

  async #failed(
    task: Task<DidMeta>,
    failed: RepoFailure,
    context: CrawlContext,
  ): Promise<Outcome<RepoRecord, DidMeta>> {
    const { clock, random } = this.#options;
    const signal = this.#signalOf(task, failed);
    const tries = this.#tries.get(task.id) ?? { failures: 0, throttles: 0 };
    const isThrottled = failed.class === "rate_limited";
    const attempt = isThrottled ? ++tries.throttles : ++tries.failures;
    if (!failed.mayPass || attempt > ERROR_CLASSES[failed.class].retries) {
      const hasMoved = await this.#hasMoved(task, failed, context);
      if (hasMoved !== true) return this.#over(task, hasMoved || failed);
      this.#tries.delete(task.id);
      return { result: "retry", retryAt: clock.now(), signal, settle: () => null };
    }
    this.#tries.set(task.id, tries);
    // The lane waits as long as the host asked; the task need not wait longer than its lane.
    const wait = isThrottled ? 0 : backOff(RETRY, attempt, random);
    return { result: "retry", retryAt: clock.now() + wait, signal, settle: () => null };
  }

  /** A failure of another host does not count against the lane. */
  #signalOf(task: Task<DidMeta>, failed: RepoFailure): LaneSignal {
    const host = this.#moved.get(task.id) ?? task.lane;
    return host === task.lane ? laneSignalOf(failed) : { kind: "neutral" };
  }

  /**
   * Whether the account's host or key has changed, which makes another attempt worthwhile; a different failure if this process cannot make
   * it. Checked once.
   */
  async #hasMoved(
    task: Task<DidMeta>,
    { class: name }: RepoFailure,
    context: CrawlContext,
  ): Promise<boolean | RepoFailure> {
    const { config, identity, isAllowed, isElsewhere, lookUp, clock } = this.#options;
    if (!DOUBTFUL.has(name) || this.#refreshed.has(task.id)) return false;
    if (config.trustSources && config.verify !== "full") return false;
    const before = identity(task.key);
    const isRecent = before?.isLookup === true && clock.now() - before.since < RECENT_MS;
    if (isRecent && name !== "bad_signature") return false;
    try {
      const { pds, signingKey } = await lookUp(task.key, context);
      const host = config.trustSources || pds === null ? null : normaliseEndpoint(pds, config.allowPrivate).origin;
      this.#refreshed.add(task.id);
      const hasOtherHost = host !== null && host !== (this.#moved.get(task.id) ?? task.lane) && isAllowed(host);
      if (hasOtherHost) this.#moved.set(task.id, host);
      // The other process may have read its sources already: the next crawl asks.
      if (host !== null && isElsewhere(host)) return failure("unresolved", `another process crawls its host, ${host}`);
      return hasOtherHost || (name === "bad_signature" && signingKey !== (before?.signingKey ?? null));
    } catch (error) {
      // Its failure stands; the next crawl tries again.
      if (error instanceof SourceError) return false;
      throw error;
    }
  }

  #over(task: Task<DidMeta>, failed: RepoFailure): Outcome<RepoRecord, DidMeta> {
    const { class: name, detail } = failed;
    const settle = (): RepoRecord => {
      const pds = this.#moved.get(task.id) ?? task.lane;
      const record: RepoRecord = { did: task.key, pds, failure: name, detail, durable: null };
      this.#finish(task, record, null);
      return record;
    };
    return { result: "failed", signal: this.#signalOf(task, failed), settle };
  }

  #finish(task: Task<DidMeta>, record: RepoRecord, repo: PreparedRepo | null): void {
    const { metrics, events } = this.#options;
    this.#forget(task);
    metrics.processed(record.failure ?? "success");
    events.onRepo?.(record, repo);
  }

  #forget({ id, lane }: Task<DidMeta>): void {
    this.#options.onSettled(lane);
    this.#tries.delete(id);
    this.#crowded.delete(id);
    this.#refreshed.delete(id);
    this.#moved.delete(id);
  }
}

const blockBytes = ({ block, proof }: PreparedRepo): number =>
  [...block.collections, ...(proof?.collections ?? [])].reduce((sum, { frame }) => sum + frame.length, 0);

/** What the crawl stores about a finished repo: its outcome, and when its block is on disk. */
export interface RepoRecord {
  did: string;
  pds: string;
  /** Null when it is stored. May still change when its block does not fit into a segment. */
  failure: ErrorClass | null;
  detail: string | null;
  /** Resolves when its block is on disk, with its place; null when it has no block. */
  durable: Promise<WrittenRepo | null> | null;
}

export const endingOf = (
  { failure, detail, pds }: Pick<RepoRecord, "failure" | "detail" | "pds">,
  now: number,
): Omit<SettledDid, "did"> => ({
  failure,
  isFinal: failure === null || ERROR_CLASSES[failure].isFinal,
  detail,
  host: pds,
  retryAt: failure === null ? 0 : now + ERROR_CLASSES[failure].againMs,
});
