/** A CARv1 as a container: its header, and where each of its blocks begins and ends. */
import { ARRAY, CborProblem, CborReader, MAP, TEXT, UNSIGNED } from "./cbor-reader.ts";
import { LARGEST_CAR_BYTES, LARGEST_HEADER_BYTES, RepoParseError } from "./parsed-repo.ts";

const SHA_256 = 0x12;
const DIGEST_BYTES = 32;

/** A cursor, so that no object is created per block. */
export class CarSections {
  readonly #car: Uint8Array;
  #at: number;
  /** The digest of the first root, as an offset. */
  readonly rootDigest: number;
  /** The block under the cursor. Its digest is the 32 bytes before `dataStart`. */
  dataStart = 0;
  dataEnd = 0;

  constructor(car: Uint8Array) {
    if (car.length > LARGEST_CAR_BYTES) throw broken("it is larger than 2 GiB");
    this.#car = car;
    this.#at = 0;
    const length = this.#varint();
    if (length === 0 || length > LARGEST_HEADER_BYTES) throw broken("it does not begin with the header of a CAR");
    if (length > car.length - this.#at) throw broken("it is cut off in its header");
    const first = this.#at + length;
    try {
      this.rootDigest = firstRoot(car, this.#at, first);
    } catch (problem) {
      if (problem instanceof CborProblem) throw broken(`its header ${problem.reason}`);
      throw problem;
    }
    this.#at = first;
  }

  /** Moves to the next block that is named by a SHA-256. Others cannot be part of a repo, and are skipped. */
  next(): boolean {
    const car = this.#car;
    while (this.#at < car.length) {
      const begin = this.#at;
      const length = this.#varint();
      const start = this.#at;
      const end = start + length;
      if (length === 0 || end > car.length) throw broken(`it is cut off or out of step at byte ${begin}`);
      this.dataEnd = end;
      // Nearly every block of a repo: CIDv1, DAG-CBOR, SHA-256, 32 bytes.
      if (
        car[start] === 1 &&
        car[start + 1] === 0x71 &&
        car[start + 2] === SHA_256 &&
        car[start + 3] === DIGEST_BYTES
      ) {
        this.dataStart = start + 36;
        if (this.dataStart > end) throw broken(`it has a block too short for its CID at byte ${begin}`);
        this.#at = end;
        return true;
      }
      const named = this.#otherCid(end, begin);
      this.#at = end;
      if (named) return true;
    }
    return false;
  }

  #otherCid(end: number, begin: number): boolean {
    const car = this.#car;
    let hash = SHA_256;
    let digestBytes = DIGEST_BYTES;
    if (car[this.#at] === SHA_256 && car[this.#at + 1] === DIGEST_BYTES) {
      this.#at += 2;
    } else {
      if (this.#varint() !== 1) throw broken(`it has a CID of an unknown version at byte ${begin}`);
      this.#varint();
      hash = this.#varint();
      digestBytes = this.#varint();
    }
    this.dataStart = this.#at + digestBytes;
    if (this.dataStart > end) throw broken(`it has a block too short for its CID at byte ${begin}`);
    return hash === SHA_256 && digestBytes === DIGEST_BYTES;
  }

  /** Unsigned LEB128 of at most 31 bits: no length in a CAR of this size needs more. */
  #varint(): number {
    const car = this.#car;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.#at >= car.length) throw broken("it is cut off");
      const byte = car[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      // The fifth byte has only three bits left before the sign.
      if (value < 0 || (shift === 28 && byte > 7)) break;
      if (byte < 0x80) return value;
    }
    throw broken(`it has a number that is too large at byte ${this.#at}`);
  }
}

/** `{roots: [CID, …], version: 1}`. */
function firstRoot(car: Uint8Array, start: number, end: number): number {
  const reader = new CborReader(car);
  reader.enter(start, end);
  let root = -1;
  let version = 0;
  for (let left = reader.expect(MAP, "map"); left > 0; left--) {
    const length = reader.expect(TEXT, "key");
    const key = reader.latin1(reader.at, (reader.at += length));
    if (key === "roots") {
      let roots = reader.expect(ARRAY, "list of roots");
      if (roots === 0) throw new CborProblem("names no root");
      root = reader.link("root");
      for (; roots > 1; roots--) reader.skip();
    } else if (key === "version") {
      version = reader.expect(UNSIGNED, "version");
    } else {
      reader.skip();
    }
  }
  reader.expectEnd();
  if (version !== 1) throw new CborProblem(`is of version ${version}, not 1`);
  if (root < 0) throw new CborProblem("names no root");
  return root;
}

function broken(reason: string): RepoParseError {
  return new RepoParseError("invalid_car", `The CAR cannot be read: ${reason}.`);
}
