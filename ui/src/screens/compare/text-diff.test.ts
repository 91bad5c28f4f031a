import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diffWhole, diffWords } from "./text-diff.ts";

const side = (parts: ReturnType<typeof diffWords>, kind: "removed" | "added") =>
  parts
    .filter((part) => part.kind === "same" || part.kind === kind)
    .map(({ text }) => text)
    .join("");

test("what was put at the end is marked, the rest is not", () => {
  assert.deepEqual(diffWords("Shop | Harbour & Line", "Shop | Harbour & Line, new season"), [
    { kind: "same", text: "Shop | Harbour & Line" },
    { kind: "added", text: ", new season" },
  ]);
});

test("a word in the middle is replaced, not the sentence", () => {
  assert.deepEqual(
    diffWords("Fresh rope for small boats", "Fresh rope for large boats").filter(({ kind }) => kind !== "same"),
    [
      { kind: "removed", text: "small" },
      { kind: "added", text: "large" },
    ],
  );
});

test("another text is one removal and one addition", () => {
  assert.deepEqual(diffWords("Opening hours of the harbour", "404: there is nothing"), [
    { kind: "removed", text: "Opening hours of the harbour" },
    { kind: "added", text: "404: there is nothing" },
  ]);
});

test("a number is one word, and values of fields change as a whole", () => {
  assert.deepEqual(diffWords("1,204 pages of the shop", "1,310 pages of the shop").slice(0, 2), [
    { kind: "removed", text: "1,204" },
    { kind: "added", text: "1,310" },
  ]);
  assert.deepEqual(diffWhole("1,204", "1,310"), [
    { kind: "removed", text: "1,204" },
    { kind: "added", text: "1,310" },
  ]);
  assert.deepEqual(diffWhole("", "3"), [{ kind: "added", text: "3" }]);
});

test("nothing and nothing", () => {
  assert.deepEqual(diffWords("", ""), []);
});

test("either side can be put together again from the parts, and neighbours differ in kind", () => {
  const words = fc.array(fc.constantFrom("a", "bb", " ", "  ", "-", "ü", "日本", "42"), { maxLength: 40 });
  fc.assert(
    fc.property(
      fc.oneof(
        words.map((all) => all.join("")),
        fc.string({ unit: "binary" }),
      ),
      words,
      (before, list) => {
        const after = list.join("");
        const parts = diffWords(before, after);
        assert.equal(side(parts, "removed"), before);
        assert.equal(side(parts, "added"), after);
        for (const [at, { kind }] of parts.entries()) assert.notEqual(kind, parts[at + 1]?.kind);
      },
    ),
  );
});

test("two very long texts take no time", () => {
  const text = Array.from({ length: 3_000 }, (_, at) => `w${at}`).join(" ");
  assert.equal(side(diffWords(text, text.replaceAll("w", "v")), "added"), text.replaceAll("w", "v"));
});
