/** The newest block of a DID, through the catalogue: one read instead of opening every segment. */
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { isMissing } from "../../storage/durable.ts";
import { decodeBlock } from "../rca/format/block.ts";
import { BadBytes, type Damage, readAt, reasonOf } from "../rca/format/bytes.ts";
import type { StoredProof } from "../rca/format/proof.ts";
import { PARTIAL_SUFFIX, readableSegments, type SegmentName, segmentPath } from "../rca/format/segment-names.ts";
import { type ArchivedRepo, openReadable, whileFilesMove } from "../rca/read/archive.ts";
import { isDeleted } from "../rca/read/every-segment.ts";
import { storedProof } from "../rca/repair/signed-car.ts";
import { Catalogue, catalogueFolder } from "./catalogue.ts";
import type { BlockPlace } from "./catalogue-record.ts";

/**
 * Segments that the catalogue does not cover are searched by their own index. So are all of them when the block is not where the
 * catalogue says, which is reported.
 */
export const findRepo = (
  folder: string,
  did: string,
  onDamage: (damage: Damage) => void,
): Promise<ArchivedRepo | null> => whileFilesMove(() => lookUp(folder, did, onDamage));

async function lookUp(folder: string, did: string, onDamage: (damage: Damage) => void): Promise<ArchivedRepo | null> {
  const { place, covered, known } = await readNewest(folder, did, onDamage);
  const segments = await readableSegments(folder);
  const isBroken = place !== null && known === null;
  const others = segments.filter(({ number, state }) => isBroken || (state === "final" && !covered.has(number)));
  const found = await searchSegments(others, did, known, onDamage);
  // A new block is in the catalogue as soon as it is on the disk, unless another program writes it.
  if (found !== null || isBroken) return found;
  const unfinished = segments.filter(({ state }) => state === "partial");
  return searchSegments(unfinished, did, null, onDamage);
}

interface Newest {
  place: BlockPlace | null;
  covered: ReadonlyMap<number, number>;
  known: ArchivedRepo | null;
}

/** By the catalogue. A block that `compact` has moved meanwhile has another place there by the time that the old one is gone. */
async function readNewest(folder: string, did: string, onDamage: (damage: Damage) => void): Promise<Newest> {
  let before: BlockPlace | null = null;
  for (;;) {
    const catalogue = new Catalogue(catalogueFolder(folder));
    const covered = catalogue.segments;
    const place = catalogue.get(did)?.place ?? null;
    catalogue.close();
    const damage: Damage[] = [];
    const known = place === null ? null : await readPlace(folder, did, place, (found) => damage.push(found));
    const isMoved = place !== null && !(before !== null && isSamePlace(place, before));
    if (known === null && isMoved) {
      before = place;
      continue;
    }
    for (const found of damage) onDamage(found);
    return { place, covered, known };
  }
}

const isSamePlace = (one: BlockPlace, other: BlockPlace): boolean =>
  one.segment === other.segment && one.offset === other.offset;

/** The block at a place; null when it belongs to another DID or is damaged, which is reported. */
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

/** The newest repo of a DID with its proof, both of one segment; null when the archive does not have it. */
export async function findProven(
  folder: string,
  did: string,
  onDamage: (damage: Damage) => void,
): Promise<{ repo: ArchivedRepo; proof: StoredProof | null } | null> {
  for (;;) {
    const repo = await findRepo(folder, did, onDamage);
    if (repo === null) return null;
    const proof = await storedProof(repo, onDamage);
    if (proof !== null || !isDeleted(repo.path)) return { repo, proof };
  }
}
