import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FIELD_NAMES, fieldNamed } from "../../../../src/site/store/fields.ts";
import { parseFilter as serverFilter } from "../../../../src/site/store/filter.ts";
import {
  choiceOf,
  filterFrom,
  filterProblem,
  filterText,
  filterWords,
  operatorsOf,
  parseFilter,
} from "./filter-text.ts";

test("every filter that can be put together is one that the server reads, and comes back as it was", () => {
  const filters = fc.constantFrom(...FIELD_NAMES).chain((field) => {
    const { type } = fieldNamed(field)!;
    const value = type === "number" ? fc.integer().map(String) : fc.string({ maxLength: 20 });
    return fc.tuple(fc.constantFrom(...operatorsOf(type)), value).map(([{ id }, text]) => {
      const filter = filterFrom(field, id, text.trim());
      return { filter, type };
    });
  });
  fc.assert(
    fc.property(filters, ({ filter, type }) => {
      fc.pre(filterProblem(filter, type) === null && !/[\n\r\u2028\u2029]/.test(filter.value));
      serverFilter(filterText(filter));
      const again = parseFilter(filterText(filter))!;
      // `a` `=` `~b` is written as `a=~b`, which is read the same way: the first operator ends the field.
      assert.deepEqual(filterText(again), filterText(filter));
    }),
  );
});

test("filters in words", () => {
  const words = (text: string, type: "text" | "number") =>
    Object.values(filterWords(parseFilter(text)!, type)).join(" ");
  assert.equal(words("title~shop", "text"), "Title contains shop");
  assert.equal(words("status>=400", "number"), "Status ≥ 400");
  assert.equal(words("description=", "text").trim(), "Description is empty");
  assert.equal(choiceOf(parseFilter("error!=")!), "filled");
  assert.equal(parseFilter("no operator"), null);
});

test("a filter that the server would refuse is told before", () => {
  assert.equal(filterProblem({ field: "status", operator: "=", value: "4xx" }, "number"), null);
  assert.match(filterProblem({ field: "status", operator: ">", value: "4xx" }, "number")!, /class/);
  assert.match(filterProblem({ field: "depth", operator: "=", value: "two" }, "number")!, /number/);
  assert.match(filterProblem({ field: "title", operator: "~", value: " " }, "text")!, /compare/);
});
