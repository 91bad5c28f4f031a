/**
 * Makes an archive smaller: segments with outdated blocks are rewritten without them, as new segments, and the old ones are deleted. Readers
 * continue meanwhile, because new blocks are on the disk and in the catalogue before old ones are deleted. At worst, a crash leaves blocks twice, which the next compaction notices.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { makeFolder } from "../../storage/durable.ts";
import { lockFile } from "../../storage/file-lock.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import type { RepoBlock } from "../rca/format/block.ts";
import type { Damage } from "../rca/format/bytes.ts";
import {
  lockSegment,
  PARTIAL_SUFFIX,
  readableSegments,
  type SegmentName,
  segmentNames,
  segmentPath,
} from "../rca/format/segment-names.ts";
import { openReadable } from "../rca/read/archive.ts";
import { SegmentReader, type StoredRepo } from "../rca/read/segment-reader.ts";
import type { FinishedSegment } from "../rca/write/segment-file.ts";
import { SegmentWriter } from "../rca/write/segment-writer.ts";
import { Catalogue, catalogueFolder } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue-record.ts";
import { CatalogueWriter, changeManifest } from "./catalogue-writer.ts";
import { type IndexOptions, type IndexResult, indexSegments } from "./index-segments.ts";

export interface CompactOptions {
  folder: string;
  /** The size of new segments. */
  targetBytes: number;
  /** Unix milliseconds. */
  now: () => number;
  onDamage: (damage: Damage) => void;
  onSegment?: (path: string, dropped: number) => void;
  signal?: AbortSignal;
  fs?: FileSystem;
}

export interface CompactResult {
  /** Segments that were rewritten, or were empty and deleted. */
  segments: number;
  droppedBlocks: number;
  /** Sizes of their records, without proofs. */
  bytesBefore: number;
  bytesAfter: number;
  /** Segments with damaged blocks are left alone; run `repair` first. */
  damaged: string[];
}

const LOCK = "compact.lock";

/** Drops blocks that a later crawl of the same account replaced. */
export async function compactArchive(options: CompactOptions): Promise<CompactResult> {
  return alone(options, () =>
    rewriteSegments(
      options,
      (entry, segment, offset) => entry?.place?.segment === segment && entry.place.offset === offset,
    ),
  );
}

/** As `indexSegments`, but not while segments are being deleted: it would put what is in them back into the catalogue. */
export const indexArchive = (options: IndexOptions): Promise<IndexResult> =>
  alone(options, () => indexSegments(options));

