/** Pairs of ids, possibly tens of millions, in the order in which they are added: by source. */

/** A larger array would have to be copied to grow, and both copies take memory. */
const BLOCK = 1 << 20;

export class Edges {
  readonly #blocks: Int32Array<ArrayBuffer>[] = [];
  /** Sources that have edges, in order, and how many each has. */
  readonly #sources: Int32Array;
  readonly #counts: Int32Array;
  #last = -1;
  #length = 0;

  /** `size` is one more than the largest id. The edges of a source are added one after another. */
  constructor(size: number) {
    this.#sources = new Int32Array(size);
    this.#counts = new Int32Array(size);
  }

  add(source: number, target: number): void {
    const at = this.#length % BLOCK;
    if (at === 0) this.#blocks.push(new Int32Array(BLOCK));
    this.#blocks.at(-1)![at] = target;
    this.#length++;
    if (this.#last < 0 || this.#sources[this.#last] !== source) this.#sources[++this.#last] = source;
    this.#counts[this.#last]!++;
  }

  /** Frees their memory now instead of waiting for the garbage collector, because the next steps need memory too. */
  release(): void {
    for (const block of this.#blocks) block.buffer.transfer(0);
    this.#blocks.length = 0;
    this.#length = 0;
  }

  /**
   * Gives each target its share of its source's value; `into` and `of` are indexed by id. Calling a method for each of
   * millions of edges would take longer.
   */
  share(of: Float64Array, into: Float64Array): void {
    let left = this.#length;
    let index = -1;
    let untilNext = 0;
    let part = 0;
    for (const block of this.#blocks) {
      const end = Math.min(BLOCK, left);
      left -= end;
      for (let at = 0; at < end; at++) {
        if (untilNext === 0) {
          untilNext = this.#counts[++index]!;
          part = of[this.#sources[index]!]! / untilNext;
        }
        untilNext--;
        into[block[at]!]! += part;
      }
    }
  }
}
