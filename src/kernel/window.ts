/**
 * The ready window of a lane: its next tasks, in memory; all behind them are only in the ledger.
 *
 * What holds at any time: when `spilled`, every open task that the window lacks (and nobody has taken) has a place
 * behind `end` in the ledger. Places only grow, so tasks come in the same order whether memory or the ledger held them.
 */
import type { Task } from "./task.ts";

export class Window {
  #tasks: Task[] = [];
  #head = 0;
  #end = 0;
  #spilled: boolean;
  #loading = false;
  /** A task was left to the ledger after the refill under way had been asked for. */
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

  /** Offers a task just admitted. Over the capacity it is left to the ledger, and so are all that follow. */
  offer(task: Task, capacity: number): void {
    if (this.#spilled || this.size >= capacity) {
      this.#spilled = true;
      this.#missed = true;
      return;
    }
    this.#tasks.push(task);
    this.#end = task.place;
  }

  /** Tells the place from which the ledger must be read on. */
  startRefill(): number {
    this.#loading = true;
    this.#missed = false;
    return this.#end;
  }

  /** Adds what the ledger gave, which reached to the place `end`; `drained` when nothing lay behind that. */
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
    // Dropping the used front in steps keeps shift cheap without growing for ever.
    if (this.#head > 256 || this.#head === this.#tasks.length) {
      this.#tasks.splice(0, this.#head);
      this.#head = 0;
    }
    return task;
  }
}
