/** A crawl that this process works on: steered here, measured once a second, and told to the registry as it goes. */
import type { Clock } from "../../kernel/clock.ts";
import type { CrawlEnd, CrawlState } from "../../kernel/crawl.ts";
import type { SiteCrawl, SiteProgress } from "../../site/site-crawl.ts";
import type { StatusCounts } from "./live-counts.ts";
import { LiveSamples, type Sample } from "./live-counts.ts";
import type { CrawlRecord, CrawlRecordState, CrawlUpdate, StoredProgress } from "./registry.ts";

/** The counts of a crawl while it runs. */
export type CrawlCounts = SiteProgress;

export interface ActiveCrawlParts {
  record: CrawlRecord;
  site: SiteCrawl;
  statuses: StatusCounts;
  clock: Clock;
  /** A monotonic clock in milliseconds, for durations. */
  monotonic: () => number;
  save: (update: CrawlUpdate) => void;
  /** Lets go of the lock, and reads the record back. */
  release: () => CrawlRecord;
}

/** How often it is measured. Others read of it in the registry. */
const TICK_MS = 1_000;

export class ActiveCrawl {
  readonly id: number;
  /** As it was when this process took it over. */
  readonly record: CrawlRecord;
  readonly site: SiteCrawl;
  /** Resolves when the crawl has ended and the registry knows it. */
  readonly ended: Promise<CrawlEnd & { record: CrawlRecord }>;
  /** Told after each measure. */
  onMeasured: (() => void) | null = null;

  readonly #parts: ActiveCrawlParts;
  readonly #samples: LiveSamples;
  #durationMs: number;
  #measuredAt: number;
  #wasPaused = false;
  #cancelTick: () => void = () => {};

  constructor(parts: ActiveCrawlParts) {
    const { record, site, clock, monotonic } = parts;
    this.id = record.id;
    this.record = record;
    this.site = site;
    this.#parts = parts;
    this.#samples = new LiveSamples(clock.now(), site.progress());
    this.#durationMs = record.durationMs;
    this.#measuredAt = monotonic();
    this.#save("running", null);
    this.#setTick();
    this.ended = this.#follow();
  }

  get state(): CrawlState {
    return this.site.progress().state;
  }

  /** Ms of running, pauses left out. */
  get durationMs(): number {
    return Math.round(this.#durationMs + (this.#wasPaused ? 0 : this.#parts.monotonic() - this.#measuredAt));
  }

  get samples(): readonly Sample[] {
    return this.#samples.all;
  }

  /** What is under way lands, nothing new leaves; resolves when all of it is durable. */
  async pause(): Promise<void> {
    await this.site.pause();
    this.#measure();
  }

  resume(): void {
    this.site.resume();
    this.#measure();
  }

  /** Resolves when no socket is open and the registry knows. It can be resumed. */
  async stop(): Promise<void> {
    await this.site.stop();
    await this.ended;
  }

  progress(): SiteProgress & StoredProgress {
    const reasons = [...this.site.reasons()].map(([value, count]) => ({ value, count }));
    return {
      ...this.site.progress(),
      pagesPerSecond: this.#wasPaused ? 0 : this.#samples.pagesPerSecond(),
      statuses: this.#parts.statuses.all(),
      reasons: reasons.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count),
    };
  }

  #setTick(): void {
    this.#cancelTick = this.#parts.clock.after(TICK_MS, () => {
      this.#measure();
      this.#setTick();
    });
  }

  #measure(): void {
    const isPaused = this.state === "paused";
    // Nothing happens in a pause: there is nothing to write, and no speed to tell.
    if (isPaused && this.#wasPaused) return;
    this.#keepTime(isPaused);
    try {
      this.#save(isPaused ? "paused" : "running", null);
    } catch {
      // A full disk, or a registry that is held for long: the crawl itself fares as its own database does.
    }
    this.onMeasured?.();
  }

  #keepTime(isPaused: boolean): void {
    const { clock, monotonic, site } = this.#parts;
    this.#durationMs = this.durationMs;
    this.#measuredAt = monotonic();
    if (this.#wasPaused) this.#samples.skipTo(clock.now());
    else this.#samples.add(clock.now(), site.progress());
    this.#wasPaused = isPaused;
  }

  async #follow(): Promise<CrawlEnd & { record: CrawlRecord }> {
    let end = await this.site.ended;
    this.#cancelTick();
    this.#keepTime(true);
    const { state, message } = endState(end, this.record.mode, this.site.progress());
    try {
      this.#save(state, message);
    } catch (error) {
      // The registry goes on calling it running; held by nobody, that is a crawl to be resumed.
      end = { ...end, state: "failed", error };
    }
    return { ...end, record: this.#parts.release() };
  }

  #save(state: CrawlRecordState, message: string | null): void {
    const { state: _, crawled, discovered, ...progress } = this.progress();
    this.#parts.save({ state, durationMs: this.durationMs, crawled, discovered, message, progress });
  }
}

function endState(
  end: CrawlEnd,
  mode: CrawlRecord["mode"],
  { crawled, errors }: SiteProgress,
): { state: CrawlRecordState; message: string | null } {
  if (end.state === "failed") return { state: "failed", message: (end.error as Error).message };
  if (end.parked.length > 0) return { state: "paused", message: `${end.parked.join(", ")} stopped answering` };
  // A list of dead links is an answer; a site that does not answer is not, and nothing to compare the next crawl with.
  const isDead = mode === "site" && errors > 0 && crawled === errors;
  if (end.state === "completed" && isDead) return { state: "failed", message: "nothing answered" };
  return { state: end.state === "completed" ? "completed" : "paused", message: null };
}
