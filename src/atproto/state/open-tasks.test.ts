/** Random use of the open tasks against a plain list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anAdmitted } from "../../kernel/testing/samples.ts";
import { OpenTasks } from "./open-tasks.ts";

const step = fc.oneof(
  fc.record({ do: fc.constant("admit" as const), lane: fc.constantFrom("a", "b"), count: fc.nat({ max: 20 }) }),
  fc.record({ do: fc.constant("settle" as const), picks: fc.array(fc.nat({ max: 10_000 }), { maxLength: 20 }) }),
  fc.record({
    do: fc.constant("take" as const),
    lane: fc.constantFrom("a", "b"),
    after: fc.nat({ max: 200 }),
    max: fc.nat({ max: 30 }),
  }),
  fc.record({ do: fc.constant("hold" as const) }),
);

test("takes, settles and holds cursors as a plain list would", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tasks = new OpenTasks();
      let open: { id: number; lane: string }[] = [];
      const held: { value: string; before: Set<number> }[] = [];
      let nextId = 1;
      for (const each of steps) {
        if (each.do === "admit") {
          for (let count = 0; count < each.count; count++) {
            tasks.admit(anAdmitted(nextId, { lane: each.lane }));
            open.push({ id: nextId++, lane: each.lane });
          }
        } else if (each.do === "settle") {
          for (const pick of each.picks) {
            const id = (pick % nextId) + 1;
            const isOpen = open.some((task) => task.id === id);
            assert.equal(tasks.settle(id)?.id, isOpen ? id : undefined);
            open = open.filter((task) => task.id !== id);
          }
        } else if (each.do === "take") {
          const expected = open.filter(({ id, lane }) => lane === each.lane && id > each.after).slice(0, each.max);
          assert.deepEqual(
            tasks.take(each.lane, each.after, each.max).map(({ id }) => id),
            expected.map(({ id }) => id),
          );
        } else {
          held.push({ value: `${nextId}`, before: new Set(open.map(({ id }) => id)) });
          tasks.hold({ key: "cursor a", value: `${nextId}` });
        }
        assert.equal(tasks.size, open.length);
        const free = held.filter(({ before }) => !open.some(({ id }) => before.has(id)));
        const expected = free.at(-1)?.value;
        assert.deepEqual(
          tasks.release().map(({ value }) => value),
          expected === undefined ? [] : [expected],
        );
        held.splice(0, free.length);
      }
    }),
  );
});
