/** A frame of `com.atproto.sync.subscribeRepos`: a header and a body in DAG-CBOR, read into one of few kinds of event. */
import { ARRAY, BYTES, CborProblem, CborReader, MAP, NULL_BYTE, TEXT, UNSIGNED, WIDE } from "../repo/cbor-reader.ts";

export type Action = "create" | "update" | "delete";

export interface RepoOp {
  action: Action;
  /** `collection/rkey`. */
  path: string;
  /** Binary, 36 bytes; null for a delete. */
  cid: Buffer | null;
  /** What the record was before, as a binary CID; null for a create, and where the host does not give it. */
  prev: Buffer | null;
}

export interface CommitFrame {
  kind: "commit";
  seq: number;
  did: string;
  rev: string;
  /** The rev before this commit; null for the first. */
  since: string | null;
  /** Binary CID of the tree before this commit; null where the host does not give it. */
  prevData: Buffer | null;
  /** Binary CID of the commit. */
  commit: Buffer;
  /** A CAR with the commit, the records, and the nodes of the tree that lead to them. */
  blocks: Uint8Array;
  ops: RepoOp[];
  tooBig: boolean;
  time: string;
}

export interface SyncFrame {
  kind: "sync";
  seq: number;
  did: string;
  rev: string;
  /** A CAR with the commit. */
  blocks: Uint8Array;
  time: string;
}

export interface IdentityFrame {
  kind: "identity";
  seq: number;
  did: string;
  handle: string | null;
  time: string;
}

export interface AccountFrame {
  kind: "account";
  seq: number;
  did: string;
  active: boolean;
  /** Why it is not: `takendown`, `suspended`, `deleted`, `deactivated`, … */
  status: string | null;
  time: string;
}

/** Something to know that has no place in the stream, such as `OutdatedCursor`. */
export interface InfoFrame {
  kind: "info";
  name: string;
  message: string;
}

/** The server ends the stream: `FutureCursor`, `ConsumerTooSlow`. */
export interface ErrorFrame {
  kind: "error";
  name: string;
  message: string;
}

/** A kind that this version does not know: it is counted, and its place in the stream is passed. */
export interface UnknownFrame {
  kind: "unknown";
  seq: number | null;
  type: string;
}

export type RepoFrame = CommitFrame | SyncFrame | IdentityFrame | AccountFrame;
export type FirehoseFrame = RepoFrame | InfoFrame | ErrorFrame | UnknownFrame;

/** The protocol's own limit. */
export const MOST_OPS = 200;
const CID_BYTES = 36;

/** Throws a CborProblem when the bytes are not a frame. */
export function readFrame(bytes: Uint8Array): FirehoseFrame {
  const reader = new CborReader(bytes);
  reader.enter(0, bytes.length);
  const header = readMap(reader);
  const body = readMap(reader);
  reader.expectEnd();
  if (header.get("op") === -1) return { kind: "error", name: text(body, "error"), message: optional(body, "message") };
  if (header.get("op") !== 1) throw new CborProblem("has a header without a known op");
  return frameOf(text(header, "t"), body);
}

function frameOf(type: string, body: Fields): FirehoseFrame {
  switch (type) {
    case "#commit":
      return commitOf(body);
    case "#sync":
      return {
        kind: "sync",
        seq: sequence(body),
        did: text(body, "did"),
        rev: text(body, "rev"),
        blocks: bytesOf(body, "blocks"),
        time: optional(body, "time"),
      };
    case "#identity": {
      const handle = body.get("handle");
      const [seq, did] = [sequence(body), text(body, "did")];
      return {
        kind: "identity",
        seq,
        did,
        handle: typeof handle === "string" ? handle : null,
        time: optional(body, "time"),
      };
    }
    case "#account": {
      const status = body.get("status");
      return {
        kind: "account",
        seq: sequence(body),
        did: text(body, "did"),
        active: body.get("active") === true,
        status: typeof status === "string" ? status : null,
        time: optional(body, "time"),
      };
    }
    case "#info":
      return { kind: "info", name: text(body, "name"), message: optional(body, "message") };
    default: {
      const seq = body.get("seq");
      return { kind: "unknown", seq: isPlace(seq) ? seq : null, type };
    }
  }
}

