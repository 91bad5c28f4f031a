/** What an archive already has, to rebuild a crawl's state, or to skip repos that did not change. */

import { RepoArchive } from "./archive.ts";
import type { Damage } from "./bad-bytes.ts";

/** Every DID once, in order; from the indexes alone where there are some. */
export async function* completedDids(folder: string, onDamage: (damage: Damage) => void): AsyncGenerator<string> {
  await using archive = await RepoArchive.open(folder, onDamage);
  for await (const [place] of archive.places()) yield place!.entry.did;
}

export interface ArchivedRevision {
  did: string;
  rev: string;
  crawledAt: bigint;
}

/** Every DID once, in order, with the rev that was crawled last. Reads every block, so that no damaged one counts. */
export async function* archivedRevisions(
  folder: string,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<ArchivedRevision> {
  await using archive = await RepoArchive.open(folder, onDamage);
  for await (const places of archive.places()) {
    let newest: ArchivedRevision | null = null;
    for (const { segment, entry } of places) {
      const repo = await segment.read(entry);
      if (repo === null || (newest !== null && repo.crawledAt < newest.crawledAt)) continue;
      newest = { did: repo.did, rev: repo.rev, crawledAt: repo.crawledAt };
    }
    if (newest !== null) yield newest;
  }
}
