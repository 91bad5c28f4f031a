/** All lanes of a crawl: which of them may send its next request, or when the first of them may. */
import { Heap, type HeapMember } from "./heap.ts";
import {
  byBusiness,
  concurrencyOf,
  depart,
  departLate,
  freshLane,
  intervalOf,
  isGivenUp,
  type LanePolicy,
  type LaneReport,
  type LaneSignal,
  type LaneState,
  laneActivity,
  react,
  revive,
  setBack,
} from "./lane.ts";
import type { Task } from "./task.ts";
import { Window } from "./window.ts";

export interface Lane extends HeapMember {
  readonly key: string;
  policy: LanePolicy;
  state: LaneState;
  readonly window: Window;
  /** Tasks to be retried, soonest first. Few, because a lane in trouble sends little. */
  retries: Task[];
  /** Requests of the product that do not belong to a task (robots.txt) and wait for their turn. */
  turns: WaitingTurn[];
  /** The last request was a turn. */
  tookTurn: boolean;
  inFlight: number;
  /** Tasks admitted and not settled, wherever they are. */
  open: number;
}

export interface WaitingTurn {
  /** It belongs to a task in progress, and waits only for the clock. */
  inFlight: boolean;
  grant(): void;
  refuse(): void;
}

/** Beyond this many tasks in memory, windows shrink: thousands of lanes must not add up. */
const MANY_TASKS = 20_000;
const WINDOW_CAPACITY = 512;
const SMALL_WINDOW_CAPACITY = 16;

export class Lanes {
  #lanes = new Map<string, Lane>();
  /** Lanes that have a task to send, by due time. */
  #heap = new Heap<Lane>();
  /** Lanes that a turn waits for: few, and served even when no task may be taken. */
  #turning = new Set<Lane>();
  #policyOf: (key: string) => LanePolicy;
  /** Whether a request of the lane was released and has not left yet. */
  readonly #isLeaving: (key: string) => boolean;
  /** When the crawl was taken up again; null when it is new. Requests before that may have left no trace. */
  #resumedAt: number | null = null;
  #tasks = 0;
  #sweepAt = 1024;

  constructor(policyOf: (key: string) => LanePolicy, isLeaving: (key: string) => boolean = () => false) {
    this.#policyOf = policyOf;
    this.#isLeaving = isLeaving;
  }

  get windowCapacity(): number {
    return this.#tasks > MANY_TASKS ? SMALL_WINDOW_CAPACITY : WINDOW_CAPACITY;
  }

  all(): Iterable<Lane> {
    return this.#lanes.values();
  }

  /** What the busiest lanes are doing; lanes with nothing to do are left out. */
  reports(limit: number, now: number): LaneReport[] {
    const reports: LaneReport[] = [];
    for (const lane of this.#lanes.values()) {
      const { key, state, policy, inFlight, open, retries, window } = lane;
      if (open === 0 && inFlight === 0 && lane.turns.length === 0) continue;
      const hasTasks = window.size > 0 || window.spilled || lane.turns.length > 0;
      const load = { inFlight, hasTasks, retryAt: retries[0]?.notBefore ?? Number.POSITIVE_INFINITY };
      const { spent, pace, why } = state;
      const activity = laneActivity(state, policy, load, now);
      reports.push({ lane: key, ...activity, inFlight, open, spent, pace, ...(why !== undefined && { why }) });
    }
    return reports.sort(byBusiness).slice(0, limit);
  }

  /** Lanes that the ledger does not know wait for an interval too: what was sent to them may not have been committed. */
  resumed(now: number): void {
    this.#resumedAt = now;
  }

  /** Restores a lane with its clocks after a restart; the ledger has `open` tasks of it. */
  revive(key: string, state: LaneState, open: number, now: number): void {
    const lane = this.get(key, open > 0);
    lane.open = open;
    lane.state = revive(state, lane.policy, now);
    this.arrange(lane, now);
  }

  /** The wall clock was set back by `ms`. */
  setBack(ms: number, now: number): void {
    for (const lane of this.#lanes.values()) {
      lane.state = setBack(lane.state, ms);
      lane.retries = lane.retries.map((task) => ({ ...task, notBefore: task.notBefore - ms }));
      this.arrange(lane, now);
    }
  }

