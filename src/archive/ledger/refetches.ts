/** Which settled tasks were fetched again, so that a line of the queue that asks for it no longer counts. */
import type { Commit } from "./commit-line.ts";
import type { Row } from "./frontier-line.ts";
import { Column } from "./task-index.ts";

export class Refetches {
  /** The commit after the last one that settled a task again. */
  readonly #before = new Column(Uint32Array);

  take({ commit, refetched = [] }: Commit): void {
    for (const [, , tasks] of refetched) {
      for (const task of tasks) this.#before.set(typeof task === "number" ? task : task[0], commit + 1);
    }
  }

  /** Whether the row of a settled task asks for another fetch, which has not ended. */
  isOpenAgain({ id, commit, refetch }: Row): boolean {
    return refetch === true && commit >= this.#before.get(id);
  }
}
