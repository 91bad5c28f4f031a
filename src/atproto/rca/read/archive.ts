/** All segments of a folder as one archive: look-up by DID, all repos, and the newest block of each. */

import { TrawlError } from "../../../errors.ts";
import { compareBytewise, type Damage } from "../format/bytes.ts";
import type { IndexEntry } from "../format/frame.ts";
import { readableSegments, type SegmentName } from "../format/segment-names.ts";
import { isGone, SegmentReader, type StoredRepo } from "./segment-reader.ts";

export interface RepoPlace {
  segment: SegmentReader;
  entry: IndexEntry;
}

export interface ArchivedRepo extends StoredRepo {
  /** The segment's file. */
  path: string;
}

export class RepoArchive implements AsyncDisposable {
  /** In order. */
  readonly segments: readonly SegmentReader[];

  private constructor(segments: SegmentReader[]) {
    this.segments = segments;
  }

  /** The archive as it is now: later writes are not seen. Damage is reported when it is found. */
  static async open(folder: string, onDamage: (damage: Damage) => void): Promise<RepoArchive> {
    return new RepoArchive(await whileFilesMove(() => openAll(folder, onDamage)));
  }

  /** The newest whole block of a DID. */
  async find(did: string): Promise<ArchivedRepo | null> {
    let newest: ArchivedRepo | null = null;
    for (const segment of this.segments) {
      for (const entry of await segment.find(did)) {
        const repo = await segment.read(entry);
        if (repo === null || (newest !== null && repo.crawledAt < newest.crawledAt)) continue;
        newest = { ...repo, path: segment.path };
      }
    }
    return newest;
  }

  /** Every block in the order of segments and files; a DID may come more than once. */
  async *repos(): AsyncGenerator<ArchivedRepo> {
    for (const segment of this.segments) {
      for await (const repo of segment.repos()) yield { ...repo, path: segment.path };
    }
  }

  /** Every DID once, in order, with all its places. Memory does not grow with the archive. */
  async *places(): AsyncGenerator<RepoPlace[]> {
    let same: RepoPlace[] = [];
    for await (const place of merge(this.segments)) {
      if (same[0] !== undefined && same[0].entry.did !== place.entry.did) {
        yield same;
        same = [];
      }
      same.push(place);
    }
    if (same.length > 0) yield same;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.segments.map((segment) => segment.close()));
  }
}

async function openAll(folder: string, onDamage: (damage: Damage) => void): Promise<SegmentReader[]> {
  const segments: SegmentReader[] = [];
  try {
    for (const { path, state } of await readableSegments(folder)) {
      const reader = await openReadable({ path, state }, onDamage);
      if (reader !== null) segments.push(reader);
    }
    return segments;
  } catch (error) {
    await Promise.all(segments.map((segment) => segment.close()));
    throw error;
  }
}

/** A file that cannot be opened however often it is listed, such as a broken link, is reported. */
const MOST_LOOKS = 20;

/** Does it again when a segment was deleted or renamed between its listing and its opening: what it had is in another file by then. */
export async function whileFilesMove<T>(read: () => Promise<T>): Promise<T> {
  for (let look = 1; ; look++) {
    try {
      return await read();
    } catch (error) {
      if (!isGone(error) || look === MOST_LOOKS) throw error;
    }
  }
}

/** For callers whose archive must exist. */
export async function openArchive(folder: string, onDamage: (damage: Damage) => void): Promise<RepoArchive> {
  const archive = await RepoArchive.open(folder, onDamage);
  if (archive.segments.length === 0) throw noSegments(folder);
  return archive;
}

/** The same without opening it. */
export async function assertSegments(folder: string): Promise<void> {
  if ((await readableSegments(folder)).length === 0) throw noSegments(folder);
}

const noSegments = (folder: string): TrawlError => new TrawlError("NO_SEGMENTS", `${folder} has no .rca segments.`);

/** Null, and reported, when a file has the name of a segment but is not one: the others are still read. */
export async function openReadable(
  { path, state }: Pick<SegmentName, "path" | "state">,
  onDamage: (damage: Damage) => void,
): Promise<SegmentReader | null> {
  try {
    return await SegmentReader.open(path, { onDamage });
  } catch (error) {
    if (!(error instanceof TrawlError) || error.code !== "NOT_A_SEGMENT") throw error;
    const partial = state === "partial";
    // A writer may have created the file without having written its header yet.
    const reason = partial ? `the header is cut off` : "this is not a segment";
    onDamage({ path, offset: 0, did: null, reason, torn: partial });
    return null;
  }
}

/** The entries of all segments, merged by DID. A tree of pairwise merges, so that each entry passes only a few. */
async function* merge(segments: readonly SegmentReader[]): AsyncGenerator<RepoPlace> {
  if (segments.length <= 1) {
    const segment = segments[0];
    if (segment !== undefined) for await (const entry of segment.entries()) yield { segment, entry };
    return;
  }
  const half = segments.length >> 1;
  const left = merge(segments.slice(0, half));
  const right = merge(segments.slice(half));
  let a = await left.next();
  let b = await right.next();
  while (!a.done || !b.done) {
    if (b.done || (!a.done && compareBytewise(a.value.entry.did, b.value.entry.did) <= 0)) {
      if (!a.done) yield a.value;
      a = await left.next();
    } else {
      yield b.value;
      b = await right.next();
    }
  }
}
