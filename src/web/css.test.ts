import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cssUrls } from "./css.ts";

function urls(css: string): string[] {
  return cssUrls(css).map(({ kind, url }) => `${kind} ${url}`);
}

const CASES: Record<string, [css: string, urls: string[]]> = {
  nothing: ["body { color: red }", []],
  unquoted: ["a { background: url( a.png ) }", ["image a.png"]],
  quoted: [`a { background: URL("a b.png") } b { background: url('c(d).png') }`, ["image a b.png", "image c(d).png"]],
  "several in one value": ["a { background: url(a.png), url(b.png) }", ["image a.png", "image b.png"]],
  "import of a string": [`@import "a.css" screen; @IMPORT 'b.css';`, ["import a.css", "import b.css"]],
  "import of a url": [`@import url(a.css) layer(x) supports(display: grid);`, ["import a.css"]],
  "import has one url only": [`@import "a.css" supports("b.css"); a { b: url(c) }`, ["import a.css", "image c"]],
  "font face": [
    "@font-face { src: local('x'), url(a.woff2) format('woff2') } a { b: url(c.png) }",
    ["font a.woff2", "image c.png"],
  ],
  "font face in a layer": ["@layer x { @font-face { src: url(a) } b { c: url(d) } }", ["font a", "image d"]],
  "namespace loads nothing": ["@namespace svg url(http://www.w3.org/2000/svg); a { b: url(c) }", ["image c"]],
  "comments are skipped": ["/* url(a) */ a { b: url(c) } /* url(d)", ["image c"]],
  "comment signs in an unquoted url belong to it": ["a { b: url(//x/*/y.png) }", ["image //x/*/y.png"]],
  "strings hold no urls": [`a::after { content: "url(b)" } c { d: url(e) }`, ["image e"]],
  "data and fragments load nothing": ["a { b: url(data:image/png,x); c: url(#d); e: url(); f: url('DATA:x') }", []],
  escapes: ["a { b: url(c\\(d\\)\\26 e.png) } f { g: url('h\\\ni') }", ["image c(d)&e.png", "image hi"]],
  "another function": ["a { b: my-url(c); d: url-prefix(e); f: xurl(g); h: url(i) }", ["image i"]],
  "bad url": ["a { b: url(c d); e: url(f'g); h: url(i) }", ["image i"]],
  "bad string": ["a { b: 'c\n; d: url(e) }", ["image e"]],
  "unclosed url": ["a { b: url(c", ["image c"]],
};

for (const [name, [css, expected]] of Object.entries(CASES)) {
  test(`css: ${name}`, () => assert.deepEqual(urls(css), expected));
}

test("finds every URL of a generated sheet", () => {
  const url = fc.stringMatching(/^[a-z0-9/._?=&-]{1,20}$/);
  const rule = fc.oneof(
    url.map((text) => [`a { background: #fff url(${text}) }`, `image ${text}`]),
    url.map((text) => [`@font-face { font-family: "x"; src: url("${text}") }`, `font ${text}`]),
    url.map((text) => [`@import '${text}';`, `import ${text}`]),
    url.map((text) => [`/* ${text} */ b { content: "\\"${text}" }`, null]),
  );
  fc.assert(
    fc.property(fc.array(rule), (rules) => {
      assert.deepEqual(
        urls(rules.map(([css]) => css).join("\n")),
        rules.map(([, expected]) => expected).filter((expected) => expected !== null),
      );
    }),
  );
});

test("never throws, whatever the characters", () => {
  const piece = fc.constantFrom(
    "url(",
    "@import",
    "@font-face",
    "{",
    "}",
    "(",
    ")",
    "'",
    '"',
    "\\",
    "\n",
    "/*",
    "*/",
    ";",
    "a",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      cssUrls(pieces.join(""));
    }),
  );
});

for (const piece of ["url(", "url('", "@import ", "/*", "\\", "{", "'", "a", "url(a\\", "url( ", "@import url(a "]) {
  test(`stays linear on 2 MB of ${JSON.stringify(piece)}`, () => {
    const before = process.cpuUsage();
    cssUrls(`url(a)${piece.repeat(2_000_000 / piece.length)}`);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 2_000_000);
  });
}
