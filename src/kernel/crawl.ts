/**
 * The crawl loop: sources → gate → ledger → lanes → product → settle, and the states a crawl can be in.
 *
 * Two things run: `dispatch` sends requests whenever a lane is due, and `#loop` applies outcomes and pulls sources, one
 * at a time and in a fixed order. Only the loop decides anything, so two pages that find the same key cannot race.
 *
 * Completion is arithmetic: open = admitted − settled. It is complete when open is 0 and all sources are drained.
 */
import { Admission } from "./admission.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type CommitLimits, Committer } from "./commit.ts";
import { Dispatch, type DispatchLimits, type Landed } from "./dispatch.ts";
import type { LaneReport } from "./lane.ts";
import type { Lane } from "./lanes.ts";
import type { Ledger } from "./ledger.ts";
import { Meters } from "./meters.ts";
import type { CrawlContext, Product, Source } from "./product.ts";
import type { Found } from "./task.ts";

export interface CrawlLimits extends DispatchLimits {
  /** Sources are read while fewer tasks than this are open. */
  highWater: number;
  commit: CommitLimits;
}

export const DEFAULT_CRAWL_LIMITS: CrawlLimits = {
  parallelism: 10,
  highWater: 10_000,
  maxAhead: 1_024,
  maxAheadBytes: 8_000_000,
  patienceMs: 10_000,
  commit: { settled: 50, admitted: 2_000, ms: 50, pending: 2 },
};

export type CrawlState = "new" | "running" | "pausing" | "paused" | "stopping" | "stopped" | "completed" | "failed";

export interface CrawlEnd {
  state: "completed" | "stopped" | "failed";
  /** Lanes whose tasks stay open because the host did not answer. */
  parked: string[];
  error: unknown;
}

/** Ledger, product and sources agree on the meta of finds; the kernel never reads it. */
export interface CrawlOptions<Rec, Meta = unknown> {
  ledger: Ledger<Rec, Meta>;
  product: Product<Rec, Meta>;
  sources: Source<Meta>[];
  limits: CrawlLimits;
  clock?: Clock;
  /** True while the consumer of the results has no room for more. */
  isFull?: () => boolean;
  /**
   * Whether a request of the lane was released and has not left yet, because it waits for a connection. In a lane with an interval
   * no other is released before it has, so that they do not leave together. Whoever runs the crawl then calls its `left`.
   */
  isLeaving?: (lane: string) => boolean;
  /**
   * Outcomes are applied while the crawl waits for a source: for slow sources. Which key is found first then depends on
   * timing, so this is not for crawls in which one find can change the verdict on another.
   */
  readAhead?: boolean;
}

export class Crawl<Rec, Meta = unknown> {
  readonly #ledger: Ledger<Rec>;
  readonly #product: Product<Rec>;
  readonly #highWater: number;
  readonly #admission: Admission<Rec>;
  readonly #dispatch: Dispatch<Rec>;
  readonly #committer: Committer<Rec>;
  readonly #context: CrawlContext;
  readonly #sources: AsyncIterator<Found[]>[];
  readonly #meters = new Meters();
  readonly #ended = Promise.withResolvers<CrawlEnd>();
  #state: CrawlState = "new";
  #isStarted = false;
  #error: unknown = null;
  #wake: (() => void) | null = null;
  #woken = false;
  #cancelPull: (() => void) | null = null;
  readonly #readAhead: boolean;
  #isPulling = false;
  /** Everything is done, and the end is being written: nothing can be added any more. */
  #isEnding = false;
  /** The batch that a source delivered while outcomes were applied. */
  #pulled: IteratorResult<Found[]> | null = null;
  #onPaused: (() => void)[] = [];

