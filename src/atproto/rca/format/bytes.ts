/** Bytes of a segment: what is wrong with them, the order of strings, and reading fields from a buffer or pieces of a file. */
import type { FileHandle } from "node:fs/promises";

/** Bytes that are not what the format says; the reader of a file turns it into a report with the offset. */
export class BadBytes extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "BadBytes";
  }
}

/** A place in a segment that could not be read, as it is reported to people. */
export interface Damage {
  path: string;
  /** Where it begins in the file. */
  offset: number;
  /** The DID of the repo, if known. */
  did: string | null;
  reason: string;
  /** The end of an unfinished segment, where a block is cut off: left by a crash, or by a writer at work. */
  torn: boolean;
}

/** The reason of a BadBytes error; any other error is rethrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof BadBytes) return error.message;
  throw error;
}

const FIRST_SURROGATE = 0xd800;

/**
 * The order of the format: strings compared by their UTF-8 bytes.
 *
 * UTF-16, the order of JavaScript, differs only where a surrogate pair (beyond U+FFFF) meets U+E000 to U+FFFF: there the
 * pair is the greater one.
 */
export function compareBytewise(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    if (left < FIRST_SURROGATE || right < FIRST_SURROGATE) return left - right;
    return (a.codePointAt(index) ?? left) - (b.codePointAt(index) ?? right);
  }
  return a.length - b.length;
}

/** Reads little-endian fields one after another; a length that reaches beyond the end is bad bytes, never a crash. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position: number;

  constructor(bytes: Buffer, position = 0) {
    this.#bytes = bytes;
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#take(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  i64(): bigint {
    return this.#bytes.readBigInt64LE(this.#take(8));
  }

  /** An i64 that is a place in a file. */
  offset(): number {
    const value = this.i64();
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BadBytes(`${value} is not an offset`);
    return Number(value);
  }

  bytes(length: number): Buffer {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Preceded by a u16 length. */
  text(): string {
    const length = this.u16();
    const start = this.#take(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  #take(length: number): number {
    const start = this.#position;
    if (length > this.#bytes.length - start) {
      throw new BadBytes(`a field of ${length} bytes reaches beyond the end`);
    }
    this.#position = start + length;
    return start;
  }
}

const NOTHING = Buffer.alloc(0);

/** Reads a file in pieces that follow one another, with read-ahead. What it returned stays valid when it reads on. */
export class FileWindow {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #ahead: number;
  #bytes: Buffer = NOTHING;
  #start = 0;

  constructor(handle: FileHandle, size: number, ahead: number) {
    this.#handle = handle;
    this.size = size;
    this.#ahead = ahead;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    if (offset + length > this.size) throw new BadBytes(`${length} bytes reach beyond the end of the file`);
    if (offset < this.#start || offset + length > this.#start + this.#bytes.length) {
      const wanted = Math.min(Math.max(length, this.#ahead), this.size - offset);
      const bytes = await readAt(this.#handle, offset, wanted);
      if (bytes.length < length) throw new BadBytes("the file became shorter while it was read");
      // Keeping a large block would only use memory.
      if (length > this.#ahead) return bytes;
      this.#bytes = bytes;
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}

/** Fewer bytes than asked for at the end of the file. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, offset + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
