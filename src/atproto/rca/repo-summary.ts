/** A repo without its records: rev, time, and how many records each collection has. */
import type { RepoPlace } from "./archive.ts";

export interface RepoSummary {
  did: string;
  rev: string;
  crawledAt: bigint;
  /** By collection. */
  counts: Map<string, number>;
  place: RepoPlace;
}

/** Of the newest block of a DID whose head can be read. */
export async function newestSummary(places: readonly RepoPlace[]): Promise<RepoSummary | null> {
  let newest: RepoSummary | null = null;
  for (const place of places) {
    const found = await place.segment.readCounts(place.entry);
    if (found === null || (newest !== null && found.head.crawledAt < newest.crawledAt)) continue;
    const { did, rev, crawledAt } = found.head;
    const counts = new Map(found.counts.map(({ name, recordCount }) => [name, recordCount]));
    newest = { did, rev, crawledAt, counts, place };
  }
  return newest;
}
