/** Where each block of a CAR is, found by its digest: offsets in a typed array and open addressing, no object per block. */
import { hash } from "node:crypto";
import { CarSections } from "./car-sections.ts";
import { encodeCid } from "./multibase.ts";
import { RepoParseError } from "./repo-error.ts";

const DIGEST_BYTES = 32;
const DIGEST_WORDS = 8;
/** What a slot holds, side by side so that a look-up misses the cache once: start, end, and the hash of the digest. */
const SLOT = 3;
/** A guess that is rarely too low. */
const USUAL_BLOCK_BYTES = 200;

export interface IndexOptions {
  /** Hold every block against its digest. */
  verify: boolean;
  /** From 0 to 1. It keys the hash, so that nobody can choose digests that all meet in one slot. */
  random: () => number;
}

export class BlockIndex {
  readonly rootDigest: number;
  readonly #view: DataView;
  readonly #factors: Int32Array;
  #slots: Int32Array;
  #slotCount: number;
  #count = 0;

  constructor(car: Uint8Array, options: IndexOptions) {
    const sections = new CarSections(car);
    this.rootDigest = sections.rootDigest;
    this.#view = new DataView(car.buffer, car.byteOffset, car.length);
    this.#factors = Int32Array.from({ length: DIGEST_WORDS }, () => Math.floor(options.random() * 2 ** 32) | 1);
    this.#slotCount = 2 ** Math.ceil(Math.log2(car.length / USUAL_BLOCK_BYTES + 4));
    this.#slots = new Int32Array(SLOT * this.#slotCount);
    while (sections.next()) {
      const { dataStart, dataEnd } = sections;
      if (options.verify) check(car, dataStart, dataEnd);
      this.#add(dataStart, dataEnd);
    }
  }

  /** Block numbers are less than this. */
  get size(): number {
    return this.#slots.length;
  }

  /** What this index holds in memory. */
  get byteLength(): number {
    return this.#slots.byteLength;
  }

  /** The number of the block whose digest stands at this offset of the CAR, or -1. */
  find(digest: number): number {
    const slot = this.#slot(digest, this.#hash(digest));
    return this.#slots[slot] === 0 ? -1 : slot;
  }

  start(block: number): number {
    return this.#slots[block]!;
  }

  end(block: number): number {
    return this.#slots[block + 1]!;
  }

  #add(start: number, end: number): void {
    const mixed = this.#hash(start - DIGEST_BYTES);
    const slot = this.#slot(start - DIGEST_BYTES, mixed);
    // A block that came before: the first stays.
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = start;
    this.#slots[slot + 1] = end;
    this.#slots[slot + 2] = mixed;
    if (++this.#count > this.#slotCount * 0.75) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#slotCount *= 2;
    this.#slots = new Int32Array(SLOT * this.#slotCount);
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue;
      let slot = this.#firstSlot(old[from + 2]!);
      while (this.#slots[slot] !== 0) slot = slot + SLOT === this.#slots.length ? 0 : slot + SLOT;
      this.#slots.set(old.subarray(from, from + SLOT), slot);
    }
  }

  /** All words count: without verification, whoever wrote the CAR chose them. */
  #hash(digest: number): number {
    const view = this.#view;
    const factors = this.#factors;
    let mixed = 0;
    for (let word = 0; word < DIGEST_WORDS; word++) {
      mixed = (mixed + Math.imul(view.getInt32(digest + 4 * word), factors[word]!)) | 0;
    }
    return mixed;
  }

  /** By the high bits: in a product they depend on all bits below, the low ones do not. */
  #firstSlot(mixed: number): number {
    return SLOT * (mixed >>> (Math.clz32(this.#slotCount) + 1));
  }

  /** The slot of this digest, or the empty one where it belongs. */
  #slot(digest: number, mixed: number): number {
    const view = this.#view;
    const slots = this.#slots;
    let slot = this.#firstSlot(mixed);
    for (let start = slots[slot]!; start !== 0; start = slots[slot]!) {
      if (slots[slot + 2] === mixed) {
        const other = start - DIGEST_BYTES;
        let byte = 0;
        while (byte < DIGEST_BYTES && view.getInt32(digest + byte) === view.getInt32(other + byte)) byte += 4;
        if (byte === DIGEST_BYTES) return slot;
      }
      slot = slot + SLOT === slots.length ? 0 : slot + SLOT;
    }
    return slot;
  }
}

function check(car: Uint8Array, start: number, end: number): void {
  // As a string of bytes ("binary" is Latin-1): by far the quickest form in which Node hands out a digest.
  const found = hash("sha256", new Uint8Array(car.buffer, car.byteOffset + start, end - start), "binary");
  for (let index = 0; index < DIGEST_BYTES; index++) {
    if (found.charCodeAt(index) !== car[start - DIGEST_BYTES + index]) {
      const cid = encodeCid(car, start - DIGEST_BYTES);
      throw new RepoParseError(
        "invalid_car",
        `The CAR cannot be read: block ${cid} does not have the hash it is named by.`,
      );
    }
  }
}
