/** Ids side by side: two bytes each while they lie near each other, as those found together do, and else four. */

const NEAR = 2 ** 16;

export class IdChunk {
  #base: number;
  #cells: Uint16Array | Uint32Array;

  /** `near` is about what the ids will be. */
  constructor(length: number, near: number) {
    this.#base = near;
    this.#cells = new Uint16Array(length);
  }

  get length(): number {
    return this.#cells.length;
  }

  get(at: number): number {
    return this.#base + this.#cells[at]!;
  }

  set(at: number, id: number): void {
    const distance = id - this.#base;
    if ((distance < 0 || distance >= NEAR) && this.#cells instanceof Uint16Array) this.#widen();
    this.#cells[at] = id - this.#base;
  }

  grow(length: number): void {
    const grown = this.#cells instanceof Uint16Array ? new Uint16Array(length) : new Uint32Array(length);
    grown.set(this.#cells);
    this.#cells = grown;
  }

  #widen(): void {
    const base = this.#base;
    this.#cells = Uint32Array.from(this.#cells, (cell) => base + cell);
    this.#base = 0;
  }
}
