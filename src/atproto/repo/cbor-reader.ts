/** Reads DAG-CBOR in place: heads, texts and links as offsets into the bytes; every length is checked against the end. */
import { LARGEST_CAR_BYTES } from "./parsed-repo.ts";

export const UNSIGNED = 0;
export const NEGATIVE = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
export const TAG = 6;
export const SIMPLE = 7;

/** `value` of a head whose argument has more than 31 bits; `wide()` returns it. */
export const WIDE = -1;

export const NULL_BYTE = 0xf6;
/** Tag 42, 37 bytes, the zero before a CID, then CIDv1, DAG-CBOR, SHA-256, 32 bytes: compared as integers. */
const LINK_PREFIX_0 = 0xd82a5825 | 0;
const LINK_PREFIX_4 = 0x00017112;
const LINK_PREFIX_8 = 0x20;
const LINK_PREFIX_BYTES = 9;
const DIGEST_BYTES = 32;

/** Not an Error: a hostile repo may contain a million broken records, and a stack trace for each would take minutes. */
export class CborProblem {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export class CborReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at = 0;
  end = 0;
  /** Of the last head: its major type, its low five bits, and its argument. Small integers only, for speed. */
  major = 0;
  info = 0;
  value = 0;

  constructor(bytes: Uint8Array) {
    if (bytes.length > LARGEST_CAR_BYTES) throw new RangeError("too many bytes");
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The range to be read next. */
  enter(start: number, end: number): void {
    this.at = start;
    this.end = end;
  }

  head(): void {
    if (this.at >= this.end) throw new CborProblem("ends too early");
    const head = this.bytes[this.at++]!;
    const info = head & 31;
    this.major = head >> 5;
    this.info = info;
    if (info < 24) this.value = info;
    else this.#argument(info);
  }

  #argument(info: number): void {
    if (info > 27)
      throw new CborProblem(info === 31 ? "has a length that is left open" : "has a head that is reserved");
    const start = this.at;
    this.at += 1 << (info - 24);
    if (this.at > this.end) throw new CborProblem("ends too early");
    if (info === 24) this.value = this.bytes[start]!;
    else if (info === 25) this.value = this.view.getUint16(start);
    else if (info === 26) this.value = narrow(this.view.getInt32(start));
    else this.value = this.view.getInt32(start) === 0 ? narrow(this.view.getInt32(start + 4)) : WIDE;
  }

  /** The argument of the last head when it was too wide for `value`. */
  wide(): bigint {
    return this.info === 26 ? BigInt(this.view.getUint32(this.at - 4)) : this.view.getBigUint64(this.at - 8);
  }

  /** The length of the item whose head was read; its bytes begin at `at`. */
  length(): number {
    const length = this.value;
    if (length < 0 || length > this.end - this.at) throw new CborProblem("has a length beyond its end");
    return length;
  }

  /** The length of the text that comes next, with `at` behind its head; -1 when it is not a text of less than 256 bytes. */
  shortText(): number {
    const { bytes, at, end } = this;
    const head = at < end ? bytes[at]! : 0;
    if (head < 0x60 || head > 0x78 || at + 1 >= end) return -1;
    const start = head === 0x78 ? at + 2 : at + 1;
    const length = head === 0x78 ? bytes[at + 1]! : head - 0x60;
    if (length > end - start) return -1;
    this.at = start;
    return length;
  }

  /** How many items or pairs follow: never more than there are bytes. */
  expect(major: typeof ARRAY | typeof MAP | typeof TEXT | typeof BYTES | typeof UNSIGNED, what: string): number {
    this.head();
    if (this.major !== major) throw new CborProblem(`${what} has the wrong type`);
    return major === UNSIGNED ? this.value : this.length();
  }

  /** The offset of the 32 bytes of a link's digest. */
  link(what: string): number {
    const { view, at } = this;
    const digest = at + LINK_PREFIX_BYTES;
    const known =
      digest + DIGEST_BYTES <= this.end &&
      view.getInt32(at) === LINK_PREFIX_0 &&
      view.getInt32(at + 4) === LINK_PREFIX_4 &&
      view.getUint8(at + 8) === LINK_PREFIX_8;
    if (!known) throw new CborProblem(`${what} is not a link to DAG-CBOR by SHA-256`);
    this.at = digest + DIGEST_BYTES;
    return digest;
  }

  /** The same, or -1 for null. */
  linkOrNull(what: string): number {
    if (this.at < this.end && this.bytes[this.at] === NULL_BYTE) {
      this.at++;
      return -1;
    }
    return this.link(what);
  }

  /** Skips one item, whatever it contains. */
  skip(): void {
    for (let left = 1; left > 0; left--) {
      this.head();
      const major = this.major;
      if (major === BYTES || major === TEXT) this.at += this.length();
      else if (major === ARRAY) left += this.length();
      else if (major === MAP) left += 2 * this.length();
      else if (major === TAG) left++;
    }
  }

  /** ASCII and Latin-1, for texts that were checked or are only compared. */
  latin1(start: number, end: number): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, end - start).toString("latin1");
  }

  expectEnd(): void {
    if (this.at !== this.end) throw new CborProblem("has bytes after its end");
  }
}

function narrow(value: number): number {
  return value < 0 ? WIDE : value;
}
