/** Reads little-endian fields one after another; a length that reaches beyond the end is bad bytes, never a crash. */
import { BadBytes } from "./bad-bytes.ts";

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
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BadBytes(`${value} is no offset`);
    return Number(value);
  }

  bytes(length: number): Buffer {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** With a u16 length before it. */
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
