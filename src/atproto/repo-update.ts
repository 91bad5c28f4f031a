/** Updating a stored repo: whether it has changed, and only the changes, if its host supports it. */

import type { HttpRequest } from "../net/http-types.ts";
import { readPlace } from "./catalogue/find-repo.ts";
import { signedCar, storedProof } from "./rca/repair/signed-car.ts";
import { isTid } from "./repo/tid.ts";
import { type ArchivedRevs, includesRev } from "./since.ts";

/** A repo of the earlier archive. */
export interface StoredRevision {
  rev: string;
  /** Whether it has what this revision has. */
  includes: (rev: string) => boolean;
  /** Its blocks as sections of a CAR without the header; null when they were not kept, or are not worth it. */
  sections: () => Promise<Buffer | null>;
}

/** Rebuilding the CAR takes memory and time; no account is near this. */
const LARGEST_BLOCK = 16 * 2 ** 20;

export function storedRevision(
  since: ArchivedRevs | null,
  folder: string | null,
  did: string,
  atLeast: number,
): StoredRevision | null {
  const entry = since?.find(did) ?? null;
  if (entry === null || entry.rev === null || entry.place === null || folder === null) return null;
  const { rev, place } = entry;
  const sections = async (): Promise<Buffer | null> => {
    if (place.size < atLeast || place.size > LARGEST_BLOCK) return null;
    // Damage costs a whole fetch; `verify` reports it.
    const repo = await readPlace(folder, did, place, () => {});
    const car = repo === null ? null : signedCar(await storedProof(repo, () => {}));
    return car === null ? null : withoutHeader(car);
  };
  return { rev, includes: (other) => includesRev(entry, other), sections };
}

/** A CAR begins with the length of its header, in one or two bytes of seven bits. */
function withoutHeader(car: Buffer): Buffer {
  const length = car[0]! < 0x80 ? car[0]! + 1 : (car[0]! & 0x7f) + car[1]! * 128 + 2;
  return car.subarray(length);
}

export const latestCommitRequest = (pds: string, did: string): HttpRequest => ({
  url: `${pds}/xrpc/com.atproto.sync.getLatestCommit?did=${encodeURIComponent(did)}`,
  headers: { accept: "application/json" },
});

export const describeRequest = (pds: string, did: string): HttpRequest => ({
  url: `${pds}/xrpc/com.atproto.repo.describeRepo?repo=${encodeURIComponent(did)}`,
  headers: { accept: "application/json" },
});

/** The collections in an answer to describeRepo; null when it is another. */
export function describedCollections(body: Buffer): readonly unknown[] | null {
  try {
    const { collections } = JSON.parse(body.toString("utf8")) as { collections?: unknown };
    return Array.isArray(collections) ? collections : null;
  } catch {
    return null;
  }
}

/** The rev in an answer to getLatestCommit; null if there is none that can be compared. */
export function latestRev(body: Buffer): string | null {
  try {
    const { rev } = JSON.parse(body.toString("utf8")) as { rev?: unknown };
    return typeof rev === "string" && isTid(rev) ? rev : null;
  } catch {
    return null;
  }
}
