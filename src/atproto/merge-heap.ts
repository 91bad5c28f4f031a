/** The heap of a merge: sorted lists by what each has next, the first of all on top. */

/** A sorted list that is read from its beginning. */
export interface Sorted {
  /** Goes on to the next item; false after the last. */
  next(): boolean;
}

/** The list on top goes on, and to where it belongs then; one that has ended is dropped. */
export function advance<T extends Sorted>(heap: T[], compare: (one: T, other: T) => number): void {
  if (!heap[0]!.next()) {
    const last = heap.pop()!;
    if (heap.length === 0) return;
    heap[0] = last;
  }
  const moved = heap[0]!;
  for (let at = 0; at < heap.length; ) {
    let child = 2 * at + 1;
    if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) < 0) child++;
    if (child >= heap.length || compare(moved, heap[child]!) <= 0) {
      heap[at] = moved;
      return;
    }
    heap[at] = heap[child]!;
    at = child;
  }
}
