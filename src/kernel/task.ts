/** What is found, what is admitted, and what is fetched: the three forms a URL takes on its way through the kernel. */
import type { Verdict } from "./verdict.ts";

/**
 * Something a source or a page offers. The key is canonical: equal keys are the same thing.
 *
 * Whoever offers may use one object for all its finds: the kernel copies it when the key is new.
 */
export interface Found<Meta = unknown> {
  key: string;
  /** Steps from the start. */
  depth: number;
  /** The id of the task that found it; 0 when a source did. */
  parent: number;
  /** Redirects in a row that led here. */
  hops: number;
  /** What the product knows of it: how it was found, what it is expected to be. Never changed, so it may be shared. */
  meta: Meta;
}

/** A found key after the gate: it has an id and a verdict for good. */
export interface Admitted<Meta = unknown> extends Found<Meta> {
  id: number;
  /**
   * Its place in the queue: tasks run in the order of their last admission. Not by depth: a redirect found at depth 2
   * while tasks of depth 3 are under way would come before them or after, depending on timing (see order.ts).
   */
  place: number;
  /** The politeness unit that will fetch it; empty unless the verdict is `crawl`. */
  lane: string;
  verdict: Verdict;
}

/** An admitted key on its way to a fetch. */
export interface Task<Meta = unknown> extends Found<Meta> {
  id: number;
  /** Its place in the queue. */
  place: number;
  lane: string;
  /** Attempts that ended in `retry` so far. */
  attempt: number;
  /** Wall time in ms before which it must not be tried again; 0 when it never failed. */
  notBefore: number;
}
