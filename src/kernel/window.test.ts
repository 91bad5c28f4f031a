import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Task } from "./task.ts";
import { aTask } from "./testing/samples.ts";
import { Window } from "./window.ts";

const ids = (window: Window): number[] => {
  const taken: number[] = [];
  for (let task = window.shift(); task !== undefined; task = window.shift()) taken.push(task.id);
  return taken;
};

describe("a window", () => {
  it("gives tasks as they were offered", () => {
    const window = new Window(false);
    for (const [id, place] of [
      [1, 1],
      [3, 2],
      [2, 3],
    ] as const)
      window.offer(aTask(id, { place }), 10);
    assert.deepEqual(ids(window), [1, 3, 2]);
  });

  it("leaves what follows to the ledger when it is full, even when there is room again", () => {
    const window = new Window(false);
    for (const id of [1, 2, 3]) window.offer(aTask(id), 2);
    assert.equal(window.spilled, true);
    assert.equal(window.shift()?.id, 1);
    window.offer(aTask(4), 2);
    assert.equal(window.size, 1, "3 comes before 4, and only the ledger has it");
    assert.equal(window.startRefill(), 2);
    window.refill([aTask(3), aTask(4)], 4, true);
    assert.equal(window.spilled, false);
    assert.deepEqual(ids(window), [2, 3, 4]);
  });

  it("asks for every task of a lane found in the ledger", () => {
    const window = new Window(true);
    window.offer(aTask(9), 10);
    assert.equal(window.size, 0, "the ledger has it, and tasks before it");
    assert.equal(window.startRefill(), 0);
  });

  it("asks again when a task was offered while the ledger was asked", () => {
    const window = new Window(true);
    window.startRefill();
    window.offer(aTask(9), 10);
    window.refill([aTask(1)], 1, true);
    assert.equal(window.spilled, true);
    assert.equal(window.startRefill(), 1);
    window.refill([aTask(9)], 9, true);
    assert.deepEqual(ids(window), [1, 9]);
  });

  it("moves past tasks that another owner keeps", () => {
    const window = new Window(true);
    window.startRefill();
    window.refill([], 20, false);
    assert.equal(window.startRefill(), 20);
  });
});

type Step = "offer" | "shift" | "ask" | "answer" | "settle";
const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>("offer") },
  { weight: 4, arbitrary: fc.constant<Step>("shift") },
  { weight: 2, arbitrary: fc.constant<Step>("ask") },
  { weight: 2, arbitrary: fc.constant<Step>("answer") },
  { weight: 1, arbitrary: fc.constant<Step>("settle") },
);

/** A ledger that one window reads from; the window must give what a plain list would give. */
class Model {
  readonly window: Window;
  readonly capacity: number;
  /** Open in the ledger: what was offered and is not settled, in the order of places. */
  open: Task[] = [];
  taken = new Set<number>();
  asked: Task[] | null = null;
  nextPlace = 1;

  constructor(capacity: number, before: number) {
    this.capacity = capacity;
    for (let i = 0; i < before; i++) this.open.push(this.task());
    this.window = new Window(before > 0);
  }

  task(): Task {
    const place = this.nextPlace++;
    return aTask((place * 7) % 1_009, { place });
  }

  get waiting(): Task[] {
    return this.open.filter((task) => !this.taken.has(task.id));
  }

  act(step: Step): void {
    if (step === "offer") this.offer();
    else if (step === "shift") this.shift();
    else if (step === "ask" && this.window.spilled && !this.window.loading) this.ask();
    else if (step === "answer" && this.asked !== null) this.answer();
    else if (step === "settle") this.settle();
  }

  offer(): void {
    const task = this.task();
    this.open.push(task);
    this.window.offer(task, this.capacity);
  }

  shift(): void {
    const first = this.waiting[0];
    const task = this.window.shift();
    if (task === undefined) {
      assert.ok(first === undefined || this.window.spilled, `task ${first?.id} is nowhere`);
      return;
    }
    assert.equal(task.id, first?.id, "the first of all that wait");
    this.taken.add(task.id);
  }

  ask(): void {
    const after = this.window.startRefill();
    this.asked = this.open.filter((task) => task.place > after).slice(0, this.capacity);
  }

  answer(): void {
    const tasks = this.asked!;
    this.asked = null;
    assert.ok(!tasks.some((task) => this.taken.has(task.id)), "nothing that was taken comes back");
    this.window.refill(tasks, tasks.at(-1)?.place ?? 0, tasks.length < this.capacity);
  }

  settle(): void {
    const [id] = this.taken;
    if (id === undefined) return;
    this.taken.delete(id);
    this.open = this.open.filter((task) => task.id !== id);
  }
}

it("a window gives every task once and in order, whatever is offered while the ledger is asked", () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 6 }),
    fc.nat({ max: 15 }),
    fc.array(step, { maxLength: 100 }),
    (capacity, before, steps) => {
      const model = new Model(capacity, before);
      for (const each of steps) model.act(each);
      for (let turns = 0; model.waiting.length > 0; turns++) {
        assert.ok(turns < 500, "the window does not get to the end");
        if (model.asked !== null) model.answer();
        if (model.window.spilled) model.ask();
        if (model.asked !== null) model.answer();
        while (model.window.size > 0) model.shift();
      }
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});
