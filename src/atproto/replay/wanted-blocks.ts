/**
 * Which blocks of an archive are wanted: those of chosen collections, such as `app.bsky.feed.post` or `app.bsky.*`,
 * that no later crawl of the same repo replaced.
 */

import { TrawlError } from "../../errors.ts";
import type { RepoArchive, RepoPlace } from "../rca/read/archive.ts";

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

/** No patterns, or `*` among them: everything. */
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

/** Blocks that a later crawl of the same repo replaced. Most archives have none; memory grows only with their number. */
export interface SupersededBlock {
  path: string;
  offset: number;
  did: string;
  crawledAt: bigint;
}

export async function* supersededBlocks(archive: RepoArchive): AsyncGenerator<SupersededBlock> {
  for await (const places of archive.places()) {
    if (places.length === 1) continue;
    const blocks = await blocksAt(places);
    let newest = blocks[0];
    for (const block of blocks) if (newest === undefined || block.crawledAt >= newest.crawledAt) newest = block;
    for (const block of blocks) if (block !== newest) yield block;
  }
}

/** Whether a block is the newest of its repo. */
export async function newestOnly(archive: RepoArchive): Promise<(path: string, offset: number) => boolean> {
  const old = new Set<string>();
  for await (const { path, offset } of supersededBlocks(archive)) old.add(`${offset} ${path}`);
  return (path, offset) => old.size === 0 || !old.has(`${offset} ${path}`);
}

/** A block whose head cannot be read was reported, and is ignored here. */
async function blocksAt(places: readonly RepoPlace[]): Promise<SupersededBlock[]> {
  const blocks: SupersededBlock[] = [];
  for (const { segment, entry } of places) {
    const counts = await segment.readCounts(entry);
    if (counts === null) continue;
    blocks.push({ path: segment.path, offset: entry.offset, did: entry.did, crawledAt: counts.head.crawledAt });
  }
  return blocks;
}
