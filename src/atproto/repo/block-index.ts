/** Where each block of a CAR is, found by its digest: offsets in typed arrays and open addressing, no object per block. */

import { hash } from "node:crypto";
import { CarSections } from "./car-sections.ts";
import { encodeCid } from "./multibase.ts";
import { RepoParseError } from "./parsed-repo.ts";

const DIGEST_BYTES = 32;
const DIGEST_WORDS = 8;
/** A guess that is rarely too low. */
const USUAL_BLOCK_BYTES = 200;
const FEWEST_BITS = 7;
/** At most this share of the slots is used. */
const MOST_FILLED = 0.75;
/**
 * Blocks that are read, checked, added or looked up together. Memory takes a hundred times as long to answer as a cache,
 * but it answers many at once, if they are asked for in a short loop with nothing else in it.
 */
const BATCH = 64;

export interface IndexOptions {
  /** Compare every block with its digest. */
  verify: boolean;
  /** From 0 to 1. It keys the hash, so that no one can choose digests that all fall into one slot. */
  random: () => number;
}

/** Blocks are numbered from 1 in the order of the CAR. */
export class BlockIndex {
  readonly rootDigest: number;
  readonly #view: DataView;
  readonly #factors: Int32Array;
  /** Start and end of each block. Entry 0 is not a block, but has a digest that can be read. */
  #blocks: Int32Array;
  #last = 0;
  /** Numbers of blocks, and above each as many bits of its hash as fit; 0 where nothing is. */
  #slots: Int32Array;
  /** There are two to the power of this many slots. */
  #bits: number;
  /** Of the batch at hand: the hashes, and what their first slots hold. */
  readonly #hashes = new Int32Array(BATCH);
  readonly #held = new Int32Array(BATCH);
  readonly #firstWords = new Int32Array(BATCH);

