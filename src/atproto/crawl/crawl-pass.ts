/**
 * One pass of a crawl, from the first source to the last: client, parse threads, segments, state, sources and kernel, put together from
 * one config.
 */
import type { Clock } from "../../kernel/clock.ts";
import { Crawl, type CrawlEnd } from "../../kernel/crawl.ts";
import type { LaneReport } from "../../kernel/lane.ts";
import type { Meters } from "../../kernel/meters.ts";
import type { CrawlContext, Source } from "../../kernel/product.ts";
import type { HttpClient, Lookup } from "../../net/client.ts";
import type { HttpRequest } from "../../net/http-types.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import type { CrawlLevels, CrawlMetrics } from "../atproto-metrics.ts";
import { AtprotoProduct, endingOf, type RepoEvents, type RepoRecord } from "../atproto-product.ts";
import type { DidBacklog } from "../backlog/did-backlog.ts";
import { CarDisk } from "../car-disk.ts";
import { type DidMeta, skipRule } from "../did-feed.ts";
import { isErrorClass } from "../error-classes.ts";
import { HostSizes, sizeNote } from "../host-sizes.ts";
import { HostTiers } from "../host-tiers.ts";
import { RepoNotStorable } from "../rca/format/block.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { SegmentWriter, type WrittenRepo } from "../rca/write/segment-writer.ts";
import { recoverSegments } from "../recover-segments.ts";
import { ParsePool } from "../repo/parse-pool.ts";
import type { PreparedRepo } from "../repo/prepare-repo.ts";
import { CarBudget, createRepoClient } from "../repo-client.ts";
import { storedRevision } from "../repo-update.ts";
import { ArchivedRevs } from "../since.ts";
import { SourceClient, type SourceClientOptions } from "../sources/source-client.ts";
import { type CrawlState, openState, type SettledDid, type StateMember } from "../state/crawl-state.ts";
import { StateLedger } from "../state/cursor-ledger.ts";
import { makeBacklog } from "./crawl-backlog.ts";
import { CrawlCatalogue } from "./crawl-catalogue.ts";
import { CrawlIdentities } from "./crawl-identities.ts";
import { crawlLimits } from "./crawl-limits.ts";
import type { AtprotoEnd, AtprotoProgress, CrawlTally } from "./crawl-tally.ts";

/** What a pass reports. */
export type CrawlEvents = RepoEvents & {
  onNotice?: (text: string) => void;
  /** Called every half minute, after the state was saved. */
  onStats?: (progress: AtprotoProgress) => void;
};

export interface CrawlPassOptions {
  config: AtprotoConfig;
  events: CrawlEvents;
  clock: Clock;
  random: () => number;
  /** Resolves host names; the system's resolver unless given. */
  lookup: Lookup | undefined;
  /** Parse threads; one for each core unless given. */
  threads: number | undefined;
  tally: CrawlTally;
  metrics: CrawlMetrics;
  /** The processes that crawl with the same state; null if it is in a file. */
  member: StateMember | null;
  /** Whether another process has this host. */
  isElsewhere: (origin: string) => boolean;
}

const STATS_MS = 30_000;

export class CrawlPass {
  readonly #crawl: Crawl<RepoRecord, DidMeta>;
  readonly #config: AtprotoConfig;
  readonly #clock: Clock;
  readonly #client: HttpClient;
  readonly #pool: ParsePool;
  readonly #writer: SegmentWriter;
  readonly #state: CrawlState;
  #since: ArchivedRevs | null = null;
  #catalogue: CrawlCatalogue | null = null;
  /** Aborts what is done before the crawl begins. */
  readonly #stopping = new AbortController();
  readonly #identities: CrawlIdentities;
  readonly #tally: CrawlTally;
  readonly #sizes = new HostSizes();
  readonly #tiers: HostTiers;
  readonly #backlog: DidBacklog;
  readonly #events: CrawlEvents;
  readonly #metrics: CrawlMetrics;
  readonly #ended: Promise<AtprotoEnd>;
  readonly #member: StateMember | null;
  #cancelStats: (() => void) | null = null;
  readonly #isSkipped: (origin: string) => boolean;
  readonly #isElsewhere: (origin: string) => boolean;
  /** Hosts that have been blocked. */
  readonly #blocked = new Set<string>();

