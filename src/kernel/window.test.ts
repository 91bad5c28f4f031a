import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compareTasks, type Task, type TaskOrder } from "./task.ts";
import { aTask } from "./testing/samples.ts";
import { Window } from "./window.ts";

const ids = (window: Window): number[] => {
  const taken: number[] = [];
  for (let task = window.shift(); task !== undefined; task = window.shift()) taken.push(task.id);
  return taken;
};

describe("a window", () => {
  it("gives tasks by depth, then by id", () => {
    const window = new Window(false);
    for (const [id, depth] of [
      [1, 1],
      [2, 0],
      [3, 1],
      [4, 0],
    ] as const)
      window.offer(aTask(id, { depth }), 10);
    assert.deepEqual(ids(window), [2, 4, 1, 3]);
  });

  it("leaves the furthest to the ledger when it is full", () => {
    const window = new Window(false);
    for (const id of [1, 2, 3]) window.offer(aTask(id), 2);
    assert.equal(window.spilled, true);
    assert.equal(window.size, 2);
    const { depth, id } = window.startRefill()!;
    assert.deepEqual({ depth, id }, { depth: 0, id: 2 });
    window.refill([aTask(3)], aTask(3), true);
    assert.equal(window.spilled, false);
    assert.deepEqual(ids(window), [1, 2, 3]);
  });

  it("of a lane found in the ledger asks for all of it", () => {
    const window = new Window(true);
    window.offer(aTask(9), 10);
    assert.equal(window.size, 0, "the ledger has it, and tasks before it");
    assert.equal(window.startRefill(), null);
  });

  it("does not lose a task that was offered, before the place the ledger had reached, while it was asked", () => {
    const window = new Window(false);
    for (const id of [1, 2, 3]) window.offer(aTask(id, { depth: 1 }), 2);
    window.offer(aTask(4, { depth: 3 }), 2);
    window.startRefill();
    // A redirect leads to a page of depth 2; the ledger was asked before it knew, and answers up to depth 3.
    window.offer(aTask(5, { depth: 2 }), 2);
    window.refill([aTask(3, { depth: 1 }), aTask(4, { depth: 3 })], aTask(4, { depth: 3 }), true);
    assert.equal(window.spilled, true);
    const after = window.startRefill()!;
    assert.ok(compareTasks(after, { depth: 2, id: 5 }) < 0, "it is read with the next refill");
    window.refill([aTask(5, { depth: 2 }), aTask(4, { depth: 3 })], aTask(4, { depth: 3 }), true);
    assert.deepEqual(ids(window), [1, 2, 3, 5, 4]);
  });
});

type Step =
  | { do: "offer"; depth: number; old: boolean }
  | { do: "shift" }
  | { do: "ask" }
  | { do: "answer" }
  | { do: "settle" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("offer" as const), depth: fc.nat({ max: 4 }), old: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: "shift" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "ask" }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "answer" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "settle" }) },
);

/** A ledger of which one window reads; the window must give what a list sorted at every moment would give. */
class Model {
  readonly window: Window;
  readonly capacity: number;
  /** Open in the ledger: what was offered and is not settled. */
  open: Task[] = [];
  taken = new Set<number>();
  asked: Task[] | null = null;
  /** Ids of keys met before that may be admitted yet. */
  old = Array.from({ length: 200 }, (_, i) => i + 1);
  nextId = 1_000;

  constructor(capacity: number, before: number) {
    this.capacity = capacity;
    for (let i = 0; i < before; i++) this.open.push(aTask(this.nextId++, { depth: i % 3 }));
    this.window = new Window(before > 0);
  }

  get waiting(): Task[] {
    return this.open.filter((task) => !this.taken.has(task.id)).sort(compareTasks);
  }

  act(step: Step): void {
    switch (step.do) {
      case "offer": {
        const id = (step.old ? this.old.pop() : undefined) ?? this.nextId++;
        const task = aTask(id, { depth: step.depth });
        this.open.push(task);
        this.window.offer(task, this.capacity);
        return;
      }
      case "shift":
        return this.shift();
      case "ask":
        if (this.window.spilled && !this.window.loading) this.ask();
        return;
      case "answer":
        if (this.asked !== null) this.answer();
        return;
      case "settle": {
        // Not while the ledger is asked: keeping a settled task out of the answer is the crawl's part.
        const [id] = this.taken;
        if (id === undefined || this.asked !== null) return;
        this.taken.delete(id);
        this.open = this.open.filter((task) => task.id !== id);
      }
    }
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
    const after: TaskOrder | null = this.window.startRefill();
    const behind = this.open.filter((task) => after === null || compareTasks(task, after) > 0).sort(compareTasks);
    this.asked = behind.slice(0, this.capacity);
  }

  answer(): void {
    const tasks = this.asked!;
    this.asked = null;
    const free = tasks.filter((task) => !this.taken.has(task.id));
    this.window.refill(free, tasks.at(-1) ?? null, tasks.length < this.capacity);
  }
}

it("a window gives every task once and in order, whatever is offered while the ledger is asked", () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 6 }),
    fc.nat({ max: 15 }),
    fc.array(step, { maxLength: 80 }),
    (capacity, before, steps) => {
      const model = new Model(capacity, before);
      for (const step of steps) model.act(step);
      for (let turns = 0; model.waiting.length > 0; turns++) {
        assert.ok(turns < 2_000, "the window does not get to the end");
        if (model.asked !== null) model.answer();
        if (model.window.spilled) model.ask();
        if (model.asked !== null) model.answer();
        while (model.window.size > 0) model.shift();
      }
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});
