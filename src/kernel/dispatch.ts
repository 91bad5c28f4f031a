/**
 * Sends tasks when their lanes are due, and puts their outcomes in order. It decides nothing; the loop does.
 *
 * It also serves the product's own requests. A turn is a request that does not belong to a task (robots.txt of a new host); a
 * pace is a further request of a task in progress. Both count in the lane's clock.
 */
import type { Clock } from "./clock.ts";
import type { Committer } from "./commit.ts";
import { freshLane, type LaneReport, type LaneSignal } from "./lane.ts";
import { type Lane, Lanes } from "./lanes.ts";
import type { Ledger, Recovered } from "./ledger.ts";
import type { Meters } from "./meters.ts";
import { Order, type Ticket } from "./order.ts";
import type { CrawlContext, Outcome, Product, Turn } from "./product.ts";
import type { Task } from "./task.ts";

export interface DispatchLimits {
  /** Requests in flight at once, over all lanes. */
  parallelism: number;
  /** How many outcomes may wait for an earlier one, or for the disk, before nothing more is sent, */
  maxAhead: number;
  /** and how much memory they may use together. */
  maxAheadBytes: number;
  /**
   * More than this may wait only when as many were applied: what the first pages of a crawl teach decides which of the later ones
   * are fetched at all. No such limit unless given.
   */
  earlyAhead?: number;
  /** How long later outcomes wait for an earlier one before they are applied, */
  patienceMs: number;
  /** and how long if a lane has nothing to send because of that. The same unless given. */
  starvedPatienceMs?: number;
}

export interface DispatchOptions<Rec> {
  product: Product<Rec>;
  context: CrawlContext;
  ledger: Ledger<Rec>;
  committer: Committer<Rec>;
  meters: Meters;
  clock: Clock;
  limits: DispatchLimits;
  /** Aborts requests in flight when the crawl stops. */
  abort: AbortController;
  /** Whether a request of the lane was released and has not left yet. */
  isLeaving: ((lane: string) => boolean) | undefined;
  /** Whether tasks may be sent now. */
  mayTake: () => boolean;
  /** Whether turns may be granted now. More often than tasks: an outcome that is being applied may need one. */
  mayTurn: () => boolean;
  /** An outcome arrived or something changed: wakes the loop. */
  wake: () => void;
  fail: (error: unknown) => void;
}

export interface Landed<Rec> {
  task: Task;
  lane: Lane;
  outcome: Outcome<Rec>;
  /** It was not sent, and has a place in the order. */
  isRefused: boolean;
}

export class Dispatch<Rec> {
  readonly #options: DispatchOptions<Rec>;
  readonly #clock: Clock;
  readonly #lanes: Lanes;
  readonly #order: Order<Landed<Rec>>;
  /** Tasks that wait for their host and keep their place in the order. */
  readonly #held = new Map<number, Ticket<Landed<Rec>>>();
  #inFlight = 0;
  #aheadBytes = 0;
  #lastPump = 0;
  #cancelTimer: (() => void) | null = null;

  constructor(options: DispatchOptions<Rec>) {
    this.#options = options;
    this.#clock = options.clock;
    const { product } = options;
    this.#lanes = new Lanes((key) => product.lanePolicy(key), options.isLeaving);
    const { clock, wake } = options;
    this.#order = new Order({ clock, wake, patienceMs: () => this.#patienceMs() });
  }

  get #signal(): AbortSignal {
    return this.#options.abort.signal;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Nothing is in flight, and no outcome waits to be applied. */
  get isQuiet(): boolean {
    return this.#inFlight === 0 && this.#order.arrived === 0;
  }

  get lanes(): Iterable<Lane> {
    return this.#lanes.all();
  }

  /** What the busiest lanes are doing now. */
  reports(limit: number): LaneReport[] {
    return this.#lanes.reports(limit, this.#clock.now());
  }

  /** Lanes with their clocks, and those that have tasks in the ledger. */
  recover(recovered: Recovered): void {
    const now = this.#clock.now();
    const { lanes, open, notes } = recovered;
    if (recovered.isResumed ?? lanes.size + open.size + notes.size > 0) this.#lanes.resumed(now);
    for (const [key, state] of recovered.lanes) this.#lanes.revive(key, state, recovered.open.get(key) ?? 0, now);
    for (const [key, open] of recovered.open) {
      // Its first requests may have been in flight, or not committed, when the process died.
      if (!recovered.lanes.has(key)) this.#lanes.revive(key, freshLane(), open, now);
      this.#refill(this.#lanes.get(key));
    }
  }