  /** Resolves when the crawl runs. */
  static async start(options: CrawlPassOptions): Promise<CrawlPass> {
    const pass = new CrawlPass(options);
    try {
      await pass.#crawl.start();
      pass.#keepStats();
      return pass;
    } catch (error) {
      await pass.stop();
      throw error;
    }
  }

  private constructor(options: CrawlPassOptions) {
    const { config, events, clock, random, threads, member } = options;
    this.#config = config;
    this.#clock = clock;
    this.#events = events;
    this.#isSkipped = skipRule(config.skipPds);
    this.#tiers = new HostTiers(config.outputDir, (text) => events.onNotice?.(text));
    this.#isElsewhere = options.isElsewhere;
    this.#member = member;
    this.#client = createRepoClient(config, clock, options.lookup);
    this.#pool = new ParsePool({ random, threads });
    this.#state = openState(config, clock, member ?? undefined);
    this.#identities = new CrawlIdentities({
      config,
      clock,
      clientOf: (context, more) => this.#sourceClient(context, more),
      onNotice: (text) => events.onNotice?.(text),
    });
    this.#tally = options.tally;
    this.#tally.begin(config.source.length);
    this.#metrics = options.metrics;
    this.#writer = new SegmentWriter({
      folder: config.outputDir,
      targetBytes: config.segmentSize,
      proofs: config.proofs !== "none",
      now: () => clock.now(),
      onFinished: (segment) => {
        this.#metrics.segmentFinished();
        this.#catalogue?.segmentFinished(segment);
      },
    });
    const ledger = this.#makeLedger();
    const product = this.#makeProduct(random);
    this.#backlog = this.#makeBacklog(ledger, product);
    this.#crawl = new Crawl<RepoRecord, DidMeta>({
      ledger,
      product,
      sources: [(context) => this.#readBacklog(context)],
      limits: crawlLimits(config),
      readAhead: true,
      clock,
    });
    this.#ended = this.#crawl.ended.then((end) => this.#afterEnd(end));
  }

  #makeLedger(): StateLedger<RepoRecord, DidMeta> {
    return new StateLedger<RepoRecord, DidMeta>({
      state: this.#state,
      durable: async ({ durable }) => {
        const written = await durable;
        if (written !== null) this.#tally.settled(written);
      },
      progress: () => this.#tally.saved(),
      beforeCommit: (settled, records) => this.#putCatalogue(settled, records),
      endingOf: (_, record) => endingOf(record!, this.#clock.now()),
      refusalOf: ({ reason }, { pds: host }) =>
        reason !== null && isErrorClass(reason)
          ? { failure: reason, isFinal: false, detail: null, host, retryAt: 0 }
          : null,
      begin: () => this.#begin(),
      end: () => this.#end(),
    });
  }

  #makeProduct(random: () => number): AtprotoProduct {
    const config = this.#config;
    return new AtprotoProduct({
      config,
      fetch: (request) => this.#client.fetch(request),
      pool: this.#pool,
      budget: new CarBudget(config.maxRepoSize, new CarDisk(config.outputDir)),
      store: (repo, record) => this.#store(repo, record),
      identity: (did) => this.#identities.find(did),
      lookUp: (did, context) => this.#identities.lookUp(did, context),
      stored: (did) => storedRevision(this.#since, config.since, did, config.changesFrom),
      sizes: this.#sizes,
      tiers: this.#tiers,
      mayStore: () => this.#tally.claim(config.maxRepos),
      onSettled: (lane) => this.#backlog.settled(lane),
      onPassedOver: (reason) => this.#tally.feed?.passedOver(reason),
      isAllowed: (origin) => !this.#isSkipped(origin) && !this.#isElsewhere(origin),
      isElsewhere: this.#isElsewhere,
      metrics: this.#metrics,
      events: { onRepo: (record, repo) => this.#heard(record, repo) },
      clock: this.#clock,
      random,
      close: () => this.#close(),
    });
  }

  #makeBacklog(ledger: StateLedger<RepoRecord, DidMeta>, product: AtprotoProduct): DidBacklog {
    return makeBacklog({
      config: this.#config,
      isSkipped: this.#isSkipped,
      isElsewhere: this.#isElsewhere,
      since: () => this.#since,
      unsettled: (claims) => ledger.unsettledAt(claims),
      cursorOf: (source) => product.notes.get(`cursor ${source}`) ?? null,
      clientOf: (context) => this.#sourceClient(context),
      identities: this.#identities,
      sizes: this.#sizes,
      tiers: this.#tiers,
      tally: this.#tally,
      metrics: this.#metrics,
      mayRead: () => this.#crawl.state === "running",
      onFailure: (origin, reason) => this.#unread(origin, reason),
      onNotice: (text) => this.#events.onNotice?.(text),
    });
  }

  #readBacklog(context: CrawlContext): ReturnType<Source<DidMeta>> {
    // A host's rate is set before its accounts are counted; it may turn out to have a hundred times as many.
    this.#sizes.onChange = (origin) => {
      context.refreshPolicy(origin);
      context.note(sizeNote(origin, this.#sizes.sizeOf(origin)!));
    };
    this.#tiers.watch(this.#clock, (origin) => context.refreshPolicy(origin));
    return this.#backlog.founds(context);
  }

  /** Resolves when everything is on disk and every file is closed. */
  get ended(): Promise<AtprotoEnd> {
    return this.#ended;
  }

  get meters(): Readonly<Meters> {
    return this.#crawl.meters;
  }

  /** Values for metrics. */
  get levels(): CrawlLevels {
    return {
      pdsCount: () => this.#tally.feed?.hostCount ?? 0,
      activePds: () => this.hosts().length,
      remaining: () => this.#backlog.size + this.#crawl.meters.open - this.#crawl.inFlight,
      blocked: () => this.#noticeBlocked().size,
    };
  }

  progress(): AtprotoProgress {
    const { state, inFlight, meters } = this.#crawl;
    const [waiting, now] = [this.#backlog.size, this.#clock.now()];
    return this.#tally.progress({ state, inFlight, meters, waiting, hosts: this.hosts(), now });
  }

  /** What the hosts with work are doing now, the busiest first. */
  hosts(limit = Number.POSITIVE_INFINITY): LaneReport[] {
    return this.#crawl.hosts(limit);
  }

  openSockets(): number {
    return this.#client.openSockets();
  }

  pause(): Promise<void> {
    return this.#crawl.pause();
  }

  resume(): void {
    this.#crawl.resume();
    this.#backlog.nudge();
  }

  stop(): Promise<AtprotoEnd> {
    this.#stopping.abort();
    this.#crawl.stop();
    return this.#ended;
  }

  async #begin(): Promise<void> {
    const { outputDir, resume } = this.#config;
    const { progress, notes } = await this.#state.read();
    // What is left of a source says little about the size of its hosts.
    if (resume) for (const note of notes.values()) this.#sizes.recover(note);
    // If old cursors were kept, this crawl would skip DIDs that it never read after being resumed.
    if (!resume) await this.#state.clearCursors();
    const recovered = await recoverSegments(outputDir, this.#state, progress.segmentNumber, damageNotice(this.#events));
    const { finished, found } = recovered;
    const notice = (text: string) => this.#events.onNotice?.(text);
    if (finished > 0) notice(`${finished} unfinished segments were finished.`);
    if (found > 0) notice(`${found} repos were in the segments but not in the state; they were added to it.`);
    this.#tally.continueFrom(progress, recovered);
    await this.#state.saveProgress(this.#tally.saved());
    await this.#openCatalogues();
  }

  async #openCatalogues(): Promise<void> {
    const { signal } = this.#stopping;
    const onDamage = damageNotice(this.#events);
    this.#catalogue = await CrawlCatalogue.open({
      folder: this.#config.outputDir,
      now: () => this.#clock.now(),
      onDamage,
      onNotice: (text) => this.#events.onNotice?.(text),
      signal,
    });
    this.#since = await ArchivedRevs.open(this.#config, onDamage, signal);
  }

  async #putCatalogue(settled: readonly SettledDid[], records: ReadonlyMap<string, RepoRecord>): Promise<void> {
    const written = new Map<string, WrittenRepo>();
    for (const [did, { durable }] of records) {
      const place = await durable;
      if (place !== null) written.set(did, place);
    }
    await this.#catalogue!.settled(settled, written);
  }

  /** Everything is committed. */
  async #end(): Promise<void> {
    await this.#state.saveProgress(this.#tally.saved());
    // The last of several processes to finish forgets how far sources were read.
    const isComplete = this.#crawl.state === "running" && this.#tally.unread.length === 0;
    if (isComplete && this.#member === null) await this.#state.finish();
  }

  async #store(repo: PreparedRepo, record: RepoRecord): Promise<WrittenRepo | null> {
    try {
      const written = await this.#writer.append(repo.block, repo.proof);
      this.#tally.written(written.size);
      this.#metrics.written(written.size);
      return written;
    } catch (error) {
      if (!(error instanceof RepoNotStorable)) throw error;
      record.failure = "too_large";
      record.detail = `a segment has no room for it: ${error.message}`;
      return null;
    }
  }

  #unread(source: string, reason: string): void {
    this.#tally.unread.push({ source, reason });
    this.#events.onNotice?.(`${source} was not read to its end: ${reason}`);
  }

  #heard(record: RepoRecord, repo: PreparedRepo | null): void {
    this.#tally.heard(record, repo, this.#clock.now());
    this.#events.onRepo?.(record, repo);
    // What is stored by now is committed first.
    if (this.#tally.isEnough(this.#config.maxRepos)) void this.stop();
  }

  #sourceClient({ turn, signal }: CrawlContext, more: Partial<SourceClientOptions> = {}): SourceClient {
    const fetch = (request: HttpRequest) => this.#client.fetch(request);
    const onAnswer: SourceClientOptions["onAnswer"] = (status, seconds, url) => {
      if (url.includes("/xrpc/com.atproto.sync.listRepos")) this.#metrics.request(status, seconds);
    };
    return new SourceClient({ fetch, turn, signal, clock: this.#clock, onAnswer, ...more });
  }

  #keepStats(): void {
    this.#cancelStats = this.#clock.after(STATS_MS, () => {
      this.#keepStats();
      this.#noticeBlocked();
      // If this fails, the next commit also fails and reports it.
      this.#state.saveProgress(this.#tally.saved()).then(
        () => this.#events.onStats?.(this.progress()),
        () => {},
      );
    });
  }

  #noticeBlocked(): ReadonlySet<string> {
    for (const { key, state } of this.#crawl.lanes) if (state.blocks > 0) this.#blocked.add(key);
    return this.#blocked;
  }

  /** Closes sockets first, so that nothing is sent afterwards; then finishes the segment. */
  async #close(): Promise<void> {
    this.#cancelStats?.();
    this.#tiers.close();
    await this.#client.destroy();
    await this.#pool.close();
    await this.#writer.close();
  }

  async #afterEnd(end: CrawlEnd): Promise<AtprotoEnd> {
    this.#cancelStats?.();
    this.#since?.close();
    await this.#catalogue?.close().catch(({ message }: Error) => {
      this.#events.onNotice?.(
        `The catalogue is not complete: ${message} The next crawl, or trawl atproto index, completes it.`,
      );
    });
    this.#identities.close();
    const waiting = this.#backlog.size;
    this.#backlog.close();
    return this.#tally.end(end, this.#crawl.meters, waiting, this.#config.maxRepos);
  }
}

const damageNotice =
  (events: CrawlEvents) =>
  ({ path, offset, reason }: Damage): void =>
    events.onNotice?.(`${path} at byte ${offset}: ${reason}.`);
