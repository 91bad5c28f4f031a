/** The open tasks of one lane: their ids in the order of their places, two to four bytes each. */

const CHUNK_BITS = 13;
const CHUNK_SIZE = 1 << CHUNK_BITS;
const FIRST_CHUNK = 16;

export class LaneQueue {
  readonly #placeOf: (id: number) => number;
  readonly #chunks: IdChunk[] = [];
  /** Chunks dropped at the front. Positions keep counting. */
  #dropped = 0;
  #head = 0;
  #end = 0;

  constructor(placeOf: (id: number) => number) {
    this.#placeOf = placeOf;
  }

  get size(): number {
    return this.#end - this.#head;
  }

  /** Nearly always at the end: places grow. */
  add(id: number): void {
    const place = this.#placeOf(id);
    let at = this.#end++;
    this.#reach(at, id);
    for (; at > this.#head && this.#placeOf(this.#get(at - 1)) > place; at--) this.#set(at, this.#get(at - 1));
    this.#set(at, id);
  }

  /** Removes an id; the ids between it and the nearer end move up. Tasks end near the front, where they were taken. */
  remove(id: number): void {
    const at = this.#behind(this.#placeOf(id) - 1);
    if (at >= this.#end || this.#get(at) !== id) return;
    if (at - this.#head <= this.#end - at) {
      for (let i = at; i > this.#head; i--) this.#set(i, this.#get(i - 1));
      this.#head++;
      while ((this.#dropped + 1) * CHUNK_SIZE <= this.#head) {
        this.#chunks.shift();
        this.#dropped++;
      }
    } else {
      this.#end--;
      for (let i = at; i < this.#end; i++) this.#set(i, this.#get(i + 1));
    }
  }

  /** The next ids whose place is after `after`. */
  next(after: number, max: number): number[] {
    const from = this.#behind(after);
    const ids: number[] = [];
    for (let at = from; at < this.#end && ids.length < max; at++) ids.push(this.#get(at));
    return ids;
  }

  /** The first position whose place is after `place`. */
  #behind(place: number): number {
    let low = this.#head;
    let high = this.#end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#placeOf(this.#get(middle)) > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #get(at: number): number {
    return this.#chunks[(at >>> CHUNK_BITS) - this.#dropped]!.get(at & (CHUNK_SIZE - 1));
  }

  #set(at: number, id: number): void {
    this.#chunks[(at >>> CHUNK_BITS) - this.#dropped]!.set(at & (CHUNK_SIZE - 1), id);
  }

  /**
   * Makes room for a position at the end. Chunks start small, because there may be thousands of lanes with a few tasks
   * each.
   */
  #reach(at: number, id: number): void {
    const index = (at >>> CHUNK_BITS) - this.#dropped;
    const within = at & (CHUNK_SIZE - 1);
    const chunk = this.#chunks[index];
    if (chunk !== undefined && within < chunk.length) return;
    if (chunk !== undefined) {
      chunk.grow(Math.min(CHUNK_SIZE, chunk.length * 4));
    } else {
      const isFirst = index === 0 && this.#dropped === 0;
      this.#chunks[index] = new IdChunk(isFirst ? FIRST_CHUNK : CHUNK_SIZE, id);
    }
  }
}

const NEAR = 2 ** 16;

/** Ids side by side: two bytes each while they are close to each other, as ids found together are; otherwise four. */
class IdChunk {
  #base: number;
  #cells: Uint16Array | Uint32Array;

  /** The ids will be close to `near`. */
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
