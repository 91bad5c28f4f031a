import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELDS } from "../../../../src/site/facts/fact-fields.ts";
import { factsIn } from "./fact-groups.ts";

test("every field of the server is in one group, or shown elsewhere", () => {
  const facts = Object.fromEntries(FIELDS.map(({ name }) => [name, name]));
  const shown = factsIn(FIELDS, facts).flatMap((group) => group.facts.map(({ field }) => field.name));
  const elsewhere = FIELDS.filter(({ name, group }) => name === "url" || group === "Timing" || group === "Browser");
  assert.deepEqual(
    [...shown, ...elsewhere.map(({ name }) => name)].toSorted(),
    FIELDS.map(({ name }) => name).toSorted(),
  );
});

test("what is not known is left out, and so is a group of it; zero is known", () => {
  const names = ["title", "h1", "indexable", "depth", "verdict"];
  const fields = FIELDS.filter(({ name }) => names.includes(name));
  const groups = factsIn(fields, { title: null, h1: "", indexable: null, depth: 0, verdict: "crawl" });
  assert.deepEqual(
    groups.map(({ title, facts }) => [title, facts.map(({ field, value }) => [field.name, value])]),
    [
      [
        "Discovery",
        [
          ["verdict", "crawl"],
          ["depth", 0],
        ],
      ],
    ],
  );
});
