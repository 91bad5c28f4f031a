/** How much came a second, over the last half minute. */

const WINDOW_MS = 30_000;

export class RecentRate {
  readonly #begun: number;
  /** Sums by second. */
  readonly #sums = new Map<number, number>();

  constructor(now: number) {
    this.#begun = now;
  }

  add(amount: number, now: number): void {
    const second = Math.floor(now / 1000);
    this.#sums.set(second, (this.#sums.get(second) ?? 0) + amount);
    if (this.#sums.size > (2 * WINDOW_MS) / 1000) this.#forget(now);
  }

  perSecond(now: number): number {
    this.#forget(now);
    const elapsed = Math.min(WINDOW_MS, Math.max(1_000, now - this.#begun));
    return ([...this.#sums.values()].reduce((sum, each) => sum + each, 0) * 1000) / elapsed;
  }

  #forget(now: number): void {
    const first = Math.floor((now - WINDOW_MS) / 1000);
    for (const second of this.#sums.keys()) if (second < first) this.#sums.delete(second);
  }
}
