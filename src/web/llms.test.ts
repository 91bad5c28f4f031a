import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readLlms } from "./llms.ts";

const GOOD = `# Shop

> A shop.

More about it, with [a link](/in-text).

## Docs

- [Start](https://shop.test/start.md): how to begin
* [Brackets](<https://shop.test/b>)

## Optional

- [Start again](https://shop.test/start.md)
`;

test("a good file has its links, each once, and no problems", () => {
  const links = ["/in-text", "https://shop.test/start.md", "https://shop.test/b"];
  assert.deepEqual(readLlms(GOOD), { links, problems: [] });
  assert.deepEqual(readLlms(`\uFEFF${GOOD.replaceAll("\n", "\r\n")}`), { links, problems: [] });
});

for (const [name, text, problems] of [
  ["empty", " \n", ["The file is empty"]],
  ["without a title", "## Docs\n- [a](/a)", ["It does not begin with a title (# Name)"]],
  ["with two titles", "# A\n# B\n## Docs\n- [a](/a)", ["It has 2 titles (# Name) instead of one"]],
  ["without links", "# A\n\nOnly text.", ["It lists no links: [name](address)"]],
  ["without sections", "# A\n- [a](/a)", ["Its links are not in sections (## Name)"]],
  ["with bare items", "# A\n## B\n- [a](/a)\n- /b", ["A list item that does not begin with a link: /b"]],
  ["whose links are code", "# A\n```\n[a](/a)\n```", ["It lists no links: [name](address)"]],
] as const) {
  test(`a file ${name}`, () => assert.deepEqual(readLlms(text).problems, problems));
}

test("any text is read", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => Array.isArray(readLlms(text).links)));
});