  constructor(car: Uint8Array, options: IndexOptions) {
    const sections = new CarSections(car);
    this.rootDigest = sections.rootDigest;
    this.#view = new DataView(car.buffer, car.byteOffset, car.length);
    // If digests are not verified, the author of the CAR may have chosen them, so all words count. No one can choose two words of many real SHA-256 digests.
    const words = options.verify ? 2 : DIGEST_WORDS;
    this.#factors = Int32Array.from({ length: words }, () => Math.floor(options.random() * 2 ** 32) | 1);
    this.#bits = Math.max(FEWEST_BITS, Math.ceil(Math.log2(car.length / USUAL_BLOCK_BYTES)));
    this.#slots = new Int32Array(2 ** this.#bits);
    this.#blocks = new Int32Array(2 * MOST_FILLED * this.#slots.length);
    this.#blocks.fill(this.rootDigest + DIGEST_BYTES, 0, 2);
    const check = options.verify ? new DigestCheck(car, BATCH) : null;
    for (let more = true; more; ) {
      const first = this.#last + 1;
      more = this.#read(sections, check);
      check?.check(this.#blocks, 2 * first, 2 * (this.#last + 1));
      this.#add(first);
    }
  }

  /** Block numbers are less than this. */
  get size(): number {
    return this.#last + 1;
  }

  /** How much memory this index uses. */
  get byteLength(): number {
    return this.#slots.byteLength + this.#blocks.byteLength;
  }

  /** The number of the block whose digest is at this offset of the CAR, or 0. */
  find(digest: number): number {
    return this.#slots[this.#slot(digest, this.#hash(digest))]! & (this.#slots.length - 1);
  }

  /** The same for many, much faster. */
  findAll(digests: Int32Array, count: number, found: Int32Array): void {
    for (let from = 0; from < count; from += BATCH)
      this.#findBatch(digests, from, Math.min(count, from + BATCH), found);
  }

  start(block: number): number {
    return this.#blocks[2 * block]!;
  }

  end(block: number): number {
    return this.#blocks[2 * block + 1]!;
  }

  /** Reads the next blocks; false when they are the last. */
  #read(sections: CarSections, check: DigestCheck | null): boolean {
    const end = 2 * (this.#last + 1 + BATCH);
    if (end > this.#blocks.length) this.#grow();
    const blocks = this.#blocks;
    let at = 2 * (this.#last + 1);
    for (; at < end && sections.next(); at += 2) {
      const { dataStart, dataEnd } = sections;
      blocks[at] = dataStart;
      blocks[at + 1] = dataEnd;
      check?.add(dataStart, dataEnd);
    }
    this.#last = at / 2 - 1;
    return at === end;
  }

  #grow(): void {
    const blocks = this.#blocks;
    this.#bits++;
    this.#slots = new Int32Array(2 ** this.#bits);
    this.#blocks = new Int32Array(2 * MOST_FILLED * this.#slots.length);
    this.#blocks.set(blocks);
    for (let first = 1; first <= this.#last; first += BATCH) this.#add(first);
  }

  /** Adds a batch of blocks. Of two with the same digest, the first is kept. */
  #add(first: number): void {
    const end = Math.min(this.#last + 1, first + BATCH);
    const blocks = this.#blocks;
    const slots = this.#slots;
    const hashes = this.#hashes;
    const held = this.#held;
    const shift = 32 - this.#bits;
    for (let block = first; block < end; block++) {
      hashes[block - first] = this.#hash(blocks[2 * block]! - DIGEST_BYTES);
    }
    for (let index = 0; index < end - first; index++) held[index] = slots[hashes[index]! >>> shift]!;
    for (let block = first; block < end; block++) {
      const hash = hashes[block - first]!;
      let slot = hash >>> shift;
      if (held[block - first] !== 0 || slots[slot] !== 0) slot = this.#slot(blocks[2 * block]! - DIGEST_BYTES, hash);
      if (slots[slot] === 0) slots[slot] = (hash << this.#bits) | block;
    }
  }

  #findBatch(digests: Int32Array, from: number, to: number, found: Int32Array): void {
    const view = this.#view;
    const blocks = this.#blocks;
    const slots = this.#slots;
    const hashes = this.#hashes;
    const held = this.#held;
    const firstWords = this.#firstWords;
    const shift = 32 - this.#bits;
    const numbers = slots.length - 1;
    const count = to - from;
    for (let at = 0; at < count; at++) hashes[at] = this.#hash(digests[from + at]!);
    for (let at = 0; at < count; at++) held[at] = slots[hashes[at]! >>> shift]!;
    for (let at = 0; at < count; at++) {
      const hash = hashes[at]!;
      if (((held[at]! ^ (hash << this.#bits)) & ~numbers) !== 0) held[at] = slots[this.#likely(hash >>> shift, hash)]!;
    }
    for (let at = 0; at < count; at++) {
      firstWords[at] = view.getInt32(blocks[2 * (held[at]! & numbers)]! - DIGEST_BYTES, true);
    }
    for (let at = 0; at < count; at++) {
      const digest = digests[from + at]!;
      const block = held[at]! & numbers;
      const isIt = block > 0 && firstWords[at] === view.getInt32(digest, true) && this.#isNamed(block, digest);
      found[from + at] = isIt ? block : this.find(digest);
    }
  }

  #hash(digest: number): number {
    const view = this.#view;
    const factors = this.#factors;
    let hash = 0;
    for (let word = 0; word < factors.length; word++) {
      hash = (hash + Math.imul(view.getInt32(digest + 4 * word, true), factors[word]!)) | 0;
    }
    return hash;
  }

  /** The slot of this digest, or the empty one where it belongs. */
  #slot(digest: number, hash: number): number {
    const slots = this.#slots;
    const numbers = slots.length - 1;
    // By the high bits: in a product they depend on all bits below, the low ones do not.
    let slot = this.#likely(hash >>> (32 - this.#bits), hash);
    while (slots[slot] !== 0 && !this.#isNamed(slots[slot]! & numbers, digest)) {
      slot = this.#likely((slot + 1) & numbers, hash);
    }
    return slot;
  }

  /** The first slot from here on that is empty or contains the stored bits of this hash. */
  #likely(from: number, hash: number): number {
    const slots = this.#slots;
    const numbers = slots.length - 1;
    const above = hash << this.#bits;
    let slot = from;
    for (let held = slots[slot]!; held !== 0 && (held & ~numbers) !== above; held = slots[slot]!) {
      slot = (slot + 1) & numbers;
    }
    return slot;
  }

  #isNamed(block: number, digest: number): boolean {
    const view = this.#view;
    const named = this.#blocks[2 * block]! - DIGEST_BYTES;
    for (let byte = 0; byte < DIGEST_BYTES; byte += 4) {
      if (view.getInt32(digest + byte, true) !== view.getInt32(named + byte, true)) return false;
    }
    return true;
  }
}

/** Compares blocks of a CAR with the SHA-256 in their CIDs, many at a time. */
class DigestCheck {
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

  /** The maximum number of blocks checked at a time. */
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
      `The CAR cannot be read: block ${cid} does not match the hash in its CID.`,
    );
  }
}
