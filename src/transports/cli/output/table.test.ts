import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cut, padEnd, padStart, table, widthOf, wrap } from "./table.ts";

const columns = [
  { title: "status", align: "right" as const },
  { title: "url", least: 10 },
  { title: "title", least: 8 },
];

test("columns are as wide as they need, numbers to the right", () => {
  const lines = table({
    columns,
    rows: [
      ["200", "https://example.com/", "Home"],
      ["404", "https://example.com/a", ""],
    ],
    width: 80,
    heading: (text) => text,
  });
  assert.deepEqual(lines, [
    "status  url                    title",
    "   200  https://example.com/   Home",
    "   404  https://example.com/a",
  ]);
});

test("the widest column gives way first", () => {
  const rows = [
    ["200", `https://example.com/${"a/long/path/".repeat(3)}`, "A title of a few words more than fit in it"],
  ];
  const lines = table({ columns, rows, width: 80 });
  assert.deepEqual(lines, [
    "200  https://example.com/a/long/path/a/lon  A title of a few words more than fi…",
    "     g/path/a/long/path/",
  ]);
});

test("an address is never cut, nor what is said to be whole: it is broken into lines", () => {
  const long = `https://example.com/${"a/very/long/path/".repeat(4)}end`;
  const text = `${"many words ".repeat(8)}(the.id)`;
  const whole = [
    { title: "", least: 10 },
    { title: "", least: 20, whole: true },
  ];
  const lines = table({ columns: whole, rows: [[long, text]], width: 80 });
  assert.equal(lines.map((line) => /^\S*/.exec(line)![0]).join(""), long);
  assert.match(lines.at(-1)!, /\(the\.id\)$/);
  assert.doesNotMatch(lines.join(), /…/);
});

test("in a narrow terminal nothing is cut: long cells are broken into lines", () => {
  const url = "https://example.com/a/very/long/path/to/somewhere";
  const lines = table({ columns, rows: [["200", url, "A title of five whole words"]], width: 40 });
  assert.deepEqual(lines, [
    "200  https://example.c  A title of five",
    "     om/a/very/long/pa  whole words",
    "     th/to/somewhere",
  ]);
});

test("where nothing is cut, a long cell runs over and leaves the others in place", () => {
  const long = "x".repeat(90);
  const lines = table({
    columns,
    rows: [
      ["200", long, "A"],
      ["404", "short", "B"],
    ],
    width: Number.POSITIVE_INFINITY,
  });
  assert.deepEqual(lines, [`200  ${long}  A`, `404  short${" ".repeat(55)}  B`]);
});

test("a wrapped last column goes on under itself", () => {
  const lines = table({
    columns: [{ title: "code" }, { title: "meaning", wrapped: true, least: 10 }],
    rows: [["external", "It is on another host."]],
    width: 24,
    indent: 2,
  });
  assert.deepEqual(lines, ["  external  It is on", "            another", "            host."]);
});

test("cells that may be cut never run over the edge", () => {
  const text = fc.string({ unit: "grapheme-ascii" });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), fc.integer({ min: 30, max: 120 }), (rows, width) => {
      const flexible = [
        { title: "a", least: 8 },
        { title: "b", least: 8 },
      ];
      for (const line of table({ columns: flexible, rows, width })) assert.ok(widthOf(line) <= width);
    }),
  );
});

test("optional columns are left out, the last first, where they do not fit", () => {
  const all = [
    { title: "id" },
    { title: "time", optional: true },
    { title: "size", optional: true },
    { title: "url", least: 8 },
  ];
  const rows = [["1", "12 s", "34 KB", "https://example.com/"]];
  const shown = (width: number) => table({ columns: all, rows, width });
  assert.deepEqual(shown(80), ["1  12 s  34 KB  https://example.com/"]);
  assert.deepEqual(shown(24), ["1  12 s  34 KB  https://", "                example.", "                com/"]);
  assert.deepEqual(shown(23), ["1  12 s  https://exampl", "         e.com/"]);
  assert.deepEqual(shown(14), ["1  https://exa", "   mple.com/"]);
});

test("wide characters take two columns, marks and colours none", () => {
  assert.equal(widthOf("abc"), 3);
  assert.equal(widthOf("日本"), 4);
  assert.equal(widthOf("e\u0301"), 1);
  assert.equal(widthOf("\u001b[31mabc\u001b[39m"), 3);
});

test("a cut text ends in an ellipsis and fits", () => {
  assert.equal(cut("https://example.com/", 10), "https://e…");
  assert.equal(cut("日本語日本語", 6), "日本…");
  assert.equal(cut("short", 5), "short");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      assert.ok(widthOf(cut(text, columns)) <= columns);
    }),
  );
});

test("padding counts columns, not characters", () => {
  assert.equal(padEnd("日本", 6), "日本  ");
  assert.equal(padStart("7", 3), "  7");
  assert.equal(padEnd("longer", 3), "longer");
});

test("wrapping keeps every word, and breaks none", () => {
  assert.deepEqual(wrap("one two three", 7), ["one two", "three"]);
  assert.deepEqual(wrap("https://example.com/long rest", 10), ["https://example.com/long", "rest"]);
});

test("a table shows internationalised hosts in Unicode, and its columns stay in line", () => {
  const rows = [
    ["https://xn--mnchen-3ya.de/", "200"],
    ["https://example.com/abc/d", "404"],
  ];
  const columns = [{ title: "URL" }, { title: "Status" }];
  assert.deepEqual(table({ columns, rows, width: 80 }), [
    "https://münchen.de/        200",
    "https://example.com/abc/d  404",
  ]);
});
