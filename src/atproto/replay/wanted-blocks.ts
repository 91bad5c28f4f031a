/** Which blocks of an archive count: those that no later crawl of the same repo replaced. */

import type { RepoArchive, RepoPlace } from "../rca/read/archive.ts";

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
