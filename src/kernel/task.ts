/** The forms a URL takes on its way through the kernel (found, admitted, fetched), and the verdict the gate gives it. */

/**
 * Something a source or a page offers. The key is canonical: equal keys are the same thing.
 *
 * Callers may reuse one object for all finds: the kernel copies it when the key is new.
 */
export interface Found<Meta = unknown> {
  key: string;
  /** Steps from the start. */
  depth: number;
  /** The id of the task that found it; 0 when a source did. */
  parent: number;
  /** Redirects in a row that led here. */
  hops: number;
  /** What the product knows about it: how it was found, what it is expected to be. Never changed, so it can be shared. */
  meta: Meta;
  /** It was refused before, with this verdict, and is offered again because the rules have changed: the gate decides once more. */
  again?: Verdict;
  /** It was fetched before and is fetched once more, if nothing is against it. Only with a ledger that has `stateOf`. */
  refetch?: true;
}

/** A found key after the gate: it has an id and a verdict. */
export interface Admitted<Meta = unknown> extends Found<Meta> {
  id: number;
  /**
   * Its place in the queue: tasks run in the order of their last admission. Not by depth: a redirect found at depth 2
   * while tasks of depth 3 are in flight would come before or after them, depending on timing (see order.ts).
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

export const ACTIONS = ["crawl", "record", "skip"] as const;

/** crawl: fetch it. record: store it in the link graph, never fetch it. skip: store only the decision. */
export type Action = (typeof ACTIONS)[number];

/** What the gate says about a URL: the decision, the reason, and the rule behind it. */
export interface Verdict {
  readonly action: Action;
  /** A documented code; null when nothing prevents crawling. */
  readonly reason: string | null;
  /** The setting, pattern or robots.txt line that decided, in words that tell the user what to change. */
  readonly rule: string | null;
}

/** The verdict on a URL that nothing prevents from being crawled. */
export const CRAWL: Verdict = { action: "crawl", reason: null, rule: null };
