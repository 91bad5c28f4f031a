/**
 * A crawl of the network. With the state in a file, it is one pass over the sources. With a Redis, other processes may
 * share the crawl: this process reads its own hosts, and a new pass begins whenever hosts are redistributed, until all
 * processes are done.
 */
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { LaneReport } from "../kernel/lane.ts";
import type { Lookup } from "../net/client.ts";
import { type MetricsServer, serveMetrics } from "../net/metrics-server.ts";
import { makeFolder, notWritable } from "../storage/durable.ts";
import type { AtprotoConfig } from "./atproto-config.ts";
import { CrawlMetrics } from "./atproto-metrics.ts";
import { type CrawlEvents, CrawlPass } from "./crawl/crawl-pass.ts";
import { parseSource } from "./crawl/crawl-sources.ts";
import { type AtprotoEnd, type AtprotoProgress, CrawlTally } from "./crawl/crawl-tally.ts";
import { assertSegments } from "./rca/read/archive.ts";
import { continuesItself } from "./since.ts";
import { CrawlMembers, type Division, divisionRule } from "./state/crawl-members.ts";
import { openState } from "./state/crawl-state.ts";

export interface AtprotoCrawlOptions {
  config: AtprotoConfig;
  events?: CrawlEvents;
  clock?: Clock;
  random?: () => number;
  /** Resolves host names; the system's resolver unless given. */
  lookup?: Lookup;
  /** Parse threads; one for each core unless given. */
  threads?: number;
}

export class AtprotoCrawl {
  readonly #options: AtprotoCrawlOptions;
  readonly #clock: Clock;
  readonly #tally: CrawlTally;
  readonly #metrics: CrawlMetrics;
  readonly #stopping = new AbortController();
  #members: CrawlMembers | null = null;
  #pass: CrawlPass | null = null;
  #passes = 0;
  #isPaused = false;
  #server: MetricsServer | null = null;
  #ended: Promise<AtprotoEnd> | null = null;

  /** Resolves when the crawl runs. */
  static async start(options: AtprotoCrawlOptions): Promise<AtprotoCrawl> {
    const { config } = options;
    for (const written of config.source) parseSource(written, config.allowPrivate);
    // With a misspelt name, the whole network would be fetched again.
    if (config.since !== null && !continuesItself(config)) await assertSegments(config.since);
    await makeFolder(config.outputDir).catch((error) => {
      throw notWritable(config.outputDir, error);
    });
    const crawl = new AtprotoCrawl(options);
    try {
      if (config.metricsPort !== null) crawl.#server = await serveMetrics(crawl.#metrics, config.metricsPort);
      const division = await crawl.#join();
      await crawl.#startPass(division);
      crawl.#ended = crawl.#run(division).finally(() => crawl.#close());
      return crawl;
    } catch (error) {
      await crawl.#close();
      throw error;
    }
  }

  private constructor(options: AtprotoCrawlOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#tally = new CrawlTally(this.#clock.now());
    this.#metrics = new CrawlMetrics({
      pdsCount: () => this.#pass?.levels.pdsCount() ?? 0,
      activePds: () => this.#pass?.levels.activePds() ?? 0,
      remaining: () => this.#pass?.levels.remaining() ?? 0,
      blocked: () => this.#pass?.levels.blocked() ?? 0,
    });
  }

  /** Resolves when everything is on disk and every file is closed. */
  get ended(): Promise<AtprotoEnd> {
    return this.#ended!;
  }

  get metrics(): CrawlMetrics {
    return this.#metrics;
  }

  /** Where metrics are served; null when they are not. */
  get metricsPort(): number | null {
    return this.#server?.port ?? null;
  }

  progress(): AtprotoProgress {
    return this.#pass!.progress();
  }

  /** What the hosts with work are doing now, the busiest first. */
  hosts(limit = Number.POSITIVE_INFINITY): LaneReport[] {
    return this.#pass!.hosts(limit);
  }

  openSockets(): number {
    return this.#pass!.openSockets();
  }

  pause(): Promise<void> {
    this.#isPaused = true;
    return this.#pass!.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#pass!.resume();
  }

  stop(): Promise<AtprotoEnd> {
    this.#stopping.abort();
    this.#pass?.stop();
    return this.ended;
  }

  /** Null when no other process can share this state. */
  async #join(): Promise<Division | null> {
    const { redisAddress: address } = this.#options.config;
    if (address === null) return null;
    this.#members = await CrawlMembers.join({ address, clock: this.#clock });
    return this.#members.agree(this.#stopping.signal);
  }

  async #startPass(division: Division | null): Promise<void> {
    const { config, events = {}, random = Math.random, lookup, threads } = this.#options;
    const members = this.#members;
    const isFirst = this.#passes++ === 0 && (members === null || members.isFirst);
    const count = division?.members.length ?? 1;
    if (count > 1) events.onNotice?.(`The hosts are divided among ${count} processes.`);
    if (this.#pass !== null) this.#tally.fold(this.#pass.meters);
    this.#pass = await CrawlPass.start({
      // Another pass continues, and so does a process that joins others.
      config: { ...config, resume: config.resume || !isFirst, plcRps: config.plcRps / count },
      events,
      clock: this.#clock,
      random,
      lookup,
      threads,
      tally: this.#tally,
      metrics: this.#metrics,
      member: members === null ? null : { me: members.me, isShared: count > 1 },
      isElsewhere: division === null || members === null ? () => false : divisionRule(division, members.me),
    });
    if (this.#isPaused) await this.#pass.pause();
    if (this.#stopping.signal.aborted) this.#pass.stop();
  }

  async #run(first: Division | null): Promise<AtprotoEnd> {
    for (let division = first; ; ) {
      const end = await this.#endOfPass(division);
      if (division === null || end.state === "failed" || end.isEnough || this.#stopping.signal.aborted) return end;
      try {
        if (end.state === "completed" && (await this.#areAllDone(division))) return end;
        division = await this.#members!.agree(this.#stopping.signal);
        await this.#startPass(division);
      } catch (error) {
        if (this.#stopping.signal.aborted) return { ...end, state: "stopped" };
        return { ...end, state: "failed", error };
      }
    }
  }

  async #endOfPass(division: Division | null): Promise<AtprotoEnd> {
    const pass = this.#pass!;
    const unwatch = division === null ? () => {} : this.#members!.watch(division, () => pass.stop());
    const end = await pass.ended;
    unwatch();
    return end;
  }

  /** When the others are done too, sources are read from their beginning the next time. */
  async #areAllDone(division: Division): Promise<boolean> {
    const members = this.#members!;
    if (division.members.length > 1) {
      this.#options.events?.onNotice?.(
        "The hosts of this process are done; it waits for the others, to take over if one fails.",
      );
    }
    const isPartly = this.#tally.unread.length > 0;
    if (!(await members.done(division, isPartly, this.#stopping.signal))) return false;
    if (!(await members.isWhole())) return true;
    const state = openState(this.#options.config, this.#clock);
    try {
      await state.finish();
    } finally {
      await state.close();
    }
    return true;
  }

  async #close(): Promise<void> {
    await this.#members?.leave();
    await this.#server?.close();
  }
}
