/** The bytes of an event segment (`.rce`): its header, batches of events, and the events in them. docs/rca.md is the layout. */
import { crc32, constants as zlibConstants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { textField } from "../rca/format/block.ts";
import { BadBytes, ByteReader } from "../rca/format/bytes.ts";
import type { Action } from "./firehose-frame.ts";

export const EVENT_MAGIC = Buffer.from("REPOEVTS");
const VERSION = 1;
const FIXED_HEADER_BYTES = 20;
/** Size, CRC32, EventCount, Cursor. */
export const BATCH_HEAD_BYTES = 20;
/** Unpacked. A batch is sealed far below this. */
const LARGEST_BATCH_BYTES = 256 * 2 ** 20;

interface EventHead {
  /** Its place in the stream of the source. */
  seq: number;
  /** When it was first seen here, in Unix microseconds. */
  seenAt: number;
  did: string;
}

export interface StoredOp {
  action: Action;
  /** `collection/rkey`. */
  path: string;
  /** DAG-CBOR as it was signed; null for a delete. */
  record: Buffer | null;
}

export interface CommitEvent extends EventHead {
  kind: "commit";
  rev: string;
  /** The rev before; empty for the first. */
  since: string;
  /** The signed commit, DAG-CBOR; empty when the source has no signatures (Jetstream). */
  commit: Buffer;
  ops: StoredOp[];
}

export interface SyncEvent extends EventHead {
  kind: "sync";
  rev: string;
  commit: Buffer;
}

export interface IdentityEvent extends EventHead {
  kind: "identity";
  /** Empty when none was given. */
  handle: string;
}

export interface AccountEvent extends EventHead {
  kind: "account";
  active: boolean;
  /** Why it is not active; empty when it is. */
  status: string;
}

/** Events are missing here: from the one after `seq` on, up to the next in this file. Its DID is empty. */
export interface GapEvent extends EventHead {
  kind: "gap";
  reason: string;
}

/** Something of this account could not be stored: the whole repo has to be fetched. */
export interface MarkEvent extends EventHead {
  kind: "mark";
  reason: MarkReason;
  /** At least this rev is wanted; empty when that is not known. */
  rev: string;
  detail: string;
}

/**
 * gap: a commit is missing before this one. too_big: the source left out what changed. sync: the source says where the repo is
 * now, and not how it got there. refused: a commit did not hold. unresolved: its document could not be read. behind: another
 * list has a newer rev.
 */
export type MarkReason = "gap" | "too_big" | "sync" | "refused" | "unresolved" | "behind";

export type StoredEvent = CommitEvent | SyncEvent | IdentityEvent | AccountEvent | GapEvent | MarkEvent;

const KINDS = { commit: 1, sync: 2, identity: 3, account: 4, gap: 5, mark: 6 } as const;
const KIND_NAMES = new Map(Object.entries(KINDS).map(([name, code]) => [code as number, name as StoredEvent["kind"]]));
const ACTIONS: readonly Action[] = ["create", "update", "delete"];

export interface EventSegmentHeader {
  /** Unix microseconds. */
  createdAt: bigint;
  /** Where the events came from, such as `relay:https://bsky.network`. */
  source: string;
  /** Commits were checked against the keys of their accounts. */
  verified: boolean;
}

const VERIFIED = 1;

export function encodeEventHeader({ createdAt, source, verified }: EventSegmentHeader): Buffer {
  const fixed = Buffer.alloc(FIXED_HEADER_BYTES);
  EVENT_MAGIC.copy(fixed);
  fixed.writeUInt16LE(VERSION, 8);
  fixed.writeUInt16LE(verified ? VERIFIED : 0, 10);
  fixed.writeBigInt64LE(createdAt, 12);
  const head = Buffer.concat([fixed, textField(source)]);
  return Buffer.concat([head, u32(crc32(head))]);
}

/** Throws BadBytes. Returns where the batches begin, too. */
export function decodeEventHeader(bytes: Buffer): EventSegmentHeader & { end: number } {
  const reader = new ByteReader(bytes);
  if (!reader.bytes(EVENT_MAGIC.length).equals(EVENT_MAGIC)) throw new BadBytes("it does not begin with REPOEVTS");
  const version = reader.u16();
  if (version !== VERSION) throw new BadBytes(`its version is ${version}, not ${VERSION}`);
  const flags = reader.u16();
  const createdAt = reader.i64();
  const source = reader.text();
  const end = reader.position;
  if (reader.u32() !== crc32(bytes.subarray(0, end))) throw new BadBytes("the CRC32 of its header is wrong");
  return { createdAt, source, verified: (flags & VERIFIED) !== 0, end: reader.position };
}

/** One batch is one commit: whole on the disk, with the cursor that goes with it, or not there. */
export interface EventBatch {
  /** The source is read on after this. */
  cursor: number;
  events: StoredEvent[];
}

export function encodeBatch({ cursor, events }: EventBatch, level: number): Buffer {
  const content = Buffer.concat(events.map(encodeEvent));
  const frame = zstdCompressSync(content, {
    params: {
      [zlibConstants.ZSTD_c_compressionLevel]: level,
      [zlibConstants.ZSTD_c_checksumFlag]: 1,
    },
    pledgedSrcSize: content.length,
  });
  const bytes = Buffer.alloc(BATCH_HEAD_BYTES + frame.length);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt32LE(events.length, 8);
  bytes.writeBigInt64LE(BigInt(cursor), 12);
  frame.copy(bytes, BATCH_HEAD_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** `bytes` is one whole batch. Throws BadBytes. */
export function decodeBatch(bytes: Buffer): EventBatch {
  checkBatch(bytes);
  const content = unpack(bytes.subarray(BATCH_HEAD_BYTES));
  const reader = new ByteReader(content);
  const count = bytes.readUInt32LE(8);
  const events: StoredEvent[] = [];
  for (let index = 0; index < count; index++) events.push(decodeEvent(reader));
  if (reader.left > 0) throw new BadBytes("a batch has bytes after its last event");
  return { cursor: batchCursor(bytes), events };
}

/** Throws BadBytes unless this is a whole batch; nothing is unpacked. */
export function checkBatch(bytes: Buffer): void {
  if (bytes.length < BATCH_HEAD_BYTES || bytes.readUInt32LE(0) !== bytes.length)
    throw new BadBytes("a batch is cut off");
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8))) throw new BadBytes("the CRC32 of a batch is wrong");
}

