/** Which collections are wanted: names such as `app.bsky.feed.post`, or `app.bsky.*`. */
import { TrawlError } from "../errors.ts";

export interface CollectionFilter {
  wants(name: string): boolean;
  /** The same text for the same filter; empty when everything is wanted. */
  key: string;
  /** A condition for ClickHouse; null when everything is wanted. */
  sql: string | null;
}

/** The characters in names of collections. None of them can end an SQL string. */
const PATTERN = /^[a-zA-Z0-9.-]+\*?$|^\*$/;

export const ALL_COLLECTIONS: CollectionFilter = { wants: () => true, key: "", sql: null };

/** No patterns, or `*` among them, means everything. */
export function collectionFilter(patterns: readonly string[]): CollectionFilter {
  for (const pattern of patterns) {
    if (PATTERN.test(pattern)) continue;
    throw new TrawlError(
      "BAD_USAGE",
      `${JSON.stringify(pattern)} is not a collection. Give names such as app.bsky.feed.post or app.bsky.*`,
    );
  }
  const sorted = [...new Set(patterns)].sort();
  if (sorted.length === 0 || sorted.includes("*")) return ALL_COLLECTIONS;
  const names = new Set(sorted.filter((pattern) => !pattern.endsWith("*")));
  const beginnings = sorted.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  const conditions = [
    ...[...names].map((name) => `collection = '${name}'`),
    ...beginnings.map((beginning) => `startsWith(collection, '${beginning}')`),
  ];
  return {
    wants: (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning)),
    key: sorted.join(","),
    sql: conditions.join(" OR "),
  };
}
