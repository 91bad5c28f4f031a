/** Counts per key against one limit, in a table that stays small: the caps per host and per URL pattern. */
import { SeenTable } from "./seen.ts";

export class Budget {
  readonly limit: number;
  #spent = new SeenTable();

  /** A limit of 0 means no limit, and then nothing is counted. */
  constructor(limit: number) {
    this.limit = limit;
  }

  has(key: string): boolean {
    return this.limit === 0 || this.#spent.get(key) < this.limit;
  }

  spend(key: string): void {
    if (this.limit !== 0) this.#spent.set(key, this.#spent.get(key) + 1);
  }
}
