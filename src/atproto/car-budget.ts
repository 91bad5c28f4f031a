/**
 * The memory that all CARs under way share. How large one is shows only while it comes, so a little is set aside first and
 * the rest as it grows. A CAR that finds no room is given up, and fetched again once there is room for the largest.
 */

/** Without it, 50 workers with repos of 100 MB hold 5 GB. The network's repos have 190 KB on average: few ever reach it. */
export const CAR_BUDGET_BYTES = 512 * 2 ** 20;

/** Set aside before anything is known. */
const USUAL_CAR_BYTES = 256 * 2 ** 10;

interface Waiting {
  bytes: number;
  begin: () => void;
}

export class CarBudget {
  readonly #largest: number;
  #free: number;
  #waiting: Waiting[] = [];

  /** `largest`: what one CAR may have at most. There is always room for one of them. */
  constructor(largest: number, bytes = CAR_BUDGET_BYTES) {
    this.#largest = largest;
    this.#free = Math.max(largest, bytes);
  }

  get free(): number {
    return this.#free;
  }

  /** Resolves when there is room for a usual CAR, or for the largest; first come, first served. Rejects when given up. */
  async open(size: "usual" | "largest", signal: AbortSignal): Promise<CarShare> {
    signal.throwIfAborted();
    const bytes = size === "largest" ? this.#largest : Math.min(USUAL_CAR_BYTES, this.#largest);
    if (this.#waiting.length > 0 || !this.take(bytes)) await this.#wait(bytes, signal);
    return new CarShare(this, bytes);
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
    this.#serve();
  }

  async #wait(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { bytes, begin: resolve };
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(signal.reason);
      // It may have been the one that held the others up.
      this.#serve();
    };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #serve(): void {
    while (this.#waiting.length > 0 && this.take(this.#waiting[0]!.bytes)) this.#waiting.shift()!.begin();
  }
}

/** What is set aside for one CAR. */
export class CarShare implements Disposable {
  readonly #budget: CarBudget;
  #bytes: number;
  #isRefused = false;

  constructor(budget: CarBudget, bytes: number) {
    this.#budget = budget;
    this.#bytes = bytes;
  }

  /** The CAR found no room. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether this many bytes may be held in all. */
  grow(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    if (!this.#budget.take(bytes - this.#bytes)) {
      this.#isRefused = true;
      return false;
    }
    this.#bytes = bytes;
    return true;
  }

  /** The CAR is complete, and has this many bytes; false when there is no room for it. */
  settle(bytes: number): boolean {
    if (!this.grow(bytes)) return false;
    this.#budget.giveBack(this.#bytes - bytes);
    this.#bytes = bytes;
    return true;
  }

  [Symbol.dispose](): void {
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}
