/**
 * The tasks of a cursor ledger that are admitted and not settled. They are nowhere but here: a crash forgets them, and
 * their source is read again from the cursor, which waits here until all that was admitted before it is settled.
 */
import type { Note, Retried } from "../../kernel/ledger.ts";
import type { Admitted, Task } from "../../kernel/task.ts";

interface LaneTasks<Meta> {
  /** By place. Settled ones stay until they are half of the list. */
  tasks: Task<Meta>[];
  settled: number;
}

interface WaitingCursor {
  note: Note;
  /** It may be saved when this many admitted tasks, counted from the first, are settled. */
  after: number;
}

export class OpenTasks<Meta> {
  readonly #tasks = new Map<number, Task<Meta>>();
  readonly #lanes = new Map<string, LaneTasks<Meta>>();
  /** Ids in the order of admission; those before `#head` are settled. */
  #order: number[] = [];
  #head = 0;
  /** Total number of admitted tasks, minus those still in `#order`. */
  #dropped = 0;
  #cursors: WaitingCursor[] = [];

  get size(): number {
    return this.#tasks.size;
  }

  has(id: number): boolean {
    return this.#tasks.has(id);
  }

  admit({ verdict, ...found }: Admitted<Meta>): void {
    if (this.#tasks.has(found.id)) return;
    const task: Task<Meta> = { ...found, attempt: 0, notBefore: 0 };
    this.#tasks.set(task.id, task);
    this.#order.push(task.id);
    let lane = this.#lanes.get(task.lane);
    if (lane === undefined) {
      lane = { tasks: [], settled: 0 };
      this.#lanes.set(task.lane, lane);
    }
    // Nearly always the last one, because places grow.
    const at = firstBehind(lane.tasks, task.place);
    if (at === lane.tasks.length) lane.tasks.push(task);
    else lane.tasks.splice(at, 0, task);
  }

  retry({ id, attempt, notBefore }: Retried): void {
    const task = this.#tasks.get(id);
    if (task !== undefined) Object.assign(task, { attempt, notBefore });
  }

  /** The task that has ended; undefined when it ended before, or never existed. */
  settle(id: number): Task<Meta> | undefined {
    const task = this.#tasks.get(id);
    if (task === undefined) return undefined;
    this.#tasks.delete(id);
    const lane = this.#lanes.get(task.lane)!;
    lane.settled++;
    if (lane.settled === lane.tasks.length) this.#lanes.delete(task.lane);
    else if (lane.settled * 2 > lane.tasks.length) {
      lane.tasks = lane.tasks.filter((each) => this.#tasks.get(each.id) === each);
      lane.settled = 0;
    }
    return task;
  }

  take(lane: string, after: number, max: number): Task<Meta>[] {
    const tasks = this.#lanes.get(lane)?.tasks ?? [];
    const taken: Task<Meta>[] = [];
    for (let at = firstBehind(tasks, after); at < tasks.length && taken.length < max; at++) {
      const task = tasks[at]!;
      if (this.#tasks.get(task.id) === task) taken.push({ ...task });
    }
    return taken;
  }

  /** A source was read up to here: must not be saved before everything admitted so far is settled. */
  hold(note: Note): void {
    this.#cursors.push({ note, after: this.#dropped + this.#order.length });
  }

  /** The cursors that may be saved now, the newest of each source. */
  release(): Note[] {
    while (this.#head < this.#order.length && !this.#tasks.has(this.#order[this.#head]!)) this.#head++;
    const reached = this.#dropped + this.#head;
    // Dropping the settled front in steps keeps this cheap without letting the array grow forever.
    if (this.#head > 4_096 || this.#head === this.#order.length) {
      this.#order.splice(0, this.#head);
      this.#dropped = reached;
      this.#head = 0;
    }
    const first = this.#cursors.findIndex((cursor) => cursor.after > reached);
    const free = this.#cursors.splice(0, first < 0 ? this.#cursors.length : first);
    return [...new Map(free.map(({ note }) => [note.key, note])).values()];
  }
}

/** The index of the first task whose place is behind this one. */
function firstBehind(tasks: readonly Task[], place: number): number {
  if (tasks.length === 0 || tasks.at(-1)!.place <= place) return tasks.length;
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tasks[middle]!.place > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