  get(key: string, spilled = false): Lane {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      const policy = this.#policyOf(key);
      const state = freshLane();
      lane = {
        key,
        policy,
        state: this.#resumedAt === null ? state : departLate(state, policy, this.#resumedAt),
        window: new Window(spilled),
        retries: [],
        turns: [],
        tookTurn: false,
        inFlight: 0,
        open: 0,
        due: 0,
        heapIndex: -1,
      };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  openOf(key: string): number {
    return this.#lanes.get(key)?.open ?? 0;
  }

  /** The product learned more about a lane (a crawl-delay). */
  refreshPolicy(key: string, now: number): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.policy = this.#policyOf(key);
    this.arrange(lane, now);
  }

  offer(task: Task, now: number): void {
    const lane = this.get(task.lane);
    lane.open++;
    const before = lane.window.size;
    lane.window.offer(task, this.windowCapacity);
    this.#tasks += lane.window.size - before;
    this.arrange(lane, now);
  }

  /** From which place to continue reading the ledger, and how many tasks at most. */
  startRefill(lane: Lane): { after: number; asked: number } {
    const asked = this.windowCapacity;
    // Counted from now on: when a crawl is resumed, thousands of lanes may ask before the first gets its answer.
    this.#tasks += asked;
    return { after: lane.window.startRefill(), asked };
  }

  /** Adds what the ledger gave to a refill that asked for `asked` tasks. */
  refill(lane: Lane, tasks: Task[], asked: number, now: number): void {
    for (const task of tasks) if (task.notBefore > now) this.#insertRetry(lane, task);
    const ready = tasks.filter((task) => task.notBefore <= now);
    lane.window.refill(ready, tasks.at(-1)?.place ?? 0, tasks.length < asked);
    this.#tasks += ready.length - asked;
    this.arrange(lane, now);
  }

  retry(lane: Lane, task: Task, now: number): void {
    this.#insertRetry(lane, task);
    this.arrange(lane, now);
  }

