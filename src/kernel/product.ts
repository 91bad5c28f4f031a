/**
 * What a product gives the kernel, and what the kernel gives a product. The kernel knows nothing else about it.
 *
 * A product has no reference to the crawl: it receives the crawl's context with each call that may need it.
 */
import type { LanePolicy, LaneSignal } from "./lane.ts";
import type { Known, Note } from "./ledger.ts";
import type { Found, Task, Verdict } from "./task.ts";

/** Offers a key to the crawl and returns its id: the one it has, or a new one after the gate has decided. */
export type Offer<Meta = unknown> = (found: Found<Meta>) => number;

export interface Outcome<Rec, Meta = unknown> {
  result: "done" | "failed" | "retry";
  /** With `retry`: not before this wall time. */
  retryAt?: number;
  /**
   * With `retry`: how many attempts count from now on. One more unless given; it is given when the task is not to blame,
   * because its host asked for a rest. Such a task keeps its place in the order.
   */
  attempts?: number;
  /** What the lane should learn from it. */
  signal: LaneSignal;
  /** Roughly how many bytes it uses while it waits to be applied. */
  bytes?: number;
  /** A verdict against the fetch, because of something learned since admission. */
  verdict?: Verdict;
  /** Called once when the outcome is applied, in order: offers what was found, and returns the record to store. */
  settle(offer: Offer<Meta>, context: CrawlContext): Rec | null;
}

export interface Product<Rec, Meta = unknown> {
  /** Decides a new key, or, with `again`, one whose verdict was provisional. */
  gate(found: Found<Meta>, again: boolean, context: CrawlContext): Verdict;
  /** Reasons that another find of the same key may overcome: a URL found with nofollow may also have a plain link. */
  readonly provisionalReasons: ReadonlySet<string>;
  laneOf(found: Found<Meta>, context: CrawlContext): string;
  lanePolicy(lane: string): LanePolicy;
  /** The outcome of a task that is not to be sent any more, because of something learned since; null when it is sent. */
  refuse?(task: Task<Meta>): Outcome<Rec, Meta> | null;
  /** Does the work of one task. Must not reject: a failure is an outcome. `null` when it was aborted. */
  perform(task: Task<Meta>, context: CrawlContext): Promise<Outcome<Rec, Meta> | null>;
  /** The outcome of a task whose lane was given up. */
  abandon(task: Task<Meta>): Outcome<Rec, Meta>;
  /** Outcomes of unordered tasks are applied as they come: for tasks whose finds cannot change another's verdict. */
  isOrdered(task: Task<Meta>): boolean;
  /** Fetches what the gate must know before it can judge the finds of this outcome (robots.txt of a new host). */
  prepare(outcome: Outcome<Rec, Meta>, context: CrawlContext): Promise<void> | undefined;
  /** Told of every verdict that is stored: of a new key, or of one whose verdict was provisional. */
  admitted?(id: number, verdict: Verdict): void;
  /** Called once per key in the ledger, so that caps and counts continue where they were. */
  recover(known: Known): void;
  recoverNote(note: Note): void;
  /** Releases everything: when it resolves, no socket is open. */
  close(): Promise<void>;
}

/** What a running crawl offers its product. */
export interface CrawlContext {
  /** Waits for the lane's turn for a request that does not belong to a task, and counts it in the lane's clock. */
  turn(lane: string): Promise<Turn>;
  /** Waits for the lane's clock before a further request of a task in progress. */
  pace(lane: string): Promise<void>;
  /** Stores something small durably. */
  note(note: Note): void;
  /** The policy of a lane changed. */
  refreshPolicy(lane: string): void;
  /** Tasks of a lane that are admitted and not settled. */
  openOf(lane: string): number;
  /** Aborts when the crawl stops. */
  readonly signal: AbortSignal;
}

export interface Turn {
  done(signal: LaneSignal): void;
}

/**
 * Where finds come from. A source starts reading when the crawl starts, and yields batches while the crawl has room for them.
 * Sources are pulled, never pushed; no other back-pressure is needed. When read again, a source must yield the same batches.
 */
export type Source<Meta = unknown> = (context: CrawlContext) => AsyncIterable<Found<Meta>[]>;

/** A source over keys in memory. */
export const sourceOf = <Meta>(founds: Found<Meta>[]): Source<Meta> =>
  async function* () {
    if (founds.length > 0) yield founds;
  };

/** The context for requests made outside any crawl: there is no queue to wait in, and nothing is remembered. */
export const outsideCrawl = (more: Partial<CrawlContext> = {}): CrawlContext => ({
  turn: async () => ({ done: () => {} }),
  pace: async () => {},
  note: () => {},
  refreshPolicy: () => {},
  openOf: () => 0,
  signal: new AbortController().signal,
  ...more,
});
