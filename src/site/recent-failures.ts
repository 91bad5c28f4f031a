/** The last failures of a running crawl, for a screen; the database has all of them. */

export interface Failure {
  url: string;
  /** The code of a fetch error; null when the page itself was answered with an error status. */
  error: string | null;
  /** 400 or more, or the status of a bot check; null when there was no answer. */
  status: number | null;
  /** Wall time in ms. */
  at: number;
}

/** As many as fit on a screen. */
const KEPT = 50;

export class RecentFailures {
  readonly #ring: Failure[] = [];
  #next = 0;

  add(failure: Failure): void {
    this.#ring[this.#next] = failure;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** The newest first. */
  list(): Failure[] {
    const newest = this.#ring.slice(0, this.#next).reverse();
    return [...newest, ...this.#ring.slice(this.#next).reverse()];
  }
}
