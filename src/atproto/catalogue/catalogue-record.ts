/** What is known about an account, in 60 bytes that sort by DID: where its newest block is, its rev, its status, and when to ask again. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { ERROR_CLASS_NAMES, type ErrorClass } from "../error-classes.ts";
import { readDid, writeDid } from "../identity/identity-record.ts";
import { tidNumber, tidText } from "../repo/tid.ts";

/** Kind of DID 1, DID 15, segment 4, offset 6, size 4, CRC of the block 4, rev 8, time 8, next attempt 4, status 1, flags 1, CRC 4. */
export const RECORD_BYTES = 60;
export const KEY_BYTES = 16;
const SEGMENT_AT = KEY_BYTES;
const OFFSET_AT = SEGMENT_AT + 4;
const SIZE_AT = OFFSET_AT + 6;
const BLOCK_CRC_AT = SIZE_AT + 4;
const REV_AT = BLOCK_CRC_AT + 4;
const TIME_AT = REV_AT + 8;
const NEXT_AT = TIME_AT + 8;
const STATUS_AT = NEXT_AT + 4;
const FLAGS_AT = STATUS_AT + 1;
const CRC_AT = FLAGS_AT + 1;

/** A did:plc is its own key; for others, the key is a hash, and their names are in a file. */
const PLC = 0;
const OTHER = 1;
const HAS_PLACE = 1;
const HAS_REV = 2;
/** Old commits have revs in another form; short ones are kept as they are. */
const SHORT_REV = 4;

/** Their numbers are in files: new ones go to the end. */
const STATUSES = [
  "stored",
  "deleted",
  "forgotten",
  "not_found",
  "deactivated",
  "takendown",
  "suspended",
  "rate_limited",
  "parse_error",
  "bad_signature",
  "unresolved",
  "invalid_car",
  "too_large",
  "http_error",
  "redirected",
  "dns_error",
  "unavailable",
  "connection_error",
  "timeout",
  "unknown",
] as const satisfies readonly (ErrorClass | "stored" | "deleted" | "forgotten")[];

/** `forgotten`: the account was erased from the archive; its older places no longer count. */
export type CatalogueStatus = (typeof STATUSES)[number];

const CODES = new Map<string, number>(STATUSES.map((status, code) => [status, code]));
export const statusOf = (failure: string | null): CatalogueStatus =>
  failure === null ? "stored" : CODES.has(failure) ? (failure as CatalogueStatus) : "unknown";

/** Where a block is. */
export interface BlockPlace {
  /** The number of its segment. */
  segment: number;
  offset: number;
  size: number;
  /** Of the whole block, as in the segment's index. */
  crc: number;
}

export interface CatalogueEntry {
  did: string;
  /** The newest block; null when nothing of the account is stored. */
  place: BlockPlace | null;
  /** Of that block; null if there is none, or when it is neither a TID nor short: then only the block has it. */
  rev: string | null;
  status: CatalogueStatus;
  /** When a failed repo may be asked for again, in Unix ms; 0 for none. */
  nextAttempt: number;
  /** When this was learnt, in Unix microseconds: of two entries for a DID, the later one counts. */
  at: bigint;
}

/** Every error class has a number. */
export const unnumberedClasses = (): string[] => ERROR_CLASS_NAMES.filter((name) => !CODES.has(name));

export function writeKey(did: string, bytes: Buffer, at = 0): void {
  if (writeDid(did, bytes, at + 1)) {
    bytes[at] = PLC;
    return;
  }
  bytes[at] = OTHER;
  createHash("sha256")
    .update(did)
    .digest()
    .copy(bytes, at + 1, 0, KEY_BYTES - 1);
}

export function keyOf(did: string): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  writeKey(did, key);
  return key;
}

export const isPlcKey = (record: Uint8Array, at = 0): boolean => record[at] === PLC;
export const keyText = (record: Buffer, at = 0): string => record.toString("latin1", at, at + KEY_BYTES);

export function writeEntry(entry: CatalogueEntry, bytes: Buffer, at = 0): void {
  const { did, place, rev, status, nextAttempt, at: time } = entry;
  writeKey(did, bytes, at);
  bytes.writeUInt32LE(place?.segment ?? 0, at + SEGMENT_AT);
  bytes.writeUIntLE(place?.offset ?? 0, at + OFFSET_AT, 6);
  bytes.writeUInt32LE(place?.size ?? 0, at + SIZE_AT);
  bytes.writeUInt32LE(place?.crc ?? 0, at + BLOCK_CRC_AT);
  const revFlag = place === null || rev === null ? 0 : writeRev(rev, bytes, at + REV_AT);
  if (revFlag === 0) bytes.fill(0, at + REV_AT, at + TIME_AT);
  bytes.writeBigInt64LE(time, at + TIME_AT);
  bytes.writeUInt32LE(Math.min(0xffff_ffff, Math.ceil(nextAttempt / 1000)), at + NEXT_AT);
  bytes[at + STATUS_AT] = CODES.get(status)!;
  bytes[at + FLAGS_AT] = (place === null ? 0 : HAS_PLACE) | revFlag;
  seal(bytes, at);
}

