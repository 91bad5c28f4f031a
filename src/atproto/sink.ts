/** The heap of a merge: sorted lists by what each has next, the first of all on top. */

/** Puts the top where it belongs, when what it has next has changed. */
export function sink<T>(heap: T[], compare: (one: T, other: T) => number): void {
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
