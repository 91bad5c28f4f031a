/**
 * The crawl loop: sources → gate → ledger → lanes → product → settle, and the states a crawl can be in.
 *
 * Two things run: `#pump` sends requests whenever a lane is due, and `#loop` applies outcomes and pulls sources, one at
 * a time and in a fixed order. Only the loop decides anything, so two pages that find the same key cannot race.
 *
 * Completion is arithmetic: open = admitted − settled. It is complete when open is 0 and all sources are drained.
 */
import { type Clock, systemClock } from "./clock.ts";
import { type CommitLimits, Committer } from "./commit.ts";
import { freshLane, type LaneSignal } from "./lane.ts";
import { type Lane, Lanes } from "./lanes.ts";
import type { Ledger } from "./ledger.ts";
import { Meters } from "./meters.ts";
import { Order, type Ticket } from "./order.ts";
import type { CrawlContext, Outcome, Product, Turn } from "./product.ts";
import { Provisional } from "./provisional.ts";
import { SeenTable } from "./seen.ts";
import type { Source } from "./source.ts";
import type { Admitted, Found, Task } from "./task.ts";

export interface CrawlLimits {
  /** Requests under way at once, over all lanes. */
  parallelism: number;
  /** Sources are read while fewer tasks than this are open. */
  highWater: number;
  /** Outcomes that may wait for an earlier one, or for the disk, before the crawl waits with them, */
  maxAhead: number;
  /** and what they may hold in memory together. */
  maxAheadBytes: number;
  /** How long an outcome is waited for before those behind it are applied. */
  patienceMs: number;
  commit: CommitLimits;
}

export const DEFAULT_CRAWL_LIMITS: CrawlLimits = {
  parallelism: 10,
  highWater: 10_000,
  maxAhead: 1_024,
  maxAheadBytes: 8_000_000,
  patienceMs: 10_000,
  commit: { settled: 100, admitted: 4_000, ms: 50, pending: 2 },
};

export type CrawlState = "new" | "running" | "pausing" | "paused" | "stopping" | "stopped" | "completed" | "failed";

export interface CrawlEnd {
  state: "completed" | "stopped" | "failed";
  /** Lanes whose tasks stay open because nobody answered there. */
  parked: string[];
  error: unknown;
}

export interface CrawlOptions<Rec> {
  ledger: Ledger<Rec>;
  product: (context: CrawlContext) => Product<Rec>;
  sources: Source[];
  limits: CrawlLimits;
  clock?: Clock;
  /** True while the consumer of the results has enough to do. */
  isFull?: () => boolean;
}

interface Landed<Rec> {
  task: Task;
  lane: Lane;
  outcome: Outcome<Rec>;
}

export class Crawl<Rec> {
  readonly #ledger: Ledger<Rec>;
  readonly #product: Product<Rec>;
  readonly #limits: CrawlLimits;
  readonly #clock: Clock;
  readonly #isFull: () => boolean;
  readonly #seen = new SeenTable();
  readonly #provisional = new Provisional();
  readonly #lanes: Lanes;
  readonly #order: Order<Landed<Rec>>;
  readonly #committer: Committer<Rec>;
  readonly #abort = new AbortController();
  readonly #sources: AsyncIterator<Found[]>[];
  #meters = new Meters();
  #state: CrawlState = "new";
  /** Counts ids and places: a key's first place is its id, and one that is admitted again gets a new place. */
  #next = 1;
  #inFlight = 0;
  #aheadBytes = 0;
  #error: unknown = null;
  #wake: (() => void) | null = null;
  #woken = false;
  #cancelPumpTimer: (() => void) | null = null;
  #lastPump = 0;
  #cancelPull: (() => void) | null = null;
  #onPaused: (() => void)[] = [];
  #isStarted = false;
  #ended = Promise.withResolvers<CrawlEnd>();

