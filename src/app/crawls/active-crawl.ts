/** A crawl of this process: controlled here and measured once per second. Its progress is written to the registry. */
import type { Clock } from "../../kernel/clock.ts";
import type { CrawlEnd, CrawlState } from "../../kernel/crawl.ts";
import { type Ending, type EngineEnd, endState, endText } from "../../site/crawl-end.ts";
import type { SiteCrawl, SiteProgress } from "../../site/site-crawl.ts";
import { type LiveCounts, LiveSamples, type Sample } from "./live-counts.ts";
import type { Asked, CrawlRecord, CrawlRecordState, CrawlUpdate, StoredProgress } from "./registry.ts";

/** The counts of a crawl while it runs. */
export interface CrawlCounts extends SiteProgress {
  pages: number;
  broken: number;
}

export interface ActiveCrawlParts {
  record: CrawlRecord;
  site: SiteCrawl;
  counts: LiveCounts;
  clock: Clock;
  /** A monotonic clock in milliseconds, for durations. */
  monotonic: () => number;
  save: (update: CrawlUpdate) => void;
  /** What another process asked this one to do. */
  asked: () => Asked | null;
  /** How it ended, according to what is stored, and its number of pages. */
  decide: (end: EngineEnd) => { ending: Ending; pages: number };
  /** Audits the complete crawl before it is reported as complete. */
  audit: () => Promise<void>;
  /** Releases the lock, and reads the record again. */
  release: () => CrawlRecord;
}

/** How often it is measured. Other processes read the result in the registry. */
const TICK_MS = 1_000;

export class ActiveCrawl {
  readonly id: number;
  /** The record at the time when this process took the crawl over. */
  readonly record: CrawlRecord;
  readonly site: SiteCrawl;
  /** Resolves when the crawl has ended and its end is in the registry. */
  readonly ended: Promise<CrawlEnd & { record: CrawlRecord }>;
  /** Called after each measurement. */
  onMeasured: (() => void) | null = null;

  readonly #parts: ActiveCrawlParts;
  readonly #samples: LiveSamples;
  #isStopped = false;
  #obeyed: Asked | null = null;
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
    this.#samples = new LiveSamples(clock.now(), this.counts());
    this.#durationMs = record.durationMs;
    this.#measuredAt = monotonic();
    this.#save("running", null);
    this.#setTick();
    this.ended = this.#follow();
  }

  get state(): CrawlState {
    return this.site.progress().state;
  }

  /** Running time in ms, without pauses. */
  get durationMs(): number {
    return Math.round(this.#durationMs + (this.#wasPaused ? 0 : this.#parts.monotonic() - this.#measuredAt));
  }

  get samples(): readonly Sample[] {
    return this.#samples.all;
  }

  /** Lets requests in flight finish and sends no new ones; resolves when everything is durable. */
  async pause(): Promise<void> {
    await this.site.pause();
    this.#measure();
  }

  resume(): void {
    this.site.resume();
    this.#measure();
  }

  /** The crawl is not wanted any more. Resolves when no socket is open and the registry knows. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.site.stop();
    await this.ended;
  }

  /** This process leaves the crawl for later: it stays paused. Resolves as `stop` does. */
  async leave(): Promise<void> {
    await this.site.stop();
    await this.ended;
  }

  /** A pause that another process asked for: this process releases the crawl, so that any process can resume it. */
  async #release(): Promise<void> {
    await this.site.pause();
    await this.leave();
  }

  counts(): CrawlCounts {
    const progress = this.site.progress();
    const { pages, badAnswers } = this.#parts.counts;
    return { ...progress, pages, broken: badAnswers + progress.errors };
  }

  progress(): CrawlCounts & StoredProgress {
    const reasons = [...this.site.reasons()].map(([value, count]) => ({ value, count }));
    return {
      ...this.counts(),
      pagesPerSecond: this.#wasPaused ? 0 : this.#samples.pagesPerSecond(),
      urlsPerSecond: this.#wasPaused ? 0 : this.#samples.urlsPerSecond(),
      statuses: this.#parts.counts.statuses(),
      reasons: reasons.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count),
    };
  }

  #setTick(): void {
    this.#cancelTick = this.#parts.clock.after(TICK_MS, () => {
      this.#measure();
      this.#obey();
      this.#setTick();
    });
  }

  #obey(): void {
    try {
      const asked = this.#parts.asked();
      if (asked === this.#obeyed) return;
      this.#obeyed = asked;
      if (asked === "stop") void this.stop();
      if (asked === "pause") void this.#release();
    } catch {
      // The registry has been locked for a while: it is asked again in a second.
    }
  }

  #measure(): void {
    const isPaused = this.state === "paused";
    // Nothing happens during a pause, so there is nothing to write and no speed to report.
    if (isPaused && this.#wasPaused) return;
    this.#keepTime(isPaused);
    try {
      this.#save(isPaused ? "paused" : "running", null);
    } catch {
      // The disk is full, or the registry is locked: the crawl itself continues as long as its own database works.
    }
    this.onMeasured?.();
  }

  #keepTime(isPaused: boolean): void {
    const { clock, monotonic } = this.#parts;
    this.#durationMs = this.durationMs;
    this.#measuredAt = monotonic();
    if (this.#wasPaused) this.#samples.skipTo(clock.now());
    else this.#samples.add(clock.now(), this.counts());
    this.#wasPaused = isPaused;
  }

  async #follow(): Promise<CrawlEnd & { record: CrawlRecord }> {
    let end = await this.site.ended;
    this.#cancelTick();
    this.#keepTime(true);
    if (end.state === "completed") await this.#parts.audit();
    try {
      const { ending, pages } = this.#parts.decide(this.#engineEnd(end));
      this.#save(endState(ending), ending, pages);
    } catch (error) {
      // The registry still says that it is running; without a lock, that means it can be resumed.
      end = { ...end, state: "failed", error };
    }
    return { ...end, record: this.#parts.release() };
  }

  /**
   * If the engine was told to stop, the crawl counts as stopped only when a user asked for that; otherwise it waits.
   */
  #engineEnd({ state, parked, error }: CrawlEnd): EngineEnd {
    if (state === "stopped") return { how: this.#isStopped ? "stopped" : "paused", parked, error };
    return { how: state === "completed" ? "drained" : "failed", parked, error };
  }

  #save(state: CrawlRecordState, ending: Ending | null, counted?: number): void {
    const { state: _, pages: seen, crawled, discovered, ...progress } = this.progress();
    const message = ending === null ? null : endText(ending);
    const pages = counted ?? seen;
    this.#parts.save({ state, durationMs: this.durationMs, pages, crawled, discovered, message, ending, progress });
  }
}
