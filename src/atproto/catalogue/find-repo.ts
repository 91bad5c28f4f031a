/** The newest block of a DID, through the catalogue: one read instead of opening every segment. */
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { isMissing } from "../../storage/durable.ts";
import { decodeBlock } from "../rca/format/block.ts";
import { BadBytes, type Damage, readAt, reasonOf } from "../rca/format/bytes.ts";
import { PARTIAL_SUFFIX, readableSegments, type SegmentName, segmentPath } from "../rca/format/segment-names.ts";
import { type ArchivedRepo, openReadable } from "../rca/read/archive.ts";
import { Catalogue, catalogueFolder } from "./catalogue.ts";
import type { BlockPlace } from "./catalogue-record.ts";

/**
 * Segments that the catalogue does not cover are searched by their own index. So are all of them when the block is not where the
 * catalogue says, which is reported.
 */
export async function findRepo(
  folder: string,
  did: string,
  onDamage: (damage: Damage) => void,
): Promise<ArchivedRepo | null> {
  const catalogue = new Catalogue(catalogueFolder(folder));
  const covered = catalogue.segments;
  const place = catalogue.get(did)?.place ?? null;
  catalogue.close();
  const known = place === null ? null : await readPlace(folder, did, place, onDamage);
  const segments = await readableSegments(folder);
  const isBroken = place !== null && known === null;
  const others = segments.filter(({ number, state }) => isBroken || (state === "final" && !covered.has(number)));
  const found = await searchSegments(others, did, known, onDamage);
  // What is being written is in the catalogue as soon as it is on the disk, unless another program writes it.
  if (found !== null || isBroken) return found;
  return searchSegments(
    segments.filter(({ state }) => state === "partial"),
    did,
    null,
    onDamage,
  );
}

/** The block at a place; null when it is not that of the DID, or damaged, which is reported. */
export async function readPlace(
  folder: string,
  did: string,
  { segment, offset, size, crc }: BlockPlace,
  onDamage: (damage: Damage) => void,
): Promise<ArchivedRepo | null> {
  const final = segmentPath(folder, segment, "rca");
  let path = final;
  try {
    let bytes = await readBytes(path, offset, size);
    // Finished meanwhile, or not yet.
    if (bytes === null) bytes = await readBytes((path = final + PARTIAL_SUFFIX), offset, size);
    if (bytes === null) bytes = await readBytes((path = final), offset, size);
    if (bytes === null) throw new BadBytes("the catalogue names it, and it is gone");
    if (bytes.length < size || crc32(bytes) !== crc)
      throw new BadBytes("the block is not the one that the catalogue names");
    const repo = decodeBlock(bytes);
    if (repo.did !== did) throw new BadBytes(`the catalogue calls it ${did}, the block ${repo.did}`);
    return { ...repo, path, offset, size };
  } catch (error) {
    onDamage({ path, offset, did, reason: reasonOf(error), torn: false });
    return null;
  }
}

async function readBytes(path: string, offset: number, size: number): Promise<Buffer | null> {
  try {
    const handle = await open(path, "r");
    try {
      return await readAt(handle, offset, size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function searchSegments(
  names: readonly SegmentName[],
  did: string,
  known: ArchivedRepo | null,
  onDamage: (damage: Damage) => void,
): Promise<ArchivedRepo | null> {
  let newest = known;
  for (const name of names) {
    const segment = await openReadable(name, onDamage);
    if (segment === null) continue;
    try {
      for (const entry of await segment.find(did)) {
        const repo = await segment.read(entry);
        if (repo === null || (newest !== null && repo.crawledAt < newest.crawledAt)) continue;
        newest = { ...repo, path: segment.path };
      }
    } finally {
      await segment.close();
    }
  }
  return newest;
}
