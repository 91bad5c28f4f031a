/** Pairs of ids, of which there may be tens of millions, in the order in which they are added: by source. */

const FIRST_ROOM = 1 << 16;

export class Edges {
  #targets = new Int32Array(FIRST_ROOM);
  /** Sources that have edges, in order, and where the edges of each end. */
  readonly #sources: number[] = [];
  readonly #ends: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(source: number, target: number): void {
    if (this.#length === this.#targets.length) this.#grow();
    this.#targets[this.#length++] = target;
    const last = this.#sources.length - 1;
    if (this.#sources[last] === source) this.#ends[last] = this.#length;
    else {
      this.#sources.push(source);
      this.#ends.push(this.#length);
    }
  }

  /** Calls back with each source and where its edges are in `targets`. */
  each(take: (source: number, start: number, end: number, targets: Int32Array) => void): void {
    let start = 0;
    for (let index = 0; index < this.#sources.length; index++) {
      const end = this.#ends[index]!;
      take(this.#sources[index]!, start, end, this.#targets);
      start = end;
    }
  }

  #grow(): void {
    const larger = new Int32Array(this.#targets.length * 2);
    larger.set(this.#targets);
    this.#targets = larger;
  }
}