export const batchCursor = (bytes: Buffer): number => Number(bytes.readBigInt64LE(12));

function unpack(frame: Buffer): Buffer {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: LARGEST_BATCH_BYTES });
  } catch (error) {
    throw new BadBytes(`a batch cannot be unpacked: ${(error as Error).message}`);
  }
}

export function encodeEvent(event: StoredEvent): Buffer {
  const head = Buffer.alloc(17);
  head[0] = KINDS[event.kind];
  head.writeBigInt64LE(BigInt(event.seq), 1);
  head.writeBigInt64LE(BigInt(Math.floor(event.seenAt)), 9);
  return Buffer.concat([head, textField(event.did), ...partsOf(event)]);
}

function partsOf(event: StoredEvent): Buffer[] {
  switch (event.kind) {
    case "commit":
      return [
        textField(event.rev),
        textField(event.since),
        blob(event.commit),
        u32(event.ops.length),
        ...event.ops.flatMap(({ action, path, record }) => [
          Buffer.of(ACTIONS.indexOf(action) + 1),
          textField(path),
          ...(action === "delete" ? [] : [blob(record!)]),
        ]),
      ];
    case "sync":
      return [textField(event.rev), blob(event.commit)];
    case "identity":
      return [textField(event.handle)];
    case "account":
      return [Buffer.of(event.active ? 1 : 0), textField(event.status)];
    case "gap":
      return [textField(event.reason)];
    case "mark":
      return [textField(event.reason), textField(event.rev), textField(event.detail)];
  }
}

function decodeEvent(reader: ByteReader): StoredEvent {
  const kind = KIND_NAMES.get(reader.bytes(1)[0]!);
  const head = { seq: Number(reader.i64()), seenAt: Number(reader.i64()), did: reader.text() };
  switch (kind) {
    case "commit": {
      const [rev, since, commit] = [reader.text(), reader.text(), reader.bytes(reader.u32())];
      const ops = Array.from({ length: countOf(reader) }, () => decodeOp(reader));
      return { kind, ...head, rev, since, commit, ops };
    }
    case "sync":
      return { kind, ...head, rev: reader.text(), commit: reader.bytes(reader.u32()) };
    case "identity":
      return { kind, ...head, handle: reader.text() };
    case "account":
      return { kind, ...head, active: reader.bytes(1)[0] === 1, status: reader.text() };
    case "gap":
      return { kind, ...head, reason: reader.text() };
    case "mark": {
      const reason = reader.text() as MarkReason;
      return { kind, ...head, reason, rev: reader.text(), detail: reader.text() };
    }
    default:
      throw new BadBytes("a batch has an event of an unknown kind");
  }
}

/** An operation takes at least a byte: a count beyond that is damage, not a reason to allocate. */
function countOf(reader: ByteReader): number {
  const count = reader.u32();
  if (count > reader.left) throw new BadBytes("an event has more operations than bytes");
  return count;
}

function decodeOp(reader: ByteReader): StoredOp {
  const action = ACTIONS[reader.bytes(1)[0]! - 1];
  if (action === undefined) throw new BadBytes("an event has an unknown operation");
  const path = reader.text();
  return { action, path, record: action === "delete" ? null : reader.bytes(reader.u32()) };
}

function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const blob = (bytes: Uint8Array): Buffer => Buffer.concat([u32(bytes.length), bytes]);
