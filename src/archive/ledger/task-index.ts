/**
 * What the ledger keeps in memory about its URLs: numbers, never texts.
 *
 * Each id has a byte for its state. An open task takes six to nine more: the offset of its line in frontier.jsonl (four
 * bytes, or five beyond 4 GB) and its position in the queue of its lane (two to four). They are freed when it ends.
 */
import { LaneQueue } from "./lane-queue.ts";

export const UNKNOWN = 0;
export const OPEN = 1;
export const DONE = 2;
export const FAILED = 3;
export const REFUSED = 4;

interface Retry {
  attempt: number;
  notBefore: number;
}

const FIRST_TRY: Retry = { attempt: 0, notBefore: 0 };
const HIGH = 2 ** 32;

export class TaskIndex {
  readonly #states = new Column(Uint8Array);
  readonly #low = new Column(Uint32Array);
  readonly #high = new Column(Uint8Array);
  /** Offsets in use, by page of ids. */
  readonly #located: number[] = [];
  /** Only for open tasks whose place is not their id: those admitted again. */
  readonly #places = new Map<number, number>();
  /** Only for open tasks that were tried before. */
  readonly #retries = new Map<number, Retry>();
  readonly #queues = new Map<string, LaneQueue>();
  #highest = 0;

  /** The highest id in use. */
  get highest(): number {
    return this.#highest;
  }

  state(id: number): number {
    return this.#states.get(id);
  }

  /** Where its line begins. Always known for an open task; for other tasks only until `unlocate`. */
  offset(id: number): number {
    return this.#high.get(id) * HIGH + this.#low.get(id);
  }

  /** Adds a task that waits in its lane. */
  enter(id: number, lane: string, place: number, offset: number): void {
    this.setState(id, OPEN);
    if (place !== id) this.#places.set(id, place);
    this.locate(id, offset);
    let queue = this.#queues.get(lane);
    if (queue === undefined) {
      queue = new LaneQueue((each) => this.#places.get(each) ?? each);
      this.#queues.set(lane, queue);
    }
    queue.add(id);
  }

  /** Ends an open task. */
  leave(id: number, lane: string, state: number): void {
    const queue = this.#queues.get(lane)!;
    queue.remove(id);
    if (queue.size === 0) this.#queues.delete(lane);
    this.setState(id, state);
    this.#places.delete(id);
    this.#retries.delete(id);
    this.unlocate(id);
  }

  setState(id: number, state: number): void {
    this.#states.set(id, state);
    if (id > this.#highest) this.#highest = id;
  }

  locate(id: number, offset: number): void {
    const page = pageOf(id);
    this.#located[page] = (this.#located[page] ?? 0) + 1;
    this.moveTo(id, offset);
  }

  /** Its line has moved. */
  moveTo(id: number, offset: number): void {
    this.#high.set(id, Math.floor(offset / HIGH));
    this.#low.set(id, offset % HIGH);
  }

  /** Its line is no longer needed. */
  unlocate(id: number): void {
    const page = pageOf(id);
    this.#located[page]!--;
    if (this.#located[page]! > 0 || page === pageOf(this.#highest)) return;
    this.#low.release(page);
    this.#high.release(page);
  }

  retry(id: number, attempt: number, notBefore: number): void {
    this.#retries.set(id, { attempt, notBefore });
  }

  retryOf(id: number): Retry {
    return this.#retries.get(id) ?? FIRST_TRY;
  }

  get retries(): Iterable<[number, Retry]> {
    return this.#retries;
  }

  /** The next open tasks of a lane, in the order of their places. */
  take(lane: string, after: number, max: number): number[] {
    return this.#queues.get(lane)?.next(after, max) ?? [];
  }

  /** Lanes that have open tasks, with how many. */
  openByLane(): Map<string, number> {
    return new Map([...this.#queues].map(([lane, queue]) => [lane, queue.size]));
  }
}

const PAGE_BITS = 16;
const PAGE_SIZE = 1 << PAGE_BITS;

type Cells = Uint8Array | Uint16Array | Uint32Array;

const pageOf = (id: number): number => id >>> PAGE_BITS;

/** A number for each id, in pages of typed arrays: it grows without copying, and pages that are no longer needed are freed. */
export class Column {
  readonly #make: new (
    length: number,
  ) => Cells;
  readonly #pages: (Cells | undefined)[] = [];

  constructor(make: new (length: number) => Cells) {
    this.#make = make;
  }

  /** 0 for an id that never got a number. */
  get(id: number): number {
    return this.#pages[id >>> PAGE_BITS]?.[id & (PAGE_SIZE - 1)] ?? 0;
  }

  set(id: number, value: number): void {
    const page = id >>> PAGE_BITS;
    // A page of zeros need not exist: the upper bytes of offsets are all zero while a file is below 4 GB.
    if (value === 0 && this.#pages[page] === undefined) return;
    this.#pages[page] ??= new this.#make(PAGE_SIZE);
    this.#pages[page]![id & (PAGE_SIZE - 1)] = value;
  }

  /** Forgets all numbers of a page. */
  release(page: number): void {
    if (page < this.#pages.length) this.#pages[page] = undefined;
  }
}