/** `did` is given for keys that are hashes. */
export function readEntry(bytes: Buffer, at: number, did: string | null = null): CatalogueEntry {
  const flags = bytes[at + FLAGS_AT]!;
  return {
    did: did ?? readDid(bytes, at + 1),
    place:
      (flags & HAS_PLACE) === 0
        ? null
        : {
            segment: bytes.readUInt32LE(at + SEGMENT_AT),
            offset: bytes.readUIntLE(at + OFFSET_AT, 6),
            size: bytes.readUInt32LE(at + SIZE_AT),
            crc: bytes.readUInt32LE(at + BLOCK_CRC_AT),
          },
    rev: readRev(bytes, at + REV_AT, flags),
    status: STATUSES[bytes[at + STATUS_AT]!] ?? "unknown",
    nextAttempt: bytes.readUInt32LE(at + NEXT_AT) * 1000,
    at: bytes.readBigInt64LE(at + TIME_AT),
  };
}

/** Whether a record is as it was written. */
export const isWhole = (bytes: Buffer, at: number): boolean =>
  crc32(bytes.subarray(at, at + CRC_AT)) === bytes.readUInt32LE(at + CRC_AT);

const isForgotten = (bytes: Buffer, at: number): boolean => STATUSES[bytes[at + STATUS_AT]!] === "forgotten";
export const isForgottenRecord = (record: Buffer): boolean => isForgotten(record, 0);
export const hasPlace = (bytes: Buffer, at = 0): boolean => (bytes[at + FLAGS_AT]! & HAS_PLACE) !== 0;

/** Whether both records have a rev, and it is the same. */
export function isSameRev(one: Buffer, other: Buffer): boolean {
  const form = one[FLAGS_AT]! & (HAS_REV | SHORT_REV);
  if (form === 0 || form !== (other[FLAGS_AT]! & (HAS_REV | SHORT_REV))) return false;
  return one.compare(other, REV_AT, TIME_AT, REV_AT, TIME_AT) === 0;
}

/**
 * Merges two records of a DID in `into`: the account's status is the latest one, and a failure does not remove the stored
 * block. `later` was written after `into`.
 */
export function foldRecord(into: Buffer, later: Buffer, at = 0): void {
  const isLater = later.readBigInt64LE(at + TIME_AT) >= into.readBigInt64LE(TIME_AT);
  const [older, newer, newerAt] = isLater ? [into, later, at] : [later.subarray(at, at + RECORD_BYTES), into, 0];
  const keepsPlace = !hasPlace(newer, newerAt) && hasPlace(older, 0) && !isForgotten(newer, newerAt);
  const place = keepsPlace ? Buffer.from(older.subarray(SEGMENT_AT, TIME_AT)) : null;
  const flags = older[FLAGS_AT]!;
  if (isLater) later.copy(into, 0, at, at + RECORD_BYTES);
  if (place === null) return;
  place.copy(into, SEGMENT_AT);
  into[FLAGS_AT] = flags;
  seal(into, 0);
}

/** The place is gone; the account's status remains. */
export function dropPlace(record: Buffer): void {
  record.fill(0, SEGMENT_AT, TIME_AT);
  record[FLAGS_AT] = 0;
  seal(record, 0);
}

export const recordStatus = (record: Buffer): CatalogueStatus => STATUSES[record[STATUS_AT]!] ?? "unknown";
export const isStoredRecord = (record: Buffer): boolean => recordStatus(record) === "stored";

function seal(bytes: Buffer, at: number): void {
  bytes.writeUInt32LE(crc32(bytes.subarray(at, at + CRC_AT)), at + CRC_AT);
}

function writeRev(rev: string, bytes: Buffer, at: number): number {
  const tid = tidNumber(rev);
  if (tid !== null) {
    bytes.writeBigUInt64LE(tid, at);
    return HAS_REV;
  }
  if (!SHORT.test(rev)) return 0;
  bytes.fill(0, at, at + 8).write(rev, at, "latin1");
  return SHORT_REV;
}

function readRev(bytes: Buffer, at: number, flags: number): string | null {
  if ((flags & HAS_REV) !== 0) return tidText(bytes.readBigUInt64LE(at));
  return (flags & SHORT_REV) === 0 ? null : bytes.toString("latin1", at, at + 8).replace(/\0+$/, "");
}

const SHORT = /^[!-~]{1,8}$/;
