import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELD_NAMES } from "../../../../src/site/store/fields.ts";
import { ELSEWHERE, FACT_GROUPS, factsIn, isTiming } from "./fact-groups.ts";

test("every field of the server is in one group, or shown elsewhere", () => {
  const grouped = FACT_GROUPS.flatMap(({ fields }) => fields);
  const expected = FIELD_NAMES.filter((name) => !ELSEWHERE.has(name) && !isTiming(name));
  assert.deepEqual(grouped.toSorted(), expected.toSorted());
});

test("what is not known is left out, and so is a group of it; zero is known", () => {
  const groups = [
    { title: "A", fields: ["a", "b"] },
    { title: "B", fields: ["c", "d"] },
  ];
  assert.deepEqual(factsIn(groups, { a: null, b: "", c: 0, d: "x" }), [
    {
      title: "B",
      facts: [
        { name: "c", value: 0 },
        { name: "d", value: "x" },
      ],
    },
  ]);
});