  constructor(options: CrawlOptions<Rec, Meta>) {
    const { ledger, product, sources, limits, clock = systemClock, isFull = () => false, readAhead = false } = options;
    this.#ledger = ledger;
    this.#readAhead = readAhead;
    this.#highWater = limits.highWater;
    this.#product = product;
    const abort = new AbortController();
    const context: CrawlContext = {
      turn: (lane) => this.#dispatch.turn(lane),
      pace: (lane) => this.#dispatch.pace(lane),
      note: (note) => this.#committer.note(note),
      refreshPolicy: (lane) => this.#dispatch.refreshPolicy(lane),
      openOf: (lane) => this.#dispatch.openOf(lane),
      signal: abort.signal,
    };
    this.#context = context;
    // A source does nothing before it is first pulled.
    this.#sources = sources.map((source) => source(context)[Symbol.asyncIterator]());
    const fail = (error: unknown) => this.#fail(error);
    this.#committer = new Committer(ledger, clock, limits.commit, this.#meters, fail);
    const shared = { product, context, committer: this.#committer, meters: this.#meters };
    this.#dispatch = new Dispatch({
      ...shared,
      ledger,
      clock,
      limits,
      abort,
      fail,
      isLeaving: options.isLeaving,
      mayTake: () => this.#state === "running" && !isFull(),
      // A source that reads ahead may ask for one while the crawl is paused.
      mayTurn: () => this.#state !== "paused",
      wake: () => this.#nudge(),
    });
    this.#admission = new Admission({
      ...shared,
      queue: (task) => this.#dispatch.queue(task),
      stateOf: (id) => ledger.stateOf?.(id) ?? null,
    });
  }

  get state(): CrawlState {
    return this.#state;
  }

  get meters(): Readonly<Meters> {
    return this.#meters;
  }

  get inFlight(): number {
    return this.#dispatch.inFlight;
  }

  get lanes(): Iterable<Lane> {
    return this.#dispatch.lanes;
  }

  /** What the busiest lanes are doing now, and why the others wait. */
  hosts(limit = 50): LaneReport[] {
    return this.#dispatch.reports(limit);
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended.promise;
  }

  /** Reads the ledger and begins. Resolves when the crawl is running; `ended` tells how it ended. */
  async start(): Promise<void> {
    this.#isStarted = true;
    try {
      const recovered = await this.#ledger.open((known) => this.#admission.recover(known));
      for (const note of recovered.notes.values()) this.#product.recoverNote(note);
      this.#dispatch.recover(recovered);
      this.#committer.recovered();
    } catch (error) {
      this.#fail(error);
      await this.#finish();
      throw error;
    }
    // It may have been stopped in the meantime.
    if (this.#state === "new") this.#state = this.#onPaused.length > 0 ? "pausing" : "running";
    this.#run();
    this.#dispatch.pump();
  }

  /** Sends nothing more, lets requests in flight finish, and resolves when everything is durable. It may be paused before it starts. */
  pause(): Promise<void> {
    if (this.#state === "paused" || this.#hasEnded()) return Promise.resolve();
    if (this.#state === "running") this.#state = "pausing";
    this.#nudge();
    return new Promise((resolve) => this.#onPaused.push(resolve));
  }

  resume(): void {
    if (this.#state === "new") this.#settlePause();
    if (this.#state !== "paused" && this.#state !== "pausing") return;
    this.#state = "running";
    this.#settlePause();
    this.#nudge();
    this.#dispatch.pump();
  }

  /** Aborts requests in flight, keeps finished ones, and resolves when no socket is open and the last commit is durable. */
  stop(): Promise<CrawlEnd> {
    if (!this.#hasEnded() && this.#state !== "stopping") {
      this.#state = "stopping";
      this.#halt();
      this.#nudge();
      if (!this.#isStarted) this.#finish();
    }
    return this.#ended.promise;
  }

  /**
   * Reads one more source, after the others, once everything decided so far is in the ledger. False when the crawl has ended
   * or is about to: the source will not be read.
   */
  add(source: Source<Meta>): boolean {
    if (this.#isEnding || this.#hasEnded() || this.#state === "stopping") return false;
    const [flushed, context] = [this.#committer.flush(), this.#context];
    const read = async function* (): AsyncGenerator<Found[]> {
      await flushed;
      yield* (source as Source)(context);
    };
    this.#sources.push(read());
    this.#nudge();
    return true;
  }

  /** The policies of all lanes may have changed. */
  refreshPolicies(): void {
    for (const { key } of this.#dispatch.lanes) this.#dispatch.refreshPolicy(key);
  }

  /** A request of the lane has left, and its interval counts from now; or it will not leave any more. */
  left(lane: string, isSent: boolean): void {
    this.#dispatch.left(lane, isSent);
  }

  /** Waits until the lane may send a further request of a task in progress. */
  pace(lane: string): Promise<void> {
    return this.#dispatch.pace(lane);
  }

  /** Checks again whether something can be sent: the consumer has room. */
  nudge(): void {
    this.#dispatch.pump();
  }

  #hasEnded(): boolean {
    return this.#state === "stopped" || this.#state === "completed" || this.#state === "failed";
  }

  async #run(): Promise<void> {
    try {
      await this.#loop();
    } catch (error) {
      this.#fail(error);
    }
    await this.#finish();
  }

  /** The only place that decides: applies outcomes and reads sources, one at a time, in an order that timing cannot change. */
  async #loop(): Promise<void> {
    while (this.#state !== "stopping" && this.#state !== "failed") {
      const room = this.#committer.room();
      if (room !== undefined) await room;
      if (this.#state === "running" && this.#sources.length > 0 && this.#hasRoom()) {
        if (await this.#read()) continue;
      }
      const landed = this.#dispatch.next();
      if (landed !== null) {
        const prepared = this.#product.prepare(landed.outcome, this.#context);
        if (prepared !== undefined) await prepared.catch(() => {});
        if (this.#context.signal.aborted) break;
        this.#apply(landed);
        continue;
      }
      if (this.#dispatch.isQuiet) {
        if (this.#state === "pausing") await this.#rest();
        if (this.#state === "running" && (this.#meters.open === 0 || this.#dispatch.isStuck())) {
          if (this.#sources.length === 0) break;
          // All open tasks wait for lanes that were given up: the sources must still be read.
          if (await this.#read()) continue;
        }
      }
      await this.#sleep();
    }
    this.#isEnding = true;
  }

  #hasRoom(): boolean {
    return this.#meters.open < this.#highWater;
  }

  /** Reads a batch; false when it has not arrived yet, in which case the loop is woken when it does. */
  async #read(): Promise<boolean> {
    if (!this.#readAhead) {
      await this.#pull();
      return true;
    }
    if (this.#pulled !== null) {
      this.#offer(this.#pulled);
      this.#pulled = null;
      return true;
    }
    if (this.#isPulling) return false;
    this.#isPulling = true;
    const hear = (batch: IteratorResult<Found[]>) => {
      this.#isPulling = false;
      this.#pulled = batch;
      this.#nudge();
    };
    // A source that waits for its turn is refused when the crawl stops: that is not a failure of the source.
    const fail = (error: unknown) => this.#context.signal.aborted || this.#fail(error);
    this.#sources[0]!.next().then(hear, fail);
    return false;
  }

  async #pull(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Found[]> | null>();
    // Stopping does not wait for a source that delivers nothing.
    this.#cancelPull = () => resolve(null);
    this.#sources[0]!.next().then(resolve, reject);
    const batch = await promise;
    this.#cancelPull = null;
    if (batch !== null) this.#offer(batch);
  }

  #offer(batch: IteratorResult<Found[]>): void {
    if (batch.done) this.#sources.shift();
    else for (const found of batch.value) this.#admission.offer(found);
    this.#dispatch.pump();
  }

  #apply({ task, lane, outcome }: Landed<Rec>): void {
    const record = outcome.settle((found) => this.#admission.offer(found), this.#context);
    const state = outcome.result === "done" ? "done" : "failed";
    const verdict = outcome.verdict ?? null;
    this.#meters.settle(state, verdict, task.refetch);
    if (verdict !== null) this.#admission.overruled(task.id, verdict);
    this.#committer.settle({ id: task.id, state, verdict, record }, lane.key, lane.state);
    this.#dispatch.pump();
  }

  async #rest(): Promise<void> {
    await this.#committer.flush();
    if (this.#state !== "pausing") return;
    this.#state = "paused";
    this.#settlePause();
  }

  #settlePause(): void {
    for (const resolve of this.#onPaused.splice(0)) resolve();
  }

  #nudge(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async #sleep(): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    this.#woken = false;
  }

  #halt(): void {
    this.#dispatch.halt();
    this.#cancelPull?.();
  }

  #fail(error: unknown): void {
    if (this.#hasEnded()) return;
    this.#error ??= error;
    this.#halt();
    if (this.#state !== "stopping") this.#state = "failed";
    this.#nudge();
  }

  /** Ends the crawl: closes sockets first, so that nothing is sent afterwards, then makes the last commit. */
  async #finish(): Promise<void> {
    const completed = this.#state === "running";
    const parked = completed && this.#meters.open > 0 ? this.#dispatch.givenUp() : [];
    const keep = (error: unknown) => {
      this.#error ??= error;
    };
    this.#halt();
    for (const source of this.#sources) Promise.resolve(source.return?.()).catch(() => {});
    await this.#product.close().catch(keep);
    await this.#committer.flush().catch(() => {});
    this.#committer.restoreMeters();
    await this.#ledger.close().catch(keep);
    this.#state = this.#error !== null ? "failed" : completed ? "completed" : "stopped";
    this.#settlePause();
    this.#ended.resolve({ state: this.#state, parked, error: this.#error });
  }
}
