/** A lane's queue is a sorted list, however tasks come and go. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { LaneQueue } from "./lane-queue.ts";

it("behaves like a sorted list under any sequence of operations", () => {
  const step = fc.record({
    do: fc.constantFrom("add", "add", "remove", "next"),
    pick: fc.nat({ max: 500 }),
    max: fc.nat({ max: 9 }),
  });
  fc.assert(
    // Ids side by side, and so far apart that they do not fit into two bytes of one chunk.
    fc.property(fc.array(step, { maxLength: 300 }), fc.constantFrom(1, 40_000), (steps, apart) => {
      const places = new Map<number, number>();
      const queue = new LaneQueue((id) => places.get(id) ?? id);
      let model: number[] = [];
      const placeOf = (id: number) => places.get(id) ?? id;
      for (const [at, { do: action, pick, max }] of steps.entries()) {
        const id = (at + 1) * apart;
        if (action === "add") {
          if (pick % 3 === 0) places.set(id, 1_000 + pick * 1_000 + at);
          queue.add(id);
          model = [...model, id].sort((a, b) => placeOf(a) - placeOf(b));
        } else if (action === "remove") {
          const gone = model[pick % (model.length + 1)] ?? 99_999_999;
          queue.remove(gone);
          model = model.filter((each) => each !== gone);
        } else {
          const expected = model.filter((each) => placeOf(each) > pick).slice(0, max);
          assert.deepEqual(queue.next(pick, max), expected);
        }
        assert.equal(queue.size, model.length);
      }
      assert.deepEqual(queue.next(0, 1_000), model);
    }),
  );
});

it("a long queue is used up from the front, across its chunks", () => {
  const queue = new LaneQueue((id) => id);
  const many = 50_000;
  for (let id = 1; id <= many; id++) queue.add(id);
  for (let id = 1; id <= many; id++) {
    if (id % 5_000 === 0)
      assert.deepEqual(
        queue.next(0, 3),
        [id, id + 1, id + 2].filter((each) => each <= many),
      );
    queue.remove(id);
  }
  assert.equal(queue.size, 0);
  queue.add(many + 1);
  assert.deepEqual(queue.next(0, 3), [many + 1]);
});
