/** Which partition a host belongs to, and how ids of one partition are named in another. */
import { crc32 } from "node:zlib";

/** Fixed when a crawl is started. */
export const PARTS = 128;

/** A CRC alone is linear in each bit, so it would put hosts that differ in one digit into few partitions. */
const SPREAD = 0x9e3779b1;

export const partOfLane = (lane: string, parts: number): number => (Math.imul(crc32(lane), SPREAD) >>> 7) % parts;

/** Ids of a partition are below this, as everywhere in the kernel. */
const IDS = 2 ** 31;

/** The id of a page in another partition, as a parent: negative, so that no partition takes it for one of its own. */
export const foreignParent = (part: number, id: number): number => (id === 0 ? 0 : -(part * IDS + id));

/** The partition and the id that a parent names, seen from `part`; null for what a source found. */
export function parentOf(part: number, parent: number): { part: number; id: number } | null {
  if (parent === 0) return null;
  return parent > 0 ? { part, id: parent } : { part: Math.floor(-parent / IDS), id: -parent % IDS };
}
