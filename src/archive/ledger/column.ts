/** A number for each id, in pages of typed arrays: it grows without copying, and pages nobody needs are let go. */

const PAGE_BITS = 16;
const PAGE_SIZE = 1 << PAGE_BITS;

type Cells = Uint8Array | Uint16Array | Uint32Array;

export const pageOf = (id: number): number => id >>> PAGE_BITS;

export class Column {
  readonly #make: new (
    length: number,
  ) => Cells;
  readonly #pages: (Cells | undefined)[] = [];

  constructor(make: new (length: number) => Cells) {
    this.#make = make;
  }

  /** 0 for an id that was never given a number. */
  get(id: number): number {
    return this.#pages[id >>> PAGE_BITS]?.[id & (PAGE_SIZE - 1)] ?? 0;
  }

  set(id: number, value: number): void {
    const page = id >>> PAGE_BITS;
    // A page of zeros need not be there: the upper bytes of offsets are, while a file is below 4 GB.
    if (value === 0 && this.#pages[page] === undefined) return;
    this.#pages[page] ??= new this.#make(PAGE_SIZE);
    this.#pages[page]![id & (PAGE_SIZE - 1)] = value;
  }

  /** Forgets all numbers of a page. */
  release(page: number): void {
    if (page < this.#pages.length) this.#pages[page] = undefined;
  }
}
