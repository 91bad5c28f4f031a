import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { Heap, type HeapMember } from "./heap.ts";

it("has the least on top, whoever comes, goes or changes", () => {
  const step = fc.tuple(fc.nat({ max: 19 }), fc.option(fc.nat({ max: 30 }), { nil: null }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const members: HeapMember[] = Array.from({ length: 20 }, () => ({ due: 0, heapIndex: -1 }));
      const inside = new Set<HeapMember>();
      const heap = new Heap<HeapMember>();
      for (const [index, due] of steps) {
        const member = members[index]!;
        if (due === null) {
          heap.remove(member);
          inside.delete(member);
          assert.equal(member.heapIndex, -1);
        } else {
          member.due = due;
          heap.place(member);
          inside.add(member);
        }
        assert.equal(heap.size, inside.size);
        assert.equal(
          heap.peek()?.due,
          inside.size === 0 ? undefined : Math.min(...[...inside].map((each) => each.due)),
        );
      }
      const order: number[] = [];
      for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
        order.push(top.due);
        heap.remove(top);
      }
      assert.deepEqual(
        order,
        [...inside].map((each) => each.due).sort((a, b) => a - b),
      );
    }),
  );
});
