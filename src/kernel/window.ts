/**
 * The window of a lane: its next tasks, in memory; all later ones are only in the ledger.
 *
 * Invariant: when `spilled`, every open task that is neither in the window nor taken has a place behind `end` in the ledger.
 * Places only grow, so tasks come in the same order whether they were in memory or in the ledger.
 */
import type { Task } from "./task.ts";

export class Window {
  #tasks: Task[] = [];
  #head = 0;
  #end = 0;
  #spilled: boolean;
  #loading = false;
  /** A task was left to the ledger after the current refill had been requested. */
  #missed = false;

  /** A lane found in the ledger starts spilled: its tasks are all there. */
  constructor(spilled: boolean) {
    this.#spilled = spilled;
  }

  get size(): number {
    return this.#tasks.length - this.#head;
  }

  get spilled(): boolean {
    return this.#spilled;
  }

  get loading(): boolean {
    return this.#loading;
  }

  /** Offers a task that was just admitted. Above the capacity it is left to the ledger, and so are all later ones. */
  offer(task: Task, capacity: number): void {
    if (this.#spilled || this.size >= capacity) {
      this.#spilled = true;
      this.#missed = true;
      return;
    }
    this.#tasks.push(task);
    this.#end = task.place;
  }

  /** Returns the place from which to continue reading the ledger. */
  startRefill(): number {
    this.#loading = true;
    this.#missed = false;
    return this.#end;
  }

  /** Adds the tasks from the ledger, up to the place `end`; `drained` when there are no more behind it. */
  refill(tasks: Task[], end: number, drained: boolean): void {
    this.#loading = false;
    for (const task of tasks) this.#tasks.push(task);
    this.#end = Math.max(this.#end, end);
    this.#spilled = !drained || this.#missed;
  }

  shift(): Task | undefined {
    const task = this.#tasks[this.#head];
    if (task === undefined) return undefined;
    this.#head++;
    // Dropping the used front in steps keeps shift cheap without letting the array grow forever.
    if (this.#head > 256 || this.#head === this.#tasks.length) {
      this.#tasks.splice(0, this.#head);
      this.#head = 0;
    }
    return task;
  }
}
