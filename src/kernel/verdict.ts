/** What the gate says about a URL: the decision, the reason, and the rule that made it. */

export const ACTIONS = ["crawl", "record", "skip"] as const;

/** crawl: fetch it. record: keep it in the link graph, never fetch it. skip: only the decision is kept. */
export type Action = (typeof ACTIONS)[number];

export interface Verdict {
  readonly action: Action;
  /** A documented code; null when nothing stood against crawling. */
  readonly reason: string | null;
  /** The setting, pattern or robots.txt line that decided, in words a person can act on. */
  readonly rule: string | null;
}

/** The verdict of a URL that nothing stands against. */
export const CRAWL: Verdict = { action: "crawl", reason: null, rule: null };
