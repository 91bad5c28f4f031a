/** HTTP statuses and states of a crawl: their names, counts and tones. The one place that maps them to a look. */
import type { CrawlState, LiveCrawl } from "./contract.ts";

export type Tone = "ok" | "redirect" | "warn" | "bad" | "error" | "quiet" | "accent";

export interface StatusClass {
  name: "2xx" | "3xx" | "4xx" | "5xx" | "error" | "other";
  label: string;
  tone: Tone;
  /** A shape, so that the class can be recognised without its colour. */
  glyph: string;
}

export const STATUS_CLASSES: readonly StatusClass[] = [
  { name: "2xx", label: "OK", tone: "ok", glyph: "●" },
  { name: "3xx", label: "Redirect", tone: "redirect", glyph: "➔" },
  { name: "4xx", label: "Client error", tone: "warn", glyph: "▲" },
  { name: "5xx", label: "Server error", tone: "bad", glyph: "■" },
  { name: "error", label: "No answer", tone: "error", glyph: "✕" },
  { name: "other", label: "Other", tone: "quiet", glyph: "○" },
];

/** The class of a status code; null means that there was no answer. */
export function statusClassOf(status: number | null | undefined): StatusClass {
  if (status === null || status === undefined || status === 0) return classNamed("error");
  const name = `${Math.floor(status / 100)}xx`;
  return STATUS_CLASSES.find((entry) => entry.name === name) ?? classNamed("other");
}

export const classNamed = (name: string): StatusClass =>
  STATUS_CLASSES.find((entry) => entry.name === name) ?? STATUS_CLASSES.at(-1)!;

const NAMES = new Map([
  [200, "OK"],
  [201, "Created"],
  [204, "No content"],
  [206, "Partial content"],
  [301, "Moved permanently"],
  [302, "Found"],
  [303, "See other"],
  [304, "Not modified"],
  [307, "Temporary redirect"],
  [308, "Permanent redirect"],
  [400, "Bad request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not found"],
  [405, "Method not allowed"],
  [406, "Not acceptable"],
  [408, "Request timeout"],
  [410, "Gone"],
  [429, "Too many requests"],
  [451, "Unavailable for legal reasons"],
  [500, "Internal server error"],
  [502, "Bad gateway"],
  [503, "Service unavailable"],
  [504, "Gateway timeout"],
]);

/** The status with its name, or alone when it has none. */
export const statusText = (status: number): string => [status, NAMES.get(status)].filter(Boolean).join(" ");

export interface StatusShare {
  id: string;
  label: string;
  tone: Tone;
  glyph: string;
  value: number;
}

/** Counts by class of status; URLs without an answer are a class of their own. */
export function statusShares(statuses: LiveCrawl["statuses"], noAnswer: number): StatusShare[] {
  const counts = new Map<string, number>();
  const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
  for (const { value, count } of statuses) add(statusClassOf(value).name, count);
  // Failures that are already among the statuses, as status 0, are not counted twice.
  add("error", Math.max(0, noAnswer - (counts.get("error") ?? 0)));
  return STATUS_CLASSES.map(({ name, label, tone, glyph }) => ({
    id: name,
    label: name === "error" || name === "other" ? label : name,
    tone,
    glyph,
    value: counts.get(name) ?? 0,
  }));
}

const CRAWL_STATES: Record<CrawlState, { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "accent" },
  pausing: { label: "Pausing", tone: "warn" },
  paused: { label: "Paused", tone: "warn" },
  stopping: { label: "Stopping", tone: "warn" },
  completed: { label: "Completed", tone: "ok" },
  limit_reached: { label: "Limit reached", tone: "warn" },
  stopped: { label: "Stopped", tone: "warn" },
  blocked: { label: "Blocked", tone: "bad" },
  failed: { label: "Failed", tone: "bad" },
};

/** Paused, or stopped with URLs left: it can be resumed. */
export const isResumable = (state: CrawlState): boolean => state === "paused" || state === "stopped";
/** Complete: everything was fetched. */
export const isFinished = (state: CrawlState): boolean => state === "completed" || state === "limit_reached";

export const crawlStateWords = (state: CrawlState): { label: string; tone: Tone } => CRAWL_STATES[state];
