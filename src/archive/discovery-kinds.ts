/** What happens to the links of a page: offered to the crawl, counted, and written to the trajectory and the spool. */
import type { Clock } from "../kernel/clock.ts";
import type { Offer } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import type { MetricName, Metrics } from "./archive-metrics.ts";
import type { Visit } from "./archive-visit.ts";
import type { Trajectory } from "./csv-logs.ts";
import type { ArchiveGate } from "./policy/archive-gate.ts";
import { type ArchiveMeta, NO_TYPE, POLICY_REASONS } from "./policy/policy.ts";
import type { DiscoveriesWriter } from "./spool/discoveries-writer.ts";
import type { Discovery } from "./spool/spool-files.ts";

/** Where the links of a page go. */
export interface FindSink {
  /** The gate decided on a URL that was not known before. */
  decided(verdict: Verdict): void;
  offerAll(task: Task<ArchiveMeta>, visit: Visit, offer: Offer<ArchiveMeta>, gate: ArchiveGate): void;
}

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

  constructor(options: FindsOptions) {
    this.#options = options;
  }

  decided(verdict: Verdict): void {
    this.#verdict = verdict;
    this.#options.metrics.increment(metricOf(verdict));
  }

  offerAll(task: Task<ArchiveMeta>, visit: Visit, offer: Offer<ArchiveMeta>, gate: ArchiveGate): void {
    const { metrics, trajectory, discoveries } = this.#options;
    const isRedirect = visit.kind === "redirect";
    const found: Discovery[] = [];
    metrics.increment("links_extracted", isRedirect ? 0 : visit.links.length);
    for (const url of visit.links) {
      const isAllowed = gate.policy(url) === null;
      const meta = isAllowed ? gate.types.metaOf(url) : NO_TYPE;
      // One step deeper, for redirects too: what is found later is never shallower than what was found before.
      const depth = task.depth + 1;
      if (isAllowed) trajectory?.add(task.key, url, depth);
      const verdict = this.#offer(
        { key: url, depth, parent: task.id, hops: isRedirect ? task.hops + 1 : 0, meta },
        offer,
      );
      if (verdict === null) metrics.increment("duplicates");
      else if (verdict.action === "crawl" && gate.types.ruleOf(meta.pageType)?.target === true) {
        found.push(this.#discovery(url, gate.types.nameOf(meta.pageType), depth, task.key));
      }
    }
    if (discoveries === null || found.length === 0) return;
    metrics.increment(discoveries.add(found) ? "discoveries_written" : "discoveries_dropped", found.length);
  }

  #offer(found: Found<ArchiveMeta>, offer: Offer<ArchiveMeta>): Verdict | null {
    this.#verdict = null;
    offer(found);
    return this.#verdict;
  }

  #discovery(url: string, page_type: string, depth: number, referrer: string): Discovery {
    return { url, page_type, depth, referrer, discovered_at: Math.floor(this.#options.clock.now() / 1000) };
  }
}

/** The count that a verdict belongs to. */
export function metricOf({ action, reason }: Verdict): MetricName {
  if (action === "crawl") return "frontier_push";
  if (reason === "max_depth") return "skip_depth";
  return POLICY.has(reason!) ? (`policy_reject_${reason}` as MetricName) : "cap_exceeded";
}
