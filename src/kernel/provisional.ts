/** Ids whose verdict another find may still turn into `crawl`, in a byte each: there may be millions of them. */
import type { Verdict } from "./verdict.ts";

export class Provisional {
  /** Place of the verdict in `#verdicts` by id; 0 for a verdict that stands. */
  #places = new Uint8Array(1 << 12);
  /** Few: one per action and reason. */
  #verdicts: Verdict[] = [];

  has(id: number): boolean {
    return id < this.#places.length && this.#places[id] !== 0;
  }

  add(id: number, { action, reason }: Verdict): void {
    if (id >= this.#places.length) {
      const grown = new Uint8Array(Math.max(id + 1, this.#places.length * 2));
      grown.set(this.#places);
      this.#places = grown;
    }
    let place = this.#verdicts.findIndex((known) => known.action === action && known.reason === reason);
    if (place < 0) place = this.#verdicts.push({ action, reason, rule: null }) - 1;
    this.#places[id] = place + 1;
  }

  /** The verdict it had, which no longer stands. */
  take(id: number): Verdict {
    const verdict = this.#verdicts[this.#places[id]! - 1]!;
    this.#places[id] = 0;
    return verdict;
  }
}