function commitOf(body: Fields): CommitFrame {
  const written = body.get("ops");
  if (!Array.isArray(written)) throw new CborProblem("has no ops");
  const [since, prevData] = [body.get("since"), body.get("prevData")];
  const commit = body.get("commit");
  if (!Buffer.isBuffer(commit)) throw new CborProblem("has no commit");
  return {
    kind: "commit",
    seq: sequence(body),
    did: text(body, "repo"),
    rev: text(body, "rev"),
    since: typeof since === "string" ? since : null,
    prevData: Buffer.isBuffer(prevData) ? prevData : null,
    commit,
    blocks: bytesOf(body, "blocks"),
    ops: written.map(opOf),
    tooBig: body.get("tooBig") === true,
    time: optional(body, "time"),
  };
}

function opOf(written: Value): RepoOp {
  if (!(written instanceof Map)) throw new CborProblem("has an op that is not a map");
  const action = text(written, "action");
  if (action !== "create" && action !== "update" && action !== "delete") throw new CborProblem("has an unknown action");
  const cid = written.get("cid");
  const path = text(written, "path");
  const before = written.get("prev");
  const prev = Buffer.isBuffer(before) ? before : null;
  if (action === "delete") return { action, path, cid: null, prev };
  if (!Buffer.isBuffer(cid)) throw new CborProblem("has an op without its CID");
  return { action, path, cid, prev };
}

/** What a frame can hold: links are binary CIDs as a Buffer, byte strings a plain Uint8Array. */
type Value = string | number | boolean | null | Uint8Array | Value[] | Fields;
type Fields = Map<string, Value>;

const DEEPEST = 8;

function readMap(reader: CborReader, depth = 0): Fields {
  const fields: Fields = new Map();
  for (let left = reader.expect(MAP, "it"); left > 0; left--) {
    const length = reader.expect(TEXT, "a key");
    const name = utf8(reader, length);
    fields.set(name, readValue(reader, depth + 1));
  }
  return fields;
}

function readValue(reader: CborReader, depth: number): Value {
  if (depth > DEEPEST) throw new CborProblem("is nested too deeply");
  const head = reader.bytes[reader.at] ?? 0;
  if (head === NULL_BYTE || head === 0xf4 || head === 0xf5) {
    reader.at++;
    return head === NULL_BYTE ? null : head === 0xf5;
  }
  if (head === 0xd8) {
    const digest = reader.link("a link");
    return Buffer.from(reader.bytes.subarray(digest + 32 - CID_BYTES, digest + 32));
  }
  if (head >> 5 === MAP) return readMap(reader, depth);
  reader.head();
  switch (reader.major) {
    case TEXT:
      return utf8(reader, reader.length());
    case BYTES: {
      const length = reader.length();
      reader.at += length;
      const { bytes } = reader;
      // Not a Buffer: those are links here.
      return new Uint8Array(bytes.buffer, bytes.byteOffset + reader.at - length, length);
    }
    case ARRAY: {
      const count = reader.length();
      if (count > MOST_OPS && depth === 1) throw new CborProblem(`has more than ${MOST_OPS} items in a list`);
      return Array.from({ length: count }, () => readValue(reader, depth + 1));
    }
    case UNSIGNED:
      return reader.value === WIDE ? Number(reader.wide()) : reader.value;
    case 1:
      return -1 - reader.value;
    default:
      throw new CborProblem("has a value that frames do not have");
  }
}

function utf8(reader: CborReader, length: number): string {
  const { bytes } = reader;
  reader.at += length;
  return Buffer.from(bytes.buffer, bytes.byteOffset + reader.at - length, length).toString("utf8");
}

function text(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (typeof value !== "string") throw new CborProblem(`has no ${name}`);
  return value;
}

function optional(fields: Fields, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value : "";
}

function bytesOf(fields: Fields, name: string): Uint8Array {
  const value = fields.get(name);
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) throw new CborProblem(`has no ${name}`);
  return value;
}

function sequence(fields: Fields): number {
  const value = fields.get("seq");
  if (!isPlace(value)) throw new CborProblem("has no seq");
  return value;
}

const isPlace = (value: Value | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
