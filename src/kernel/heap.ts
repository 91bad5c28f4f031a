/** A binary heap whose items know their position, so that an item whose time changed can be moved without a search. */

export interface HeapMember {
  /** Smallest first. */
  due: number;
  /** Maintained by the heap; -1 outside it. */
  heapIndex: number;
}

export class Heap<T extends HeapMember> {
  #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Puts the item where its `due` belongs, whether or not it was in the heap before. */
  place(item: T): void {
    if (item.heapIndex < 0) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
    }
    this.#down(this.#up(item.heapIndex));
  }

  remove(item: T): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[index] = last;
    last.heapIndex = index;
    this.#down(this.#up(index));
  }

  #up(start: number): number {
    let index = start;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (this.#items[above]!.due <= this.#items[index]!.due) break;
      this.#swap(index, above);
      index = above;
    }
    return index;
  }

  #down(start: number): void {
    let index = start;
    for (;;) {
      let least = index;
      for (const below of [2 * index + 1, 2 * index + 2]) {
        if (below < this.#items.length && this.#items[below]!.due < this.#items[least]!.due) least = below;
      }
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #swap(a: number, b: number): void {
    const { 0: first, 1: second } = [this.#items[a]!, this.#items[b]!];
    this.#items[a] = second;
    this.#items[b] = first;
    second.heapIndex = a;
    first.heapIndex = b;
  }
}
