/**
 * Reads a WARC file record by record and checks each: gzip member, lengths, digests. Bytes that are not a whole record
 * are reported as such, and reading continues with the next record. Memory holds one record.
 */
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, type InflateRaw, inflateRaw } from "node:zlib";
import { digestOf, parseHeaders } from "./warc-record.ts";

/** Part of a file: a record or, when `record` is null, bytes that are not a record. */
export interface Piece {
  offset: number;
  length: number;
  /** The bytes in the file; null for bytes that are not a record. */
  raw: Buffer | null;
  record: ReadRecord | null;
  /** What is wrong; empty for a record. */
  why: string;
}

export interface ReadRecord {
  type: string;
  /** Names in lower case. */
  headers: Map<string, string>;
  block: Buffer;
}

type Read = { raw: Buffer; record: ReadRecord } | { why: string };

/** Most records are shorter than this, so one read gets them whole. */
const WINDOW_BYTES = 64 << 10;
/** No page that we fetch is this long. */
const MAX_RECORD_BYTES = 1 << 30;
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

const inflate = promisify(inflateRaw) as unknown as (
  bytes: Buffer,
  options: { info: true; maxOutputLength: number },
) => Promise<{ buffer: Buffer; engine: InflateRaw }>;

/** Which part of a file to read; by default, all of it. */
export interface PieceRange {
  from?: number;
  to?: number;
}

export async function* readPieces(path: string, { from = 0, to }: PieceRange = {}): AsyncGenerator<Piece> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const end = Math.min(size, to ?? size);
    for (let offset = from; offset < end; ) {
      const read = await recordAt(file, offset, end);
      if ("record" in read) {
        yield { offset, length: read.raw.length, ...read, why: "" };
        offset += read.raw.length;
      } else {
        const next = await nextRecord(file, offset + 1, end);
        yield { offset, length: next - offset, raw: null, record: null, why: read.why };
        offset = next;
      }
    }
  } finally {
    await file.close();
  }
}

/** Where the next whole record begins; `end` when there isn't one. */
async function nextRecord(file: FileHandle, from: number, end: number): Promise<number> {
  for (let offset = from; offset < end; ) {
    const window = await bytesAt(file, offset, Math.min(WINDOW_BYTES, end - offset));
    if (window.length === 0) return end;
    for (let at = window.indexOf(MAGIC); at !== -1; at = window.indexOf(MAGIC, at + 1)) {
      if ("record" in (await recordAt(file, offset + at, end))) return offset + at;
    }
    // The mark may lie across two windows.
    offset += Math.max(1, window.length - (MAGIC.length - 1));
  }
  return end;
}

/** The record that begins at an offset: one gzip member with nothing else in it. */
async function recordAt(file: FileHandle, offset: number, end: number): Promise<Read> {
  const left = end - offset;
  for (let size = WINDOW_BYTES; ; size *= 4) {
    const window = await bytesAt(file, offset, Math.min(size, left));
    const read = await readMember(window);
    if (read !== "more") return read;
    if (window.length >= left || window.length < size) return { why: "the record is cut short" };
  }
}

/** `more` when the bytes end before the member does. */
async function readMember(bytes: Buffer): Promise<Read | "more"> {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC.subarray(0, bytes.length))) return { why: "no record begins here" };
  if (bytes.length < HEADER_BYTES + TRAILER_BYTES) return "more";
  // A name or a comment in the header: we write neither.
  if (bytes[3] !== 0) return { why: "the gzip header is damaged" };
  let inflated: Buffer;
  let end: number;
  try {
    const options = { info: true, maxOutputLength: MAX_RECORD_BYTES } as const;
    const { buffer, engine } = await inflate(bytes.subarray(HEADER_BYTES), options);
    inflated = buffer;
    end = HEADER_BYTES + engine.bytesWritten;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "Z_BUF_ERROR" ? "more" : { why: "the compressed data is damaged" };
  }
  if (end + TRAILER_BYTES > bytes.length) return "more";
  const isRight = bytes.readUInt32LE(end) === crc32(inflated) && bytes.readUInt32LE(end + 4) === inflated.length >>> 0;
  if (!isRight) return { why: "the checksum of the compressed data is wrong" };
  const record = readRecord(inflated);
  return typeof record === "string" ? { why: record } : { raw: bytes.subarray(0, end + TRAILER_BYTES), record };
}

const BLANK_LINE = Buffer.from("\r\n\r\n");

/** A record from its bytes, or what is wrong with it. */
function readRecord(bytes: Buffer): ReadRecord | string {
  const headEnd = bytes.indexOf(BLANK_LINE) + BLANK_LINE.length;
  const headers = parseHeaders(bytes.toString("utf8", 0, headEnd));
  if (headers === null) return "it is not a WARC record";
  const length = bytes.length - headEnd - BLANK_LINE.length;
  if (headers.get("content-length") !== String(length)) return "its Content-Length is wrong";
  if (!bytes.subarray(-BLANK_LINE.length).equals(BLANK_LINE)) return "it does not end with two line breaks";
  const block = bytes.subarray(headEnd, headEnd + length);
  if (!agrees(headers.get("warc-block-digest"), block)) return "its WARC-Block-Digest is wrong";
  const type = headers.get("warc-type") ?? "";
  // The payload of a revisit is in another record.
  if (type === "response" && !agrees(headers.get("warc-payload-digest"), payloadOf(block)))
    return "its WARC-Payload-Digest is wrong";
  return { type, headers, block };
}

/** Digests of kinds that we do not write cannot be checked. */
const agrees = (digest: string | undefined, bytes: Buffer): boolean =>
  digest === undefined || !digest.startsWith("sha256:") || digest === digestOf(bytes);

function payloadOf(block: Buffer): Buffer {
  const headEnd = block.indexOf(BLANK_LINE);
  return headEnd === -1 ? Buffer.alloc(0) : block.subarray(headEnd + BLANK_LINE.length);
}

/** Returns fewer bytes at the end of the file. */
async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let read = 0;
  while (read < buffer.length) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, offset + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