  #insertRetry(lane: Lane, task: Task): void {
    const isAfter = ({ notBefore, place }: Task) =>
      notBefore > task.notBefore || (notBefore === task.notBefore && place > task.place);
    let at = lane.retries.length;
    while (at > 0 && isAfter(lane.retries[at - 1]!)) at--;
    lane.retries.splice(at, 0, task);
  }

  /** The lane that may send a task now, or null; then `nextDue` says when to look again. */
  due(now: number): Lane | null {
    for (;;) {
      const lane = this.#heap.peek();
      if (lane === undefined || lane.due > now) return null;
      if (!this.#isHeld(lane)) return lane;
      // `left` puts it back.
      this.#heap.remove(lane);
    }
  }

  /** A request that was released has left, or never will. Returns whether others may have waited for that. */
  left(key: string, isSent: boolean, now: number): boolean {
    const lane = this.#lanes.get(key);
    if (lane === undefined || intervalOf(lane.state, lane.policy) === 0) return false;
    if (isSent) lane.state = departLate(lane.state, lane.policy, now);
    this.arrange(lane, now);
    return true;
  }

  /** One request at a time waits for its connection: if several did, they would leave together. */
  #isHeld({ key, state, policy }: Lane): boolean {
    return intervalOf(state, policy) > 0 && this.#isLeaving(key);
  }

  nextDue(): number {
    return this.#heap.peek()?.due ?? Number.POSITIVE_INFINITY;
  }

  /** Takes what the lane sends next: a retry that is due, or the next task. One that is not sent does not count in its clock. */
  takeTask(lane: Lane, now: number, isSent: (task: Task) => boolean = () => true): Task {
    // Retries of a lane that was given up are taken early: there is nothing to wait for.
    const retry = lane.retries.length > 0 && (lane.retries[0]!.notBefore <= now || lane.window.size === 0);
    if (!retry) this.#tasks--;
    const task = retry ? lane.retries.shift()! : lane.window.shift()!;
    if (!this.isGivenUp(lane) && isSent(task)) lane.state = depart(lane.state, lane.policy, now);
    lane.tookTurn = false;
    lane.inFlight++;
    this.arrange(lane, now);
    return task;
  }

  addTurn(lane: Lane, turn: WaitingTurn): void {
    lane.turns.push(turn);
    this.#turning.add(lane);
  }

  /** Grants the next turn that is due; false when none is. `mayTake`: a task that is due may be sent. */
  grantTurn(now: number, mayTake = false): boolean {
    for (const lane of this.#turning) {
      const at = this.#nextTurn(lane);
      if (at < 0 || lane.state.nextAt > now || this.#isHeld(lane)) continue;
      if (mayTake && this.#isTasksTurn(lane, at, now)) continue;
      const turn = lane.turns.splice(at, 1)[0]!;
      if (lane.turns.length === 0) this.#turning.delete(lane);
      lane.state = depart(lane.state, lane.policy, now);
      lane.tookTurn = true;
      if (!turn.inFlight) lane.inFlight++;
      this.arrange(lane, now);
      turn.grant();
      return true;
    }
    return false;
  }

  nextTurnDue(): number {
    let due = Number.POSITIVE_INFINITY;
    for (const lane of this.#turning) {
      if (this.#nextTurn(lane) >= 0 && !this.#isHeld(lane)) due = Math.min(due, lane.state.nextAt);
    }
    return due;
  }

  #nextTurn(lane: Lane): number {
    return this.#mayDepart(lane) ? 0 : lane.turns.findIndex((turn) => turn.inFlight);
  }

  #isTasksTurn(lane: Lane, at: number, now: number): boolean {
    if (!lane.policy.fairTurns || !lane.tookTurn || lane.turns[at]!.inFlight) return false;
    return lane.heapIndex >= 0 && lane.due <= now;
  }

  refuseTurns(): void {
    for (const lane of this.#turning) for (const turn of lane.turns.splice(0)) turn.refuse();
    this.#turning.clear();
  }

  #mayDepart(lane: Lane): boolean {
    return lane.inFlight < concurrencyOf(lane.state, lane.policy);
  }

  /** Whether a lane could send more, but has no tasks besides those under way and those that wait to be applied. */
  isAnyStarved(now: number): boolean {
    for (const lane of this.#lanes.values()) {
      const { open, window, retries, turns } = lane;
      if (open === 0 || window.size > 0 || window.spilled || turns.length > 0) continue;
      if (retries.length > 0 && retries[0]!.notBefore <= now) continue;
      if (this.#mayDepart(lane) && !this.isGivenUp(lane)) return true;
    }
    return false;
  }

  /** A request has ended; without a signal, the lane learns nothing from it. */
  land(lane: Lane, signal: LaneSignal | null, now: number): void {
    lane.inFlight--;
    if (signal !== null) lane.state = react(lane.state, signal, lane.policy, now);
    this.arrange(lane, now);
  }

  isGivenUp(lane: Lane): boolean {
    return isGivenUp(lane.state, lane.policy);
  }

  needsRefill(lane: Lane): boolean {
    return lane.window.spilled && !lane.window.loading && lane.window.size * 2 <= this.windowCapacity;
  }

  /** Puts the lane where it belongs in the heap: by the time it may send a task, or outside while it cannot. */
  arrange(lane: Lane, now: number): void {
    const soonest = lane.window.size > 0 ? 0 : (lane.retries[0]?.notBefore ?? Number.POSITIVE_INFINITY);
    const givenUp = this.isGivenUp(lane);
    const parked = givenUp && lane.policy.onGiveUp === "park";
    if (soonest === Number.POSITIVE_INFINITY || parked || !this.#mayDepart(lane)) {
      this.#heap.remove(lane);
      if (soonest === Number.POSITIVE_INFINITY) this.#sweep(now);
      return;
    }
    lane.due = givenUp ? now : Math.max(soonest, lane.state.nextAt);
    this.#heap.place(lane);
  }

  /** Forgets drained lanes with nothing to remember, so that memory stays flat in a crawl with a million hosts. */
  #sweep(now: number): void {
    if (this.#lanes.size < this.#sweepAt) return;
    for (const lane of this.#lanes.values()) {
      const idle = lane.inFlight === 0 && lane.heapIndex < 0 && lane.retries.length === 0 && !lane.window.spilled;
      const { nextAt, streak, pace, throttledUntil } = lane.state;
      const isForgotten = now - throttledUntil >= lane.policy.forgetThrottledMs;
      const plain = nextAt <= now && streak === 0 && pace >= 1 && isForgotten;
      if (idle && plain && lane.window.size === 0 && lane.turns.length === 0) this.#lanes.delete(lane.key);
    }
    this.#sweepAt = Math.max(1024, this.#lanes.size * 2);
  }
}
