/** Decompresses one format, never producing more than a cap: small bodies in one call, large ones in the thread pool. */
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import type { BodyShare } from "./body-budget.ts";
import { FetchError } from "./fetch-errors.ts";
import type { MayGrow, Truncation } from "./http-types.ts";
import { ByteSink } from "./response.ts";

export interface Decoded {
  body: Buffer;
  truncated: Truncation | null;
}

/** How much may be produced. */
export interface Room {
  cap: number;
  /** The owner of the memory may allow less. */
  mayGrow: MayGrow | null;
  /** What it uses of the memory that all bodies share. */
  share?: BodyShare | null;
}

/** What the bytes really are: `deflate` names two formats. */
export type Format = "gzip" | "zlib" | "raw" | "br" | "zstd";

/** Below this size, one synchronous call is several times faster than a stream; above it, the thread pool does the work. */
const SYNC_BYTES = 256 * 1024;
/** One call never produces more than this, because it cannot be stopped and cannot share memory with others. */
const SYNC_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Each frame needs a new decoder: a body of tiny frames is an attack on the processor. */
const MAX_ZSTD_FRAMES = 1_024;

/** RFC 9659 section 3: a zstd content coding needs a window of at most 8 MB. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

/** Output is produced in pieces of this size if the length is not known. */
const PIECE_BYTES = 64 * 1024;
const LARGEST_PIECE_BYTES = 1024 * 1024;

const SYNC = {
  gzip: gunzipSync,
  zlib: inflateSync,
  raw: inflateRawSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} satisfies Record<Format, unknown>;

const STREAM = {
  gzip: createGunzip,
  zlib: createInflate,
  raw: createInflateRaw,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} satisfies Record<Format, unknown>;

const FLUSH: Record<Format, number> = {
  gzip: constants.Z_SYNC_FLUSH,
  zlib: constants.Z_SYNC_FLUSH,
  raw: constants.Z_SYNC_FLUSH,
  br: constants.BROTLI_OPERATION_FLUSH,
  zstd: constants.ZSTD_e_flush,
};

/** `partial` means that the bytes are known to be cut off: whatever can be decoded is then the answer. */
export function decompress(bytes: Buffer, format: Format, room: Room, partial: boolean): Decoded | Promise<Decoded> {
  if (bytes.length > SYNC_BYTES) return decodeStreaming(bytes, format, room, partial);
  try {
    const cap = Math.min(room.cap, SYNC_OUTPUT_BYTES);
    return { body: decodeSync(bytes, format, cap, partial), truncated: null };
  } catch (error) {
    if (error instanceof FetchError) throw error;
    // The one-shot functions return nothing above the cap; the stream returns what fits.
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return decodeStreaming(bytes, format, room, partial);
    const other = repair(bytes, format, partial, error);
    return mark(decompress(other.bytes, other.format, room, other.partial), other.truncated);
  }
}

function decodeSync(bytes: Buffer, format: Format, cap: number, partial: boolean): Buffer {
  if (format !== "zstd") return SYNC[format](bytes, syncOptions(bytes, format, cap, partial));
  const frames = framesOf(bytes);
  if (frames.length === 1) return SYNC.zstd(frames[0]!, syncOptions(bytes, format, cap, partial));
  const bodies: Buffer[] = [];
  let room = cap;
  for (const frame of frames) {
    const body = SYNC.zstd(frame, syncOptions(frame, format, Math.max(1, room), partial));
    room -= body.length;
    bodies.push(body);
  }
  if (room < 0) throw Object.assign(new Error("over the cap"), { code: "ERR_BUFFER_TOO_LARGE" });
  return Buffer.concat(bodies);
}

function syncOptions(bytes: Buffer, format: Format, cap: number, partial: boolean) {
  return { maxOutputLength: cap, chunkSize: pieceSize(bytes, format), ...optionsOf(format, partial) };
}

function optionsOf(format: Format, partial: boolean) {
  return {
    ...(partial ? { finishFlush: FLUSH[format] } : {}),
    ...(format === "zstd" ? { params: ZSTD_PARAMS } : {}),
  };
}

/** One piece as large as the whole output saves half the time. Gzip ends with that length (RFC 1952); otherwise it is guessed. */
function pieceSize(bytes: Buffer, format: Format): number {
  const size = format === "gzip" && bytes.length > 18 ? bytes.readUInt32LE(bytes.length - 4) + 1 : bytes.length * 6;
  return Math.max(1_024, Math.min(size, LARGEST_PIECE_BYTES, bytes.length * 100));
}

