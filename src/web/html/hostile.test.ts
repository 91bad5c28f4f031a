import assert from "node:assert/strict";
import { test } from "node:test";
import { type HtmlVisitor, scanHtml } from "./scan-html.ts";

/** Pieces that make a careless tokenizer search the rest of the page again and again. */
const PIECES = [
  ...[
    "<",
    "</",
    "<!",
    "<!--",
    "<!---",
    "-->",
    "<!--x--",
    "<script>",
    "<script><!--<script>",
    "</script",
    "<title>",
    "</title",
  ],
  ...[
    "<style>",
    "&",
    "&#",
    "&amp",
    "<a href='",
    '<a href="x',
    "<a ",
    "<a x",
    "<a x=",
    "<a/",
    "<svg>",
    "<svg><title>",
    "</svg>",
  ],
  ...[
    "<![CDATA[",
    "<svg><![CDATA[",
    "<?",
    "<plaintext>",
    "<p>",
    "</p>",
    "\0",
    "<textarea></textare",
    "--!",
    "<x-y>",
    "a < b ",
  ],
];

function countingVisitor(): HtmlVisitor & { calls: number; characters: number } {
  return {
    calls: 0,
    characters: 0,
    open(_tag, attributes) {
      this.calls++;
      attributes.get("href");
    },
    close() {
      this.calls++;
    },
    text(_source, start, end) {
      this.calls++;
      this.characters += end - start;
    },
  };
}

/** CPU time, so that a busy machine does not fail the test. */
function cpuMilliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1_000;
}

for (const piece of PIECES) {
  test(`stays linear on 5 MB of ${JSON.stringify(piece)}`, () => {
    const html = piece.repeat(Math.ceil(5_000_000 / piece.length));
    const visitor = countingVisitor();
    // A quadratic scanner needs minutes here; a linear one about 0.1 s.
    const spent = cpuMilliseconds(() => scanHtml(html, visitor));
    assert.ok(spent < 3_000, `took ${spent} ms`);
    assert.ok(visitor.characters <= html.length, "no character is reported twice");
    assert.ok(visitor.calls <= html.length);
  });
}

test("stays linear on one tag with a million attributes", () => {
  const visitor = countingVisitor();
  const spent = cpuMilliseconds(() => scanHtml(`<a ${"x y=1 ".repeat(1_000_000)}>`, visitor));
  assert.ok(spent < 3_000, `took ${spent} ms`);
  assert.equal(visitor.calls, 1);
});
