/**
 * The ready window of a lane: its next tasks, in memory; all behind them are only in the ledger.
 *
 * What holds at any time: when `spilled`, every open task that the window lacks (and nobody has taken) lies behind
 * `end` in the ledger. So tasks come in the same order whether memory or the ledger held them.
 */
import { compareTasks, type Task, type TaskOrder } from "./task.ts";

export class Window {
  #tasks: Task[] = [];
  #head = 0;
  #end: TaskOrder | null = null;
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

  /** Offers a task just admitted. Over the capacity, the furthest one is left to the ledger. */
  offer(task: Task, capacity: number): void {
    if (this.#spilled && (this.#end === null || compareTasks(task, this.#end) > 0)) {
      this.#missed = true;
      return;
    }
    let at = this.#tasks.length;
    while (at > this.#head && compareTasks(this.#tasks[at - 1]!, task) > 0) at--;
    if (at === this.#tasks.length) this.#tasks.push(task);
    else this.#tasks.splice(at, 0, task);
    // While a refill is under way the place it was asked from must hold, so nothing is dropped.
    if (this.size > capacity && !this.#loading) {
      this.#tasks.pop();
      this.#spilled = true;
      this.#end = this.#tasks.at(-1)!;
    }
  }

  /** Tells from where the ledger must be read on. */
  startRefill(): TaskOrder | null {
    this.#loading = true;
    this.#missed = false;
    return this.#end;
  }

  /** Adds what the ledger gave, which reached to `end`; `drained` when nothing lay behind that. */
  refill(tasks: Task[], end: TaskOrder | null, drained: boolean): void {
    this.#loading = false;
    for (const task of tasks) this.#tasks.push(task);
    this.#end = end ?? this.#end;
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