  queue(task: Task): void {
    this.#lanes.offer(task, this.#clock.now());
  }

  refreshPolicy(lane: string): void {
    this.#lanes.refreshPolicy(lane, this.#clock.now());
  }

  openOf(lane: string): number {
    return this.#lanes.openOf(lane);
  }

  /** The next outcome to apply, or null while the one whose turn it is has not arrived. */
  next(): Landed<Rec> | null {
    const landed = this.#order.next();
    if (landed === null) return null;
    this.#aheadBytes -= landed.outcome.bytes ?? 0;
    if (landed.isRefused && this.#options.product.refuse!(landed.task) === null) {
      this.#sendAfterAll(landed);
      return null;
    }
    landed.lane.open--;
    return landed;
  }

  /** Outcomes that came before it have changed the product's mind. It keeps its place. */
  #sendAfterAll({ task, lane }: Landed<Rec>): void {
    this.#held.set(task.id, this.#order.enterFirst());
    this.#lanes.retry(lane, task, this.#clock.now());
    this.pump();
  }

  /** Nothing can be sent any more: all open tasks wait for lanes that were given up. */
  isStuck(): boolean {
    for (const lane of this.#lanes.all()) {
      if (lane.window.size + lane.retries.length + lane.turns.length === 0 && !lane.window.spilled) continue;
      if (!this.#lanes.isGivenUp(lane) || lane.policy.onGiveUp === "fail") return false;
    }
    return true;
  }

  givenUp(): string[] {
    return [...this.#lanes.all()].filter((lane) => this.#lanes.isGivenUp(lane)).map((lane) => lane.key);
  }

  /** Sends what may be sent now, and sets a timer for the next lane that will be due. */
  pump(): void {
    const now = this.#clock.now();
    // Less than a second is a normal clock adjustment, and delays a lane by no more than that.
    if (now < this.#lastPump - 1_000) this.#lanes.setBack(this.#lastPump - now, now);
    this.#lastPump = now;
    this.#clearTimer();
    if (this.#signal.aborted) return;
    while (this.#options.mayTurn() && this.#lanes.grantTurn(now, this.#mayTake()));
    while (this.#mayTake()) {
      const lane = this.#lanes.due(now);
      if (lane === null) break;
      let refused: Outcome<Rec> | null = null;
      const task = this.#lanes.takeTask(lane, now, (next) => {
        refused = this.#options.product.refuse?.(next) ?? null;
        return refused === null;
      });
      this.#perform(lane, task, refused);
      this.#refill(lane);
    }
    // Sending may have left a lane without tasks, and then its outcomes do not wait as long.
    if (this.#options.limits.starvedPatienceMs !== undefined && this.#order.arrived > 0) this.#options.wake();
    const turnDue = this.#options.mayTurn() ? this.#lanes.nextTurnDue() : Number.POSITIVE_INFINITY;
    const due = Math.min(turnDue, this.#mayTake() ? this.#lanes.nextDue() : Number.POSITIVE_INFINITY);
    if (due === Number.POSITIVE_INFINITY) return;
    // Sending may have called this function again and set its own timer.
    this.#clearTimer();
    this.#cancelTimer = this.#clock.after(due - now, () => this.pump());
  }

  /** Waits for the lane's turn for a request that does not belong to a task. */
  turn(key: string): Promise<Turn> {
    const lane = this.#lanes.get(key);
    const done = (signal: LaneSignal) => {
      this.#inFlight--;
      // A host that lists its contents well and fails at every one of them is in trouble: only its tasks can end that.
      const isWell = signal.kind === "ok" || signal.kind === "neutral";
      const isIgnored = isWell && lane.policy.fairTurns === true && lane.open > 0;
      this.#lanes.land(lane, isIgnored ? null : signal, this.#clock.now());
      this.#options.wake();
      this.pump();
    };
    return this.#wait(lane, false).then(() => ({ done }));
  }

  /** Waits for the lane's clock before a further request of a task in progress. */
  pace(key: string): Promise<void> {
    return this.#wait(this.#lanes.get(key), true);
  }

  /** A request that was released has left, or never will. */
  left(key: string, isSent: boolean): void {
    if (this.#lanes.left(key, isSent, this.#clock.now())) this.pump();
  }

  /** Aborts requests in flight; nothing is sent afterwards. */
  halt(): void {
    this.#options.abort.abort();
    this.#lanes.refuseTurns();
    this.#clearTimer();
    this.#order.close();
  }

  #wait(lane: Lane, inFlight: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(this.#signal.reason);
      if (this.#signal.aborted) return refuse();
      const grant = () => {
        // Counted when it is granted, not when the waiting caller continues.
        if (!inFlight) this.#inFlight++;
        resolve();
      };
      this.#lanes.addTurn(lane, { inFlight, grant, refuse });
      this.pump();
    });
  }

  #mayTake(): boolean {
    const { limits, mayTake } = this.#options;
    return this.#inFlight < limits.parallelism && !this.#isFarAhead() && mayTake();
  }

  /** So much waits to be applied that nothing more is sent. */
  #isFarAhead(): boolean {
    const { limits, meters } = this.#options;
    const { maxAhead, maxAheadBytes, earlyAhead = maxAhead } = limits;
    const most = Math.min(maxAhead, Math.max(earlyAhead, meters.settled));
    // Those that hold a place wait to be sent themselves, and others wait for them.
    return this.#order.waiting - this.#held.size >= most || this.#aheadBytes >= maxAheadBytes;
  }

  /** The order is kept while it costs nothing: while every lane has something else to send. */
  #patienceMs(): number {
    const { patienceMs, starvedPatienceMs = patienceMs } = this.#options.limits;
    if (starvedPatienceMs >= patienceMs) return patienceMs;
    return this.#isFarAhead() || this.#lanes.isAnyStarved(this.#clock.now()) ? starvedPatienceMs : patienceMs;
  }

  #perform(lane: Lane, task: Task, refused: Outcome<Rec> | null): void {
    const { product, context, fail } = this.#options;
    this.#inFlight++;
    const ticket = product.isOrdered(task) ? this.#place(task) : null;
    const isGivenUp = this.#lanes.isGivenUp(lane) && lane.policy.onGiveUp === "fail";
    if (isGivenUp || refused !== null) {
      // Nothing was sent, so the lane learns nothing: one that was given up stays given up.
      this.#land(lane, task, ticket, refused ?? product.abandon(task), null, refused !== null && ticket !== null);
      return;
    }
    product
      .perform(task, context)
      .then((outcome) => {
        this.#land(lane, task, ticket, outcome, outcome?.signal ?? null);
        this.pump();
      })
      .catch(fail);
  }

  #land(
    lane: Lane,
    task: Task,
    ticket: Ticket<Landed<Rec>> | null,
    outcome: Outcome<Rec> | null,
    signal: LaneSignal | null,
    isRefused = false,
  ): void {
    const now = this.#clock.now();
    this.#inFlight--;
    // An outcome that arrives after the end is dropped: its task stays open, and the last commit may already be done.
    if (this.#signal.aborted) return;
    this.#lanes.land(lane, signal, now);
    if (outcome === null || outcome.result === "retry") {
      if (ticket !== null && outcome?.attempts !== undefined) this.#held.set(task.id, ticket);
      else if (ticket !== null) this.#order.leave(ticket);
      if (outcome !== null) this.#retry(lane, task, outcome, now);
    } else {
      const landed = { task, lane, outcome, isRefused };
      this.#aheadBytes += outcome.bytes ?? 0;
      if (ticket !== null) this.#order.arrive(ticket, landed);
      else this.#order.arriveLate(landed);
    }
    this.#options.wake();
  }

  /** Its place in the order: the one it held, if its host only asked it to come later. */
  #place(task: Task): Ticket<Landed<Rec>> {
    const held = this.#held.get(task.id);
    this.#held.delete(task.id);
    return held === undefined ? this.#order.enter() : this.#order.enterAgain(held);
  }

  #retry(lane: Lane, task: Task, { retryAt, attempts }: Outcome<Rec>, now: number): void {
    const notBefore = retryAt ?? now;
    const attempt = attempts ?? task.attempt + 1;
    if (attempts === undefined) this.#options.meters.retries++;
    this.#lanes.retry(lane, { ...task, attempt, notBefore }, now);
    this.#options.committer.retry({ id: task.id, attempt, notBefore }, lane.key, lane.state);
  }

  #refill(lane: Lane): void {
    if (!this.#lanes.needsRefill(lane)) return;
    const { committer, ledger, wake, fail } = this.#options;
    const { after, asked } = this.#lanes.startRefill(lane);
    // The ledger must know everything admitted so far before it is asked for open tasks.
    committer.flush().catch(() => {});
    ledger
      .take(lane.key, after, asked)
      .then((tasks) => {
        this.#lanes.refill(lane, tasks, asked, this.#clock.now());
        this.#refill(lane);
        wake();
        this.pump();
      })
      .catch(fail);
  }

  #clearTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}
