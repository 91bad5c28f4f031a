/**
 * The ledger: the only durable memory of a crawl, and what every implementation of it promises.
 *
 * 1. A commit is one transaction: after a crash, all of it is stored, or none of it.
 * 2. Commits are applied in the order they were given; `take` sees every commit given before it. After one that failed
 *    no other is applied: it could settle what was never admitted.
 * 3. After any crash, `open` forgets nothing that was admitted and calls nothing settled that was not.
 * 4. A key admitted again takes its new verdict if it had nothing to fetch; otherwise it stays as it is.
 * 5. A task that was settled is never taken again, so its record is written once; unless its key was admitted again with
 *    `refetch`, in a ledger that has `stateOf`. It is then open until it is settled once more.
 *
 * `testing/conformance.ts` states these as tests that every implementation passes.
 */
import type { LaneState } from "./lane.ts";
import type { Action, Admitted, Task, Verdict } from "./task.ts";

export interface Ledger<Rec, Meta = unknown> {
  /** Reports every known key, oldest first, then returns the rest. Called once, before anything else. */
  open(onKnown: (known: Known) => void): Promise<Recovered>;
  commit(batch: Batch<Rec, Meta>): Promise<void>;
  /** The next open tasks of a lane whose place is behind `after` (0: from the first), in the order of their places. */
  take(lane: string, after: number, max: number): Promise<Task<Meta>[]>;
  /** What became of a key, as of the last commit; null when it has nothing to fetch. */
  stateOf?(id: number): TaskState | null;
  /** Waits for everything given, then closes the files. */
  close(): Promise<void>;
}

/**
 * How a ledger on disk stores a find's meta: as two small numbers, one for how it was found and one for what it is
 * expected to be. A product must be able to read the numbers of all its older versions.
 */
export interface MetaCodec<Meta> {
  viaOf(meta: Meta): number;
  kindOf(meta: Meta): number;
  metaOf(via: number, kind: number): Meta;
  /** What led to a find whose parent is no longer open; null when its parent says. */
  referrerOf?(meta: Meta): string | null;
}

export interface Known {
  id: number;
  place: number;
  key: string;
  lane: string;
  action: Action;
  reason: string | null;
  /** Null when there is nothing to fetch. */
  state: TaskState | null;
  /** It is open, and was settled before. */
  again?: true;
}

export interface Recovered {
  /** Lanes with the clocks they had at the last commit. */
  lanes: Map<string, LaneState>;
  /** Lanes that have open tasks, with how many. */
  open: Map<string, number>;
  notes: Map<string, Note>;
  /** Whether the crawl was run before; unless given, it was when anything is stored. */
  isResumed?: boolean;
}

export const TASK_STATES = ["open", "done", "failed"] as const;
export type TaskState = (typeof TASK_STATES)[number];

export interface Settled<Rec> {
  id: number;
  state: "done" | "failed";
  /** Set when something learned since admission (such as robots.txt) turned the verdict against the fetch. */
  verdict: Verdict | null;
  record: Rec | null;
}

export interface Retried {
  id: number;
  attempt: number;
  notBefore: number;
}

/** Something small that the product stores next to the queue: a robots.txt with its expiry, how often a crawl was resumed. */
export interface Note {
  key: string;
  value: string;
  /** Its place in a batch: how many of the keys that the batch admits came before it. All of them unless given. */
  admittedBefore?: number;
}

export interface Batch<Rec, Meta = unknown> {
  admitted: Admitted<Meta>[];
  settled: Settled<Rec>[];
  retried: Retried[];
  lanes: Map<string, LaneState>;
  notes: Note[];
}

/**
 * A ledger over sources that can be read again: it stores what is settled and how far each source was read, but no
 * queue. After a crash the sources are read again from there.
 *
 * A source reports how far it was read with a note, given once everything before that point has been admitted. The
 * ledger holds the note back until all of that is settled: the cursor never passes an unsettled key.
 */
export interface CursorLedger<Rec, Meta = unknown> extends Ledger<Rec, Meta> {
  /**
   * Those of the keys that are not settled for good, in their order. A source asks before it offers what it read: what
   * was settled ahead of the cursor is read once more after a crash.
   */
  unsettled(keys: readonly string[]): Promise<string[]>;
}

const PREFIX = "cursor ";

export const cursorNote = (source: string, value: string): Note => ({ key: PREFIX + source, value });

/** The source that a note is about; null when the note is not a cursor. */
export const cursorSource = ({ key }: Note): string | null =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null;
