import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { pageText } from "./page-text.ts";
import { ftsQuery } from "./search-archive.ts";

test("the text of a page is what a person reads", () => {
  const page = `<title>A &amp; B</title><style>no</style><script>no()</script><template>no</template>
    <svg><title>drawing</title></svg><h1>One</h1><p>wo<b>rd</b> &eacute;t&eacute;<br>two</p><td>x<td>y`;
  assert.deepEqual(pageText(Buffer.from(page), null), { title: "A & B", text: "drawing One word été two x y" });
});

describe("what people type, as a query", () => {
  const cases: [typed: string, query: string][] = [
    ["memory leak", '"memory" AND "leak"'],
    ['"use after free" -fixed', '"use after free" NOT "fixed"'],
    ["seg* c++ foo-bar", '"seg"* AND "c++" AND "foo-bar"'],
    ['a OR b) NEAR( "open', '"a" AND "OR" AND "b)" AND "NEAR(" AND "open"'],
    ["++ x", '"x"'],
  ];
  for (const [typed, query] of cases) it(typed, () => assert.equal(ftsQuery(typed), query));
  it("nothing to look for is refused", () => {
    for (const typed of ["", "  ", "++", "-fixed"]) assert.throws(() => ftsQuery(typed), { code: "BAD_USAGE" });
  });
});
