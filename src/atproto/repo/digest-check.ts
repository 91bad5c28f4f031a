/** Holds blocks of a CAR against the SHA-256 that they are named by, many at a time. */
import { hash } from "node:crypto";
import { encodeCid } from "./multibase.ts";
import { RepoParseError } from "./parsed-repo.ts";

const DIGEST_BYTES = 32;

export class DigestCheck {
  readonly #car: Uint8Array;
  readonly #view: DataView;
  /** Asking a typed array for its buffer costs a call each time. */
  readonly #memory: ArrayBufferLike;
  readonly #offset: number;
  /**
   * The digests, laid end to end. A string of bytes (Latin-1) is by far the quickest form in which Node hands one out, and
   * taking the bytes out of many together is quicker than asking each for its characters.
   */
  #found = "";
  readonly #digests: Buffer<ArrayBuffer>;
  readonly #digestsView: DataView;

  /** At most so many blocks are checked at a time. */
  constructor(car: Uint8Array, most: number) {
    this.#car = car;
    this.#memory = car.buffer;
    this.#offset = car.byteOffset;
    this.#view = new DataView(car.buffer, car.byteOffset, car.length);
    this.#digests = Buffer.alloc(most * DIGEST_BYTES);
    this.#digestsView = new DataView(this.#digests.buffer, this.#digests.byteOffset, this.#digests.length);
  }

  /** Takes the SHA-256 of the next block. */
  add(start: number, end: number): void {
    this.#found += hash("sha256", new Uint8Array(this.#memory, this.#offset + start, end - start), "binary");
  }

  /** `blocks` has the start and the end of all that were added, from one place to another. Digests stand before starts. */
  check(blocks: Int32Array, from: number, to: number): void {
    const view = this.#view;
    const digests = this.#digestsView;
    this.#digests.write(this.#found, "latin1");
    this.#found = "";
    for (let digest = 0, at = from; at < to; digest += DIGEST_BYTES, at += 2) {
      const named = blocks[at]! - DIGEST_BYTES;
      for (let byte = 0; byte < DIGEST_BYTES; byte += 4) {
        if (view.getInt32(named + byte) !== digests.getInt32(digest + byte)) throw this.#wrong(named);
      }
    }
  }

  #wrong(digest: number): RepoParseError {
    const cid = encodeCid(this.#car, digest);
    return new RepoParseError(
      "invalid_car",
      `The CAR cannot be read: block ${cid} does not have the hash it is named by.`,
    );
  }
}