/** Does something that no other process may do to the archive at the same time. Throws when one does. */
export async function alone<T>(
  { folder, fs }: Pick<CompactOptions, "folder" | "fs">,
  work: () => Promise<T>,
): Promise<T> {
  const catalogue = catalogueFolder(folder);
  await makeFolder(catalogue, fs ?? realFileSystem);
  const lock = lockFile(join(catalogue, LOCK), 0);
  if (lock === null) {
    throw new TrawlError(
      "STATE_BUSY",
      "Another process is compacting or indexing this archive, or erasing an account from it.",
    );
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Whether a block stays. */
type Wants = (entry: CatalogueEntry | null, segment: number, offset: number, did: string) => boolean;

/**
 * Writes segments again without blocks that are not wanted; the caller is `alone`. `only`: the account whose blocks these are, if they are
 * of one.
 */
export async function rewriteSegments(options: CompactOptions, wants: Wants, only?: string): Promise<CompactResult> {
  const { folder, onDamage, signal, fs = realFileSystem } = options;
  await removeLoneProofs(folder, fs);
  await indexSegments({ folder, catalogue: catalogueFolder(folder), onDamage, fs, ...(signal && { signal }) });
  const result: CompactResult = { segments: 0, droppedBlocks: 0, bytesBefore: 0, bytesAfter: 0, damaged: [] };
  for (const segment of await readableSegments(folder)) {
    signal?.throwIfAborted();
    if (segment.state === "final") await compactSegment(segment, options, wants, result, only);
  }
  return result;
}

async function compactSegment(
  segment: SegmentName,
  options: CompactOptions,
  wants: Wants,
  result: CompactResult,
  only?: string,
): Promise<void> {
  const damage: Damage[] = [];
  const reader = await openReadable(segment, (found) => damage.push(found));
  if (reader === null) return;
  const proofs = await openProofs(options.folder, segment.number, (found) => damage.push(found));
  const catalogue = new Catalogue(catalogueFolder(options.folder));
  try {
    const isKept = (did: string, offset: number) => wants(catalogue.get(did), segment.number, offset, did);
    let dropped = 0;
    const places = only === undefined ? reader.entries() : await reader.find(only);
    for await (const { did, offset } of places) if (!isKept(did, offset)) dropped++;
    if (dropped === 0) return;
    const copied = await copyBlocks({ number: segment.number, reader, proofs, catalogue, isKept, damage }, options);
    if (copied === null) {
      result.damaged.push(segment.path);
      for (const found of damage) options.onDamage(found);
      return;
    }
    await removeSegment(segment, options);
    result.segments++;
    result.droppedBlocks += dropped;
    result.bytesBefore += reader.size;
    result.bytesAfter += copied;
    options.onSegment?.(segment.path, dropped);
  } finally {
    catalogue.close();
    await reader.close();
    await proofs?.close();
  }
}

interface Copying {
  /** Of the old segment. */
  number: number;
  reader: SegmentReader;
  proofs: SegmentReader | null;
  catalogue: Catalogue;
  isKept: (did: string, offset: number) => boolean;
  damage: readonly Damage[];
}

/** Copies into new segments, which are in the catalogue afterwards. Returns their bytes; null if the old one is damaged, and then nothing changes. */
async function copyBlocks(copying: Copying, options: CompactOptions): Promise<number | null> {
  const { number, reader, proofs, catalogue, isKept, damage } = copying;
  const { folder, targetBytes, now, fs = realFileSystem } = options;
  // A damaged block would be lost with the old segment, so everything is read before anything is written.
  for await (const repo of reader.repos()) if (isKept(repo.did, repo.offset)) await proofOf(repo, proofs);
  if (damage.length > 0) return null;
  const finished: FinishedSegment[] = [];
  const writer = new SegmentWriter(
    { folder, targetBytes, proofs: proofs !== null, now, onFinished: (segment) => finished.push(segment) },
    fs,
  );
  const entries: CatalogueEntry[] = [];
  const numbers = new Map<string, number>();
  for await (const repo of reader.repos()) {
    if (!isKept(repo.did, repo.offset)) continue;
    const { path, segment, offset, size, crc, rev, crawledAt } = await writer.append(repo, await proofOf(repo, proofs));
    numbers.set(path, segment);
    const known = catalogue.get(repo.did);
    const status = known?.status ?? "stored";
    const [nextAttempt, at] = [known?.nextAttempt ?? 0, known?.at ?? crawledAt];
    // An older block that is kept by a `forget` of another account is not the newest of its own.
    const place = known?.place ?? null;
    const isNewest = place === null || (place.segment === number && place.offset === repo.offset);
    if (isNewest) entries.push({ did: repo.did, place: { segment, offset, size, crc }, rev, status, nextAttempt, at });
  }
  await writer.close();
  const put = await CatalogueWriter.open({ folder: catalogueFolder(folder), fs });
  await put.put(entries);
  await put.cover(new Map(finished.map(({ path, size }) => [numbers.get(path)!, size])));
  await put.close();
  return finished.reduce((sum, { size }) => sum + size, 0);
}

async function openProofs(
  folder: string,
  number: number,
  onDamage: (damage: Damage) => void,
): Promise<SegmentReader | null> {
  const path = segmentPath(folder, number, "rcx");
  return existsSync(path) ? SegmentReader.open(path, { onDamage }, "rcx") : null;
}

/** As it is stored; null if there is none. */
async function proofOf(repo: StoredRepo, proofs: SegmentReader | null): Promise<RepoBlock | null> {
  for (const entry of (await proofs?.find(repo.did)) ?? []) {
    const block = await proofs!.read(entry);
    if (block?.crawledAt === repo.crawledAt && block.rev === repo.rev) return block;
  }
  return null;
}

/** Records first: nothing notices proofs without records, but `verify` notices records without proofs. */
async function removeSegment(
  { number, path }: SegmentName,
  { folder, fs = realFileSystem }: CompactOptions,
): Promise<void> {
  await changeManifest(catalogueFolder(folder), fs, (manifest) => {
    delete manifest.segments[`${number}`];
  });
  await fs.rm(path);
  await fs.rm(segmentPath(folder, number, "rcx"), { force: true });
  await fs.syncFolder(folder);
}

/** A compaction that was killed may have deleted a segment and left its proofs, which have all its records. */
async function removeLoneProofs(folder: string, fs: FileSystem): Promise<void> {
  for (const { number, kind, state, path } of await segmentNames(folder)) {
    if (kind !== "rcx" || state !== "final") continue;
    const segment = segmentPath(folder, number, "rca");
    const lock = lockSegment(path);
    if (lock === null) continue;
    try {
      if (!existsSync(segment) && !existsSync(segment + PARTIAL_SUFFIX)) await fs.rm(path);
    } finally {
      lock.release();
    }
  }
}