  constructor(options: CrawlOptions<Rec>) {
    this.#ledger = options.ledger;
    this.#limits = options.limits;
    this.#clock = options.clock ?? systemClock;
    this.#isFull = options.isFull ?? (() => false);
    this.#sources = options.sources.map((source) => source[Symbol.asyncIterator]());
    this.#product = options.product({
      turn: (lane) => this.#turn(lane),
      pace: (lane) => this.#pace(lane),
      note: (note) => this.#committer.note(note),
      refreshPolicy: (lane) => this.#lanes.refreshPolicy(lane, this.#clock.now()),
      signal: this.#abort.signal,
    });
    this.#lanes = new Lanes((key) => this.#product.lanePolicy(key));
    this.#order = new Order(this.#clock, this.#limits.patienceMs, () => this.#nudge());
    this.#committer = new Committer(this.#ledger, this.#clock, this.#limits.commit, (error) => this.#fail(error));
  }

  get state(): CrawlState {
    return this.#state;
  }

  get meters(): Readonly<Meters> {
    return this.#meters;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.all();
  }

  get ended(): Promise<CrawlEnd> {
    return this.#ended.promise;
  }

  /** Reads the ledger back and begins. Resolves when the crawl runs; `ended` tells how it went. */
  async start(): Promise<void> {
    this.#isStarted = true;
    try {
      await this.#recover();
    } catch (error) {
      this.#fail(error);
      await this.#finish();
      throw error;
    }
    // It may have been stopped meanwhile.
    if (this.#state === "new") this.#state = "running";
    this.#run();
    this.#pump();
  }

  async #recover(): Promise<void> {
    const recovered = await this.#ledger.open((known) => {
      this.#seen.set(known.key, known.id);
      this.#next = Math.max(this.#next, known.place + 1);
      this.#meters.recover(known);
      if (known.reason !== null && this.#product.provisionalReasons.has(known.reason)) {
        this.#provisional.add(known.id, { action: known.action, reason: known.reason, rule: null });
      }
      this.#product.recover(known);
    });
    for (const note of recovered.notes.values()) this.#product.recoverNote(note);
    const now = this.#clock.now();
    for (const [key, state] of recovered.lanes) this.#lanes.revive(key, state, recovered.open.has(key), now);
    for (const key of recovered.open.keys()) {
      // Its first requests may have been under way, or not committed, when the process died.
      if (!recovered.lanes.has(key)) this.#lanes.revive(key, freshLane(), true, now);
      this.#refill(this.#lanes.get(key));
    }
  }

  /** Takes nothing more, lets flights land, and resolves when all of it is durable. */
  pause(): Promise<void> {
    if (this.#state === "paused" || this.#hasEnded()) return Promise.resolve();
    if (this.#state === "running") this.#state = "pausing";
    this.#nudge();
    return new Promise((resolve) => this.#onPaused.push(resolve));
  }

  resume(): void {
    if (this.#state !== "paused" && this.#state !== "pausing") return;
    this.#state = "running";
    this.#settlePause();
    this.#nudge();
    this.#pump();
  }

  /** Aborts flights, keeps what has landed, and resolves when no socket is open and the last commit is durable. */
  stop(): Promise<CrawlEnd> {
    if (!this.#hasEnded() && this.#state !== "stopping") {
      this.#state = "stopping";
      this.#halt();
      this.#nudge();
      if (!this.#isStarted) this.#finish();
    }
    return this.#ended.promise;
  }

  /** Looks again whether something can be sent: the consumer has room. */
  nudge(): void {
    this.#pump();
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

  /** The single decider: applies outcomes and reads sources, one at a time, in an order that timing cannot change. */
  async #loop(): Promise<void> {
    while (this.#state !== "stopping" && this.#state !== "failed") {
      const room = this.#committer.room();
      if (room !== undefined) await room;
      if (this.#state === "running" && this.#sources.length > 0 && this.#meters.open < this.#limits.highWater) {
        await this.#pull();
        continue;
      }
      const landed = this.#order.next();
      if (landed !== null) {
        const prepared = this.#product.prepare(landed.outcome);
        if (prepared !== undefined) await prepared.catch(() => {});
        if (this.#abort.signal.aborted) break;
        this.#apply(landed);
        continue;
      }
      if (this.#inFlight === 0 && this.#order.waiting === 0) {
        if (this.#state === "pausing") await this.#rest();
        if (this.#state === "running" && this.#isIdle()) {
          if (this.#sources.length === 0) break;
          // All that is open waits for lanes that were given up: that must not keep the sources from being read.
          await this.#pull();
          continue;
        }
      }
      await this.#sleep();
    }
  }

  /** Nothing is left that could be sent. */
  #isIdle(): boolean {
    if (this.#meters.open === 0) return true;
    for (const lane of this.#lanes.all()) {
      if (lane.window.size + lane.retries.length + lane.turns.length === 0 && !lane.window.spilled) continue;
      if (!this.#lanes.isGivenUp(lane) || lane.policy.onGiveUp === "fail") return false;
    }
    return true;
  }

  async #pull(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Found[]> | null>();
    // Stopping does not wait for a source that gives nothing.
    this.#cancelPull = () => resolve(null);
    this.#sources[0]!.next().then(resolve, reject);
    const batch = await promise;
    this.#cancelPull = null;
    if (batch === null) return;
    if (batch.done) this.#sources.shift();
    else for (const found of batch.value) this.#offer(found);
    this.#pump();
  }

  #apply({ task, lane, outcome }: Landed<Rec>): void {
    this.#aheadBytes -= outcome.bytes ?? 0;
    const record = outcome.settle((found) => this.#offer(found));
    const state = outcome.result === "done" ? "done" : "failed";
    const verdict = outcome.verdict ?? null;
    this.#meters.settle(state, verdict);
    this.#committer.settle({ id: task.id, state, verdict, record }, lane.key, lane.state);
    this.#pump();
  }

  #offer(found: Found): number {
    const known = this.#seen.get(found.key);
    if (known !== 0 && !this.#provisional.has(known)) return known;
    const verdict = this.#product.gate(found, known !== 0);
    if (known !== 0 && verdict.action !== "crawl") return known;
    const place = this.#next++;
    const id = known || place;
    if (known !== 0) this.#meters.withdraw(this.#provisional.take(known));
    else this.#seen.set(found.key, id);
    this.#admit({ ...found, id, place, lane: verdict.action === "crawl" ? this.#product.laneOf(found) : "", verdict });
    return id;
  }

  #admit(admitted: Admitted): void {
    const { id, lane, verdict } = admitted;
    if (verdict.reason !== null && this.#product.provisionalReasons.has(verdict.reason)) {
      this.#provisional.add(id, verdict);
    }
    this.#committer.admit(admitted);
    this.#meters.admit(verdict);
    if (verdict.action !== "crawl") return;
    const { place, depth, parent, via, kind, hops } = admitted;
    const task = {
      id,
      place,
      key: ownCopy(admitted.key),
      depth,
      parent,
      via,
      kind,
      hops,
      lane,
      attempt: 0,
      notBefore: 0,
    };
    this.#lanes.offer(task, this.#clock.now());
  }

  /** Sends what may be sent now, and sets a timer for the next lane that will be due. */
  #pump(): void {
    const now = this.#clock.now();
    // Less than a second is the clock being kept right, and costs no more than that.
    if (now < this.#lastPump - 1_000) this.#lanes.setBack(this.#lastPump - now, now);
    this.#lastPump = now;
    this.#clearPumpTimer();
    if (this.#abort.signal.aborted) return;
    // Turns leave even while pausing or waiting: an outcome that is being applied may need one.
    while (this.#lanes.grantTurn(now));
    while (this.#mayTake()) {
      const lane = this.#lanes.due(now);
      if (lane === null) break;
      this.#perform(lane, this.#lanes.takeTask(lane, now));
      this.#refill(lane);
    }
    const due = Math.min(this.#lanes.nextTurnDue(), this.#mayTake() ? this.#lanes.nextDue() : Number.POSITIVE_INFINITY);
    if (due === Number.POSITIVE_INFINITY) return;
    // What was just sent may have pumped as well, and set a timer of its own.
    this.#clearPumpTimer();
    this.#cancelPumpTimer = this.#clock.after(due - now, () => this.#pump());
  }

  #clearPumpTimer(): void {
    this.#cancelPumpTimer?.();
    this.#cancelPumpTimer = null;
  }

  #mayTake(): boolean {
    return (
      this.#state === "running" &&
      this.#inFlight < this.#limits.parallelism &&
      this.#order.waiting < this.#limits.maxAhead &&
      this.#aheadBytes < this.#limits.maxAheadBytes &&
      !this.#isFull()
    );
  }

  #perform(lane: Lane, task: Task): void {
    this.#inFlight++;
    const ordered = this.#product.isOrdered(task);
    const ticket = ordered ? this.#order.enter() : null;
    if (this.#lanes.isGivenUp(lane) && lane.policy.onGiveUp === "fail") {
      // Nothing was sent, so the lane learns nothing: it stays given up.
      this.#land(lane, task, ticket, this.#product.abandon(task), null);
      return;
    }
    this.#product
      .perform(task, this.#abort.signal)
      .then((outcome) => {
        this.#land(lane, task, ticket, outcome, outcome?.signal ?? null);
        this.#pump();
      })
      .catch((error) => this.#fail(error));
  }

  #land(
    lane: Lane,
    task: Task,
    ticket: Ticket<Landed<Rec>> | null,
    outcome: Outcome<Rec> | null,
    signal: LaneSignal | null,
  ): void {
    const now = this.#clock.now();
    this.#inFlight--;
    // What lands after the end is as good as never sent: its task is open, and the last commit may be gone.
    if (this.#abort.signal.aborted) return;
    this.#lanes.land(lane, signal, now);
    if (outcome === null || outcome.result === "retry") {
      if (ticket !== null) this.#order.leave(ticket);
      if (outcome !== null) this.#retry(lane, task, outcome.retryAt ?? now, now);
    } else {
      const landed = { task, lane, outcome };
      this.#aheadBytes += outcome.bytes ?? 0;
      if (ticket !== null) this.#order.arrive(ticket, landed);
      else this.#order.arriveLate(landed);
    }
    this.#nudge();
  }

  #retry(lane: Lane, task: Task, notBefore: number, now: number): void {
    const attempt = task.attempt + 1;
    this.#meters.retries++;
    this.#lanes.retry(lane, { ...task, attempt, notBefore }, now);
    this.#committer.retry({ id: task.id, attempt, notBefore }, lane.key, lane.state);
  }

  #refill(lane: Lane): void {
    if (!this.#lanes.needsRefill(lane)) return;
    const { after, asked } = this.#lanes.startRefill(lane);
    // The ledger must know what has been admitted so far before it is asked what is open.
    this.#committer.flush().catch(() => {});
    this.#ledger
      .take(lane.key, after, asked)
      .then((tasks) => {
        this.#lanes.refill(lane, tasks, asked, this.#clock.now());
        this.#refill(lane);
        this.#nudge();
        this.#pump();
      })
      .catch((error) => this.#fail(error));
  }

  #turn(key: string): Promise<Turn> {
    const lane = this.#lanes.get(key);
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#abort.signal.reason);
      if (this.#abort.signal.aborted) return refuse();
      const done = (signal: LaneSignal) => {
        this.#inFlight--;
        this.#lanes.land(lane, signal, this.#clock.now());
        this.#nudge();
        this.#pump();
      };
      const grant = () => {
        this.#inFlight++;
        resolve({ done });
      };
      this.#lanes.addTurn(lane, { inFlight: false, grant, refuse });
      this.#pump();
    });
  }

  #pace(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#abort.signal.reason);
      if (this.#abort.signal.aborted) return refuse();
      this.#lanes.addTurn(this.#lanes.get(key), { inFlight: true, grant: resolve, refuse });
      this.#pump();
    });
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
    this.#abort.abort();
    this.#lanes.refuseTurns();
    this.#cancelPull?.();
  }

  #fail(error: unknown): void {
    if (this.#hasEnded()) return;
    this.#error ??= error;
    this.#halt();
    if (this.#state !== "stopping") this.#state = "failed";
    this.#nudge();
  }

  /** Ends the crawl: sockets first, so that nothing is sent after, then the last commit. */
  async #finish(): Promise<void> {
    const completed = this.#state === "running";
    const parked = completed ? this.#parkedLanes() : [];
    this.#halt();
    this.#cancelPumpTimer?.();
    this.#order.close();
    for (const source of this.#sources) Promise.resolve(source.return?.()).catch(() => {});
    await this.#product.close().catch((error) => {
      this.#error ??= error;
    });
    await this.#committer.flush().catch(() => {});
    await this.#ledger.close().catch((error) => {
      this.#error ??= error;
    });
    const state = this.#error !== null ? "failed" : completed ? "completed" : "stopped";
    this.#state = state;
    this.#settlePause();
    this.#ended.resolve({ state, parked, error: this.#error });
  }

  #parkedLanes(): string[] {
    const parked: string[] = [];
    if (this.#meters.open > 0)
      for (const lane of this.#lanes.all()) if (this.#lanes.isGivenUp(lane)) parked.push(lane.key);
    return parked;
  }
}

/** A key cut out of a page keeps the whole page in memory; what waits in a window must not. */
const ownCopy = (text: string): string => Buffer.from(text).toString();
