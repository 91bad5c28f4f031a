import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FIELD_NAMES, fieldNamed } from "../../../../src/site/facts/fact-fields.ts";
import { parseFilter as serverFilter } from "../../../../src/site/store/filter/filter.ts";
import {
  alternativesText,
  choiceOf,
  filterFrom,
  filterProblem,
  filterText,
  filterWords,
  firstOperator,
  operatorsOf,
  parseAlternatives,
  parseFilter,
} from "./filter-text.ts";

test("every filter that can be put together is one that the server reads, and comes back as it was", () => {
  const filters = fc.constantFrom(...FIELD_NAMES).chain((field) => {
    const about = fieldNamed(field)!;
    const { type } = about;
    const value = type === "number" ? fc.integer().map(String) : fc.string({ maxLength: 20 });
    return fc.tuple(fc.constantFrom(...operatorsOf(type)), value).map(([{ id }, text]) => {
      const filter = filterFrom(field, id, text.trim());
      return { filter, about };
    });
  });
  fc.assert(
    fc.property(filters, ({ filter, about }) => {
      // Regular expressions of browsers and of the server differ.
      fc.pre(!filter.operator.endsWith("=~") || /^\w*$/.test(filter.value));
      fc.pre(filterProblem(filter, about) === null && !/[\n\r\u2028\u2029]/.test(filter.value));
      serverFilter(filterText(filter));
      const again = parseFilter(filterText(filter))!;
      // `a` `=` `~b` is written as `a=~b`, which is read the same way: the first operator ends the field.
      assert.deepEqual(filterText(again), filterText(filter));
    }),
  );
});

test("filters in words", () => {
  const words = (text: string) => {
    const filter = parseFilter(text)!;
    return Object.values(filterWords(filter, fieldNamed(filter.field))).join(" ");
  };
  assert.equal(words("title~shop"), "Title contains shop");
  assert.equal(words("status>=400"), "Status ≥ 400");
  assert.match(words("verdict=record"), /is Recorded$/);
  assert.match(words("reason!=robots_disallow"), /is not Disallowed by robots\.txt$/);
  assert.match(words("reason~robots"), /contains robots$/);
  assert.equal(words("description=").trim(), "Description is empty");
  assert.equal(choiceOf(parseFilter("error!=")!), "filled");
  assert.equal(parseFilter("no operator"), null);
});

test("a text starts with “contains”, whatever was chosen before; numbers and codes with “is”", () => {
  const first = (name: string) => firstOperator(fieldNamed(name)!);
  assert.deepEqual(["url", "title", "contentType", "canonical"].map(first), ["~", "~", "~", "~"]);
  assert.deepEqual(["status", "wordCount", "reason", "verdict", "indexable"].map(first), ["=", "=", "=", "=", "="]);
});

test("a filter that the server would refuse is reported first", () => {
  assert.equal(filterProblem({ field: "status", operator: "=", value: "4xx" }, fieldNamed("status")), null);
  assert.match(filterProblem({ field: "status", operator: ">", value: "4xx" }, fieldNamed("status"))!, /class/);
  assert.match(filterProblem({ field: "depth", operator: "=", value: "two" }, fieldNamed("depth"))!, /number/);
  assert.match(filterProblem({ field: "title", operator: "=~", value: "(" }, fieldNamed("title"))!, /regular/);
  assert.match(filterProblem({ field: "title", operator: "~", value: " " }, fieldNamed("title"))!, /compare/);
});

test("filters of which one must match, as the server reads them", () => {
  const text = "status=404 || url^=https://a.test/ || title=~^Shop || Bar";
  const parts = parseAlternatives(text)!;
  assert.deepEqual(
    parts.map(({ field, operator, value }) => [field, operator, value]),
    [
      ["status", "=", "404"],
      ["url", "^=", "https://a.test/"],
      ["title", "=~", "^Shop || Bar"],
    ],
  );
  assert.equal(alternativesText(parts), text);
  assert.doesNotThrow(() => serverFilter(text));
  assert.equal(parseAlternatives("nonsense"), null);
  assert.equal(parseAlternatives("title=Home || Shop")?.length, 1);
  // A value that looks like a part of the operator stays a value.
  assert.deepEqual(parseFilter(filterText({ field: "title", operator: "=", value: "~x" }))!.value, "~x");
  assert.deepEqual(serverFilter(filterText({ field: "title", operator: "=", value: "~x" })).values, ["~x"]);
});
