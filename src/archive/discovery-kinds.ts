/** What happens to the links of a page: offered to the crawl, counted, and written to the trajectory and the spool. */
import type { Clock } from "../kernel/clock.ts";
import type { Note } from "../kernel/ledger.ts";
import type { CrawlContext, Offer } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import type { MetricName, Metrics } from "./archive-metrics.ts";
import type { Visit } from "./archive-visit.ts";
import type { ArchiveGate } from "./policy/archive-gate.ts";
import { type ArchiveMeta, NO_TYPE, POLICY_REASONS } from "./policy/policy.ts";
import type { DiscoveriesWriter } from "./spool/discoveries-writer.ts";
import type { Discovery } from "./spool/spool-files.ts";
import { EDGES_NOTE, type Trajectory } from "./trajectory.ts";

/** Where the links of a page go. */
export interface FindSink {
  /** The gate decided on a URL that was not known before, or that is queued now although it was refused before. */
  decided(verdict: Verdict, found: Found<ArchiveMeta>, gate: ArchiveGate): void;
  offerAll(
    task: Task<ArchiveMeta>,
    visit: Visit,
    offer: Offer<ArchiveMeta>,
    gate: ArchiveGate,
    context: NoteTaker,
  ): void;
  /** A URL that was queued is refused after all, because of its robots.txt. */
  refused?(url: string, verdict: Verdict): void;
  /** What the ledger remembers. */
  recoverNote?(note: Note): void;
  /** Undefined when links may be offered; otherwise resolves when they may. */
  ready?(): Promise<void> | undefined;
}

type NoteTaker = Pick<CrawlContext, "note">;

export interface FindsOptions {
  metrics: Metrics;
  trajectory: Trajectory | null;
  discoveries: DiscoveriesWriter | null;
  clock: Clock;
}

const POLICY: ReadonlySet<string> = new Set(POLICY_REASONS);

export class Finds implements FindSink {
  readonly #options: FindsOptions;
  /** The gate's verdict on the URL being offered; null when the URL was known and the gate was not asked. */
  #verdict: Verdict | null = null;
  /** The page whose links are being offered. */
  #page: string | null = null;
  /** What belongs in the spool and is not in it yet. */
  readonly #found: Discovery[] = [];

  constructor(options: FindsOptions) {
    this.#options = options;
  }

  decided(verdict: Verdict, { key, depth, meta }: Found<ArchiveMeta>, { types }: ArchiveGate): void {
    this.#verdict = verdict;
    this.#options.metrics.increment(metricOf(verdict));
    if (verdict.action !== "crawl" || types.ruleOf(meta.pageType)?.target !== true) return;
    const referrer = this.#page ?? meta.referrer ?? null;
    const discovered_at = Math.floor(this.#options.clock.now() / 1000);
    this.#found.push({ url: key, page_type: types.nameOf(meta.pageType), depth, referrer, discovered_at });
    // The links of a page are written together; seeds and formerly refused URLs are written one by one.
    if (this.#page === null) this.#write();
  }

  recoverNote({ key, value }: Note): void {
    if (key === EDGES_NOTE) this.#options.trajectory?.recover(Number(value));
  }

  ready(): Promise<void> | undefined {
    return this.#options.trajectory?.ready;
  }

  offerAll(
    task: Task<ArchiveMeta>,
    visit: Visit,
    offer: Offer<ArchiveMeta>,
    gate: ArchiveGate,
    context: NoteTaker,
  ): void {
    const { metrics, trajectory } = this.#options;
    const isRedirect = visit.kind === "redirect";
    // Its rows were written when it was fetched before.
    const isListed = task.refetch === true && visit.kind === "not_modified";
    this.#page = task.key;
    metrics.increment("links_extracted", isRedirect ? 0 : visit.links.length);
    for (const url of visit.links) {
      const isAllowed = gate.policy(url) === null;
      const meta = isAllowed ? gate.types.metaOf(url) : NO_TYPE;
      // Following a redirect does not lead further away from the seeds.
      const depth = isRedirect ? task.depth : task.depth + 1;
      if (isAllowed && !isListed) trajectory?.add(task.key, url, depth);
      const verdict = this.#offer(
        { key: url, depth, parent: task.id, hops: isRedirect ? task.hops + 1 : 0, meta },
        offer,
      );
      if (verdict === null) metrics.increment("duplicates");
    }
    trajectory?.settled(context);
    this.#page = null;
    this.#write();
  }

  #write(): void {
    const { discoveries, metrics } = this.#options;
    const found = this.#found.splice(0);
    if (discoveries === null || found.length === 0) return;
    discoveries.add(found);
    metrics.increment("discoveries_written", found.length);
  }

  #offer(found: Found<ArchiveMeta>, offer: Offer<ArchiveMeta>): Verdict | null {
    this.#verdict = null;
    offer(found);
    return this.#verdict;
  }
}

/** The count that a verdict belongs to. */
export function metricOf({ action, reason }: Verdict): MetricName {
  if (action === "crawl") return "frontier_push";
  if (reason === "max_depth") return "skip_depth";
  return POLICY.has(reason!) ? (`policy_reject_${reason}` as MetricName) : "cap_exceeded";
}
