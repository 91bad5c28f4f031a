/** The contents of a segment, for people: header, index, and statistics per collection. */
import { BadBytes, compareBytewise, type Damage } from "../format/bytes.ts";
import { contentOf, contentSize } from "../format/collection.ts";
import type { IndexEntry, SegmentHeader } from "../format/frame.ts";
import { SegmentReader } from "./segment-reader.ts";

export interface CollectionStatistics {
  name: string;
  repos: number;
  records: number;
  compressedBytes: number;
  /** As the zstd frames give it, or as they unpack. */
  contentBytes: number;
}

export interface SegmentInspection {
  path: string;
  size: number;
  header: SegmentHeader | null;
  /** Whether the segment has a whole index; without one its blocks were walked. */
  indexed: boolean;
  repos: number;
  records: number;
  /** Of the earliest and the latest repo, in Unix microseconds. */
  crawledFrom: bigint | null;
  crawledTo: bigint | null;
  /** Most records first. */
  collections: CollectionStatistics[];
  damage: Damage[];
}

/** Other writers may leave the size out of a frame's header: then only unpacking tells. Damage is for `verify` to report. */
function unpackedSize(collection: Parameters<typeof contentOf>[0]): number {
  try {
    return contentOf(collection).length;
  } catch (error) {
    if (error instanceof BadBytes) return 0;
    throw error;
  }
}

/** Reads every block; the records stay packed. `onEntry` is given the index. */
export async function inspectSegment(path: string, onEntry?: (entry: IndexEntry) => void): Promise<SegmentInspection> {
  const damage: Damage[] = [];
  const reader = await SegmentReader.open(path, { onDamage: (found) => damage.push(found) });
  try {
    const byName = new Map<string, CollectionStatistics>();
    const times: { from: bigint | null; to: bigint | null } = { from: null, to: null };
    let repos = 0;
    for await (const { crawledAt, collections } of reader.repos()) {
      repos++;
      if (times.from === null || crawledAt < times.from) times.from = crawledAt;
      if (times.to === null || crawledAt > times.to) times.to = crawledAt;
      for (const collection of collections) {
        const { name, recordCount, frame } = collection;
        const statistics = byName.get(name) ?? { name, repos: 0, records: 0, compressedBytes: 0, contentBytes: 0 };
        byName.set(name, statistics);
        statistics.repos++;
        statistics.records += recordCount;
        statistics.compressedBytes += frame.length;
        statistics.contentBytes += contentSize(frame) ?? unpackedSize(collection);
      }
    }
    if (onEntry !== undefined) for await (const entry of reader.entries()) onEntry(entry);
    const collections = [...byName.values()].sort((a, b) => b.records - a.records || compareBytewise(a.name, b.name));
    return {
      path,
      size: reader.size,
      header: reader.header,
      indexed: reader.indexed,
      repos,
      records: collections.reduce((total, { records }) => total + records, 0),
      crawledFrom: times.from,
      crawledTo: times.to,
      collections,
      damage,
    };
  } finally {
    await reader.close();
  }
}
