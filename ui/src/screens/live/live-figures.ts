/** Figures of the live screen, from what the server tells. */
import type { LiveCrawl, LiveHost } from "../../lib/contract.ts";
import { formatDuration } from "../../lib/format.ts";
import { STATUS_CLASSES, statusClassOf } from "../../lib/status.ts";

export interface StatusShare {
  id: string;
  label: string;
  tone: (typeof STATUS_CLASSES)[number]["tone"];
  glyph: string;
  value: number;
}

/** Counts by class of status; what got no answer is a class of its own. */
export function statusShares(statuses: LiveCrawl["statuses"], noAnswer: number): StatusShare[] {
  const counts = new Map<string, number>();
  const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
  for (const { value, count } of statuses) add(statusClassOf(value).name, count);
  // Failures that the statuses count already (as status 0) are not counted twice.
  add("error", Math.max(0, noAnswer - (counts.get("error") ?? 0)));
  return STATUS_CLASSES.map(({ name, label, tone, glyph }) => ({
    id: name,
    label: name === "error" || name === "other" ? label : name,
    tone,
    glyph,
    value: counts.get(name) ?? 0,
  }));
}

/** Answers that say something is wrong. */
export const badAnswers = (statuses: LiveCrawl["statuses"]): number =>
  statuses.reduce((sum, { value, count }) => sum + (value >= 400 ? count : 0), 0);

const STATE_WORDS: Record<LiveHost["state"], string> = {
  fetching: "Fetching",
  ready: "Ready",
  waiting: "Waiting",
  throttled: "Told to slow down",
  blocked: "Not answering",
  given_up: "Given up",
};

export const hostStateLabel = (state: LiveHost["state"]): string => STATE_WORDS[state];

const REASON_WORDS = new Map([
  ["rate", "keeps to the rate that was set"],
  ["crawl_delay", "keeps to the crawl-delay of its robots.txt"],
  ["backoff", "the host asked to slow down"],
  ["retry", "will try failed URLs again"],
  ["overloaded", "the host is in distress, so it is asked less often"],
  ["unreachable", "failed too often in a row"],
  ["probing", "one request is finding out whether it is back"],
]);

/** Why a host waits; a reason that is not known here is shown as it came. */
export const hostReasonLabel = (reason: string | null): string =>
  reason === null ? "" : (REASON_WORDS.get(reason) ?? reason);

/** Until when a host waits, in words; empty when it does not. */
export function waitText({ nextAt, state }: Pick<LiveHost, "nextAt" | "state">, now: number): string {
  if (nextAt === null || state === "given_up" || nextAt - now < 500) return "";
  return `${formatDuration(Math.round((nextAt - now) / 1000) * 1000)} to go`;
}

/** Time left at the present speed; null while nothing can be said. Only of what is known: pages yet to be found are not in it. */
export function timeLeft(open: number, pagesPerSecond: number): number | null {
  return open > 0 && pagesPerSecond > 0.05 ? (open / pagesPerSecond) * 1000 : null;
}

const PROPER = new Map([
  ["url", "URL"],
  ["urls", "URLs"],
  ["dns", "DNS"],
  ["tls", "TLS"],
  ["http", "HTTP"],
  ["robots", "robots.txt"],
]);

/** A code as words: `max_urls_per_host` → Max URLs per host, `robots_disallow` → robots.txt disallow. */
export const reasonLabel = (reason: string): string => {
  const words = reason.split("_").map((word) => PROPER.get(word) ?? word);
  if (words[0] === reason.split("_")[0]) words[0] = words[0]!.charAt(0).toUpperCase() + words[0]!.slice(1);
  return words.join(" ");
};
