/** Compares two archives by DID: what was added, removed, or has another rev. Both are streamed in the order of DIDs. */

import { compareBytewise, type Damage } from "../format/bytes.ts";
import { openArchive, type RepoArchive, type RepoPlace } from "./archive.ts";

export interface CollectionChange {
  name: string;
  /** Numbers of records. */
  before: number;
  after: number;
}

export interface RepoChange {
  did: string;
  change: "added" | "removed" | "changed";
  revBefore: string | null;
  revAfter: string | null;
  /** All collections of a repo that was added or removed; otherwise those whose number of records changed. */
  collections: CollectionChange[];
}

/** Repos with the same rev are left out: the same rev means the same contents. */
export async function* diffSegments(
  before: string,
  after: string,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<RepoChange> {
  await using old = await openArchive(before, onDamage);
  await using young = await openArchive(after, onDamage);
  const left = summaries(old);
  const right = summaries(young);
  let a = await left.next();
  let b = await right.next();
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareBytewise(a.value.did, b.value.did);
    const was = order <= 0 && !a.done ? a.value : null;
    const is = order >= 0 && !b.done ? b.value : null;
    if (was?.rev !== is?.rev && (await isWhole(was)) && (await isWhole(is))) yield changeOf(was, is);
    if (was !== null) a = await left.next();
    if (is !== null) b = await right.next();
  }
}

async function* summaries(archive: RepoArchive): AsyncGenerator<PlacedSummary, void> {
  for await (const places of archive.places()) {
    const newest = await newestSummary(places);
    if (newest !== null) yield newest;
  }
}

/** A repo without its records. */
export interface RepoSummary {
  did: string;
  rev: string;
  /** By collection. */
  counts: Map<string, number>;
}

interface PlacedSummary extends RepoSummary {
  crawledAt: bigint;
  place: RepoPlace;
}

/** Of the newest block of a DID whose head can be read. */
async function newestSummary(places: readonly RepoPlace[]): Promise<PlacedSummary | null> {
  let newest: PlacedSummary | null = null;
  for (const place of places) {
    const found = await place.segment.readCounts(place.entry);
    if (found === null || (newest !== null && found.head.crawledAt < newest.crawledAt)) continue;
    const { did, rev, crawledAt } = found.head;
    const counts = new Map(found.counts.map(({ name, recordCount }) => [name, recordCount]));
    newest = { did, rev, crawledAt, counts, place };
  }
  return newest;
}

/** What is reported of a repo was checked by its CRC; a damaged repo is reported as damage, not as a change. */
const isWhole = async (summary: PlacedSummary | null): Promise<boolean> =>
  summary === null || (await summary.place.segment.read(summary.place.entry)) !== null;

export function changeOf(was: RepoSummary | null, is: RepoSummary | null): RepoChange {
  const names = new Set([...(was?.counts.keys() ?? []), ...(is?.counts.keys() ?? [])]);
  const collections = [...names].sort(compareBytewise).map((name) => ({
    name,
    before: was?.counts.get(name) ?? 0,
    after: is?.counts.get(name) ?? 0,
  }));
  return {
    did: (was ?? is)!.did,
    change: was === null ? "added" : is === null ? "removed" : "changed",
    revBefore: was?.rev ?? null,
    revAfter: is?.rev ?? null,
    collections: collections.filter((collection) => collection.before !== collection.after),
  };
}