async function decodeStreaming(bytes: Buffer, format: Format, room: Room, partial: boolean): Promise<Decoded> {
  const sink = new ByteSink(0);
  let left = room.cap;
  for (const frame of format === "zstd" ? framesOf(bytes) : [bytes]) {
    const stream = STREAM[format]({ chunkSize: PIECE_BYTES, ...optionsOf(format, partial) });
    stream.end(frame);
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        const kept = piece.subarray(0, left);
        if (room.mayGrow?.(room.cap - left + kept.length) === false) throw noRoom();
        sink.write(kept);
        if (room.share?.add(kept.length) === false) await new Promise<void>((goOn) => room.share!.wait(goOn));
        if (piece.length > left) return { body: sink.bytes(), truncated: "decoded" };
        left -= piece.length;
      }
    } catch (error) {
      if (error instanceof FetchError) throw error;
      const other = repair(bytes, format, partial, error);
      return mark(await decodeStreaming(other.bytes, other.format, room, other.partial), other.truncated);
    }
  }
  return { body: sink.bytes(), truncated: null };
}

export const noRoom = (): FetchError => new FetchError("aborted", "there is no room for the body");

function framesOf(bytes: Buffer): Buffer[] {
  const frames = zstdFrames(bytes, MAX_ZSTD_FRAMES);
  if (frames === null) throw new FetchError("bad_encoding", "too many zstd frames");
  return frames;
}

interface Repair {
  bytes: Buffer;
  format: Format;
  partial: boolean;
  truncated: Truncation | null;
}

/** Accepts what browsers accept: a body that ends early, garbage after it, and deflate that only looks like zlib. Otherwise throws. */
function repair(bytes: Buffer, format: Format, partial: boolean, error: unknown): Repair {
  const code = codeOf(error);
  if (code === "Z_BUF_ERROR" && !partial) return { bytes, format, partial: true, truncated: "encoding" };
  if (code === "Z_DATA_ERROR" && format === "zlib") return { bytes, format: "raw", partial, truncated: null };
  if (code === "Z_DATA_ERROR" && format === "gzip" && /header/.test(String(error))) {
    const start = gzipBodyStart(bytes);
    if (start !== null) return { bytes: bytes.subarray(start), format: "raw", partial, truncated: null };
  }
  throw new FetchError("bad_encoding", `${format}: ${code}`, { cause: error });
}

function mark(decoded: Decoded | Promise<Decoded>, truncated: Truncation | null): Decoded | Promise<Decoded> {
  if (decoded instanceof Promise) return decoded.then((value) => mark(value, truncated));
  // If it was cut off before its first decoded byte, there is no body.
  if (truncated === "encoding" && decoded.body.length === 0) throw new FetchError("bad_encoding", "ends at once");
  return { body: decoded.body, truncated: decoded.truncated ?? truncated };
}

/** Where the deflate data of a gzip member begins (RFC 1952 section 2.3); null when this is not a gzip header. */
function gzipBodyStart(bytes: Buffer): number | null {
  if (bytes.length < 18 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return null;
  const flags = bytes[3]!;
  let position = 10;
  if ((flags & 4) !== 0) position += 2 + bytes.readUInt16LE(position);
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, position);
    if (end < 0) return null;
    position = end + 1;
  }
  if ((flags & 2) !== 0) position += 2;
  return position < bytes.length ? position : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;

/**
 * The frames of a zstd body (RFC 8878 section 3.1) without skippable ones, because node:zlib decodes the first frame
 * and silently drops the rest. Bytes that are not a frame end the list, since a decoder would stop there; a truncated
 * frame is the last piece. Null when there are more than `limit` frames.
 */
export function zstdFrames(bytes: Buffer, limit: number): Buffer[] | null {
  const frames: Buffer[] = [];
  let position = 0;
  while (position + 4 <= bytes.length) {
    const magic = bytes.readUInt32LE(position);
    if (magic >>> 4 === SKIPPABLE_MAGIC >>> 4) {
      if (position + 8 > bytes.length) break;
      position += 8 + bytes.readUInt32LE(position + 4);
      continue;
    }
    if (magic !== FRAME_MAGIC) {
      if (frames.length === 0) frames.push(bytes);
      break;
    }
    if (frames.length === limit) return null;
    const end = frameEnd(bytes, position);
    frames.push(bytes.subarray(position, end));
    position = end;
  }
  return frames.length === 0 ? [bytes] : frames;
}

function frameEnd(bytes: Buffer, start: number): number {
  const descriptor = bytes[start + 4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const contentSizeBytes = sizeFlag === 0 ? (singleSegment ? 1 : 0) : 1 << sizeFlag;
  let position = start + 5 + (singleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes;
  for (;;) {
    if (position + 3 > bytes.length) return bytes.length;
    const header = bytes.readUIntLE(position, 3);
    const type = (header >> 1) & 3;
    // An RLE block holds one byte, to be repeated.
    position += 3 + (type === 1 ? 1 : header >> 3);
    if ((header & 1) === 1) break;
  }
  return Math.min(bytes.length, position + ((descriptor & 4) !== 0 ? 4 : 0));
}
