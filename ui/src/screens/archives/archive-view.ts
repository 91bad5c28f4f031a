/** What the screen of an archive shows; it is in the address. And the words for what archives report in codes. */
import type { REASONS } from "../../../../src/archive/policy/policy.ts";
import type { Tone } from "../../lib/status.ts";
import type { Archive, ArchiveRun } from "./archive-queries.ts";

export const TABS = ["status", "pages", "failures", "search", "verify"] as const;
export type ArchiveTab = (typeof TABS)[number];

/** What is chosen among fetches, as text. */
export interface Choice {
  status?: string;
  older?: string;
  type?: string;
  match?: string;
}

export interface ArchiveView extends Choice {
  tab?: ArchiveTab;
  words?: string;
  /** The stored page that is open: its URL, and its SHA-256 when it may not be the newest. */
  page?: string;
  sha?: string;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

export const readArchiveView = (search: Record<string, unknown>): ArchiveView => ({
  tab: TABS.find((tab) => tab === search["tab"]),
  status: text(search["status"]),
  older: text(search["older"]),
  type: text(search["type"]),
  match: text(search["match"]),
  words: text(search["words"]),
  page: text(search["page"]),
  sha: text(search["sha"]),
});

/** A part of a URL stands for all URLs that contain it; globs and `/regular expressions/` are kept. */
export function patternOf(typed: string): string {
  const isRegex = /^\/.+\/i?$/s.test(typed);
  return isRegex || typed.includes("*") ? typed : `*${typed}*`;
}

/** The choice as the server takes it. */
export const choiceQuery = ({ status, older, type, match }: Choice) => ({
  ...(status !== undefined && { status: [status] }),
  ...(older !== undefined && { older }),
  ...(type !== undefined && { type: [type] }),
  ...(match !== undefined && { match: [patternOf(match)] }),
});

export const AGES: readonly { value: string; label: string }[] = [
  { value: "1h", label: "Over an hour ago" },
  { value: "1d", label: "Over a day ago" },
  { value: "7d", label: "Over 7 days ago" },
  { value: "30d", label: "Over 30 days ago" },
];

const REASON_WORDS: Readonly<Record<keyof typeof REASONS, string>> = {
  host_not_allowed: "On another host",
  subdomain_denied: "On a host that must not be requested",
  denied_pattern: "Matches a deny pattern",
  not_in_allowlist: "Matches no allow pattern",
  robots_disallow: "Forbidden by robots.txt",
  max_depth: "Too many links away",
  max_redirects: "Too many redirects",
  max_page: "Too far down a list",
  repo_max_pages: "Cap on pages of its repo",
  repo_max_issues: "Cap on issues of its repo",
  repo_max_prs: "Cap on pull requests of its repo",
};

/** A profile may name caps of its own. */
export const refusalLabel = (reason: string): string =>
  (REASON_WORDS as Readonly<Record<string, string>>)[reason] ??
  (reason.startsWith("repo_max_") ? `Cap on ${spelt(reason.slice("repo_max_".length))} of its repo` : spelt(reason));

const PAUSE_WORDS: Readonly<Record<ArchiveRun["pauses"][number], string>> = {
  person: "somebody paused it",
  file: "a pause file is in the workspace",
  disk: "the disk is almost full",
  spool: "the spool is full",
};

export const pauseText = (pauses: ArchiveRun["pauses"]): string => pauses.map((why) => PAUSE_WORDS[why]).join("; ");

const PROBLEM_WORDS: Readonly<Record<string, string>> = {
  damaged_line: "Damaged line",
  missing_line: "Missing line",
  missing_blob: "Missing page",
  corrupt_blob: "Damaged page",
  lost_url: "Fetched, but without a line",
  unsettled_line: "Left by a crash",
  orphan: "Page without a line",
  leftover: "Unfinished file",
  damaged_search: "Damaged search index",
  damaged_state: "Damaged state",
  damaged_record: "Damaged WARC record",
  changed_bytes: "Changed WARC record",
  damaged_index: "Damaged WARC index",
  unindexed_record: "WARC record not indexed",
  missing_index: "WARC without an index",
  missing_warc: "Index without a WARC",
  missing_capture: "Page in no WARC",
  torn_warc: "Unfinished WARC record",
};

export const problemLabel = (kind: string): string => PROBLEM_WORDS[kind] ?? spelt(kind);

const spelt = (code: string): string => code.replaceAll("_", " ");

/** What an archive is doing, or how its last run here ended. */
type State = Pick<Archive, "problem" | "isRunning" | "isPauseAsked"> & {
  run: Pick<ArchiveRun, "state" | "outcome"> | null;
};
export function archiveState({ problem, isRunning, isPauseAsked, run }: State): { label: string; tone: Tone } {
  if (problem !== null) return { label: "Cannot be used", tone: "bad" };
  if (isRunning) return isPauseAsked || run?.state === "paused" ? PAUSED : { label: "Running", tone: "accent" };
  const outcome = run?.outcome ?? null;
  if (outcome === null) return { label: "Idle", tone: "quiet" };
  if (outcome.state === "failed") return { label: "Failed", tone: "bad" };
  if (outcome.state === "stopped") return { label: "Stopped", tone: "warn" };
  return outcome.failures > 0 ? { label: "Done, with failures", tone: "warn" } : { label: "Done", tone: "ok" };
}

const PAUSED = { label: "Paused", tone: "warn" } as const;

export interface SnippetPart {
  text: string;
  isFound: boolean;
}

/** A snippet in parts: the server puts U+0001 before and U+0002 after each word that was found. */
export function snippetParts(snippet: string): SnippetPart[] {
  const parts: SnippetPart[] = [];
  for (const piece of snippet.split("\u0001")) {
    const end = piece.indexOf("\u0002");
    if (end > 0) parts.push({ text: piece.slice(0, end), isFound: true });
    const rest = piece.slice(end + 1);
    if (rest !== "") parts.push({ text: rest, isFound: false });
  }
  return parts;
}

/** Whether a browser can show it as it is stored: a page or text, not a picture or a file. */
export const isReadable = (contentType: string | undefined): boolean =>
  contentType === undefined || contentType === "" || /^text\/|html|xml|json|javascript/i.test(contentType);

/** The origin that all URLs have, if there is one: narrow screens leave it out. */
export function commonOrigin(urls: readonly string[]): string | null {
  const origins = new Set(urls.map((url) => (URL.canParse(url) ? new URL(url).origin : null)));
  return origins.size === 1 ? [...origins][0]! : null;
}
