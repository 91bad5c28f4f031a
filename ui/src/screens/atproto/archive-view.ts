/** What the screen of an AT Protocol archive shows; it is in the address. And the words for classes of failures. */
import type { ErrorClass } from "../../../../src/atproto/error-classes.ts";

export const TABS = ["progress", "servers", "failures", "repos"] as const;
export type ArchiveTab = (typeof TABS)[number];

export interface ArchiveView {
  tab?: ArchiveTab;
  /** A class of failures. */
  class?: string;
  /** Part of a server's address. */
  host?: string;
  /** The repo that is shown. */
  did?: string;
  collection?: string;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

export const readArchiveView = (search: Record<string, unknown>): ArchiveView => ({
  tab: TABS.find((tab) => tab === search["tab"]),
  class: text(search["class"]),
  host: text(search["host"]),
  did: text(search["did"]),
  collection: text(search["collection"]),
});

export const FAILURE_WORDS: Readonly<Record<ErrorClass, string>> = {
  not_found: "Not found",
  deactivated: "Deactivated",
  takendown: "Taken down",
  suspended: "Suspended",
  rate_limited: "Rate limited",
  parse_error: "Not a valid repo",
  bad_signature: "Wrong signature",
  unresolved: "No DID document",
  invalid_car: "Incomplete CAR",
  too_large: "Too large",
  http_error: "HTTP error",
  redirected: "Redirected",
  dns_error: "Name not resolved",
  unavailable: "Unavailable",
  connection_error: "Connection failed",
  timeout: "Too slow",
  unknown: "Unexpected error",
};

export const failureLabel = (name: string): string =>
  (FAILURE_WORDS as Readonly<Record<string, string>>)[name] ?? name.replaceAll("_", " ");

/** `Not found 3, too slow 1`: the most common first. */
export const failureCounts = (failed: Readonly<Record<string, number>>): string =>
  Object.entries(failed)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${failureLabel(name)} ${count}`)
    .join(", ");

/** What the server stored, laid out; as it is when that is not possible. */
export function prettyJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** Repos a second between two looks; null before the second one, or when nothing was stored before the first. */
export function speedBetween(
  before: { at: number; stored: number } | null,
  now: { at: number; stored: number },
): number | null {
  if (before === null || now.at <= before.at || now.stored < before.stored) return null;
  return ((now.stored - before.stored) * 1_000) / (now.at - before.at);
}
