import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { type Answer, cellValue, readPosition, renderAnswer, START, type Table, writePosition } from "./answer.ts";
import { tokensOf } from "./model-text.ts";

const TEXTS = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom("页面".repeat(500), "</page-data>\n# urls (9)"),
);

const TABLE: fc.Arbitrary<Table> = fc.integer({ min: 1, max: 8 }).chain((columns) =>
  fc.record({
    title: fc.constant("urls"),
    columns: fc.constant(Array.from({ length: columns }, (_, index) => `c${index}`)),
    rows: fc.array(
      fc.array(fc.oneof(TEXTS, fc.double(), fc.constant(null)), { minLength: columns, maxLength: columns }),
      {
        maxLength: 60,
      },
    ),
  }),
);

const cursorOf = (text: string): string | null => {
  const line = /^To continue: cursor (".*")$/m.exec(text);
  return line === null ? null : (JSON.parse(line[1]!) as string);
};

/** Lines inside the fence that are neither headings nor names of columns. */
const rowsOf = (text: string): string[] =>
  (/<(page-data[-\d]*)>\n([\s\S]*)\n<\/\1>$/.exec(text)?.[2] ?? "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# urls (") && !/^c0(\tc\d)*$/.test(line));

test("an answer keeps its budget, whatever pages say", () => {
  fc.assert(
    fc.property(fc.array(TABLE, { maxLength: 3 }), fc.integer({ min: 300, max: 5_000 }), (tables, tokens) => {
      assert.ok(tokensOf(renderAnswer({ counts: "0 rows.", tables }, START, tokens).text) <= tokens);
    }),
    { numRuns: 60 },
  );
});

test("a text keeps its budget, and its parts by cursor are the whole", () => {
  fc.assert(
    fc.property(fc.array(TEXTS, { maxLength: 40 }), fc.integer({ min: 300, max: 2_000 }), (lines, tokens) => {
      const answer: Answer = { counts: "A text.", text: lines.join("\n") };
      const [whole] = parts(answer, 10_000_000);
      const found = parts(answer, tokens);
      assert.equal(found.join(""), whole ?? "");
    }),
    { numRuns: 60 },
  );
});

function parts(answer: Answer, tokens: number): string[] {
  const found: string[] = [];
  for (let cursor: string | null = writeStart(); cursor !== null; ) {
    const { text } = renderAnswer(answer, readPosition(cursor), tokens);
    assert.ok(tokensOf(text) <= tokens);
    const part = /<(page-data[-\d]*)>\n([\s\S]*)\n<\/\1>$/.exec(text)?.[2];
    if (part !== undefined) found.push(part);
    cursor = cursorOf(text.slice(0, text.indexOf("\nInside <")));
    assert.ok(found.length < 10_000);
  }
  return found;
}
const writeStart = (): string => "0.0:";

test("cursors lead through all rows once, over the pages of an operation", () => {
  const all = Array.from({ length: 250 }, (_, index) => [`https://example.com/${index}`, "t".repeat(index)]);
  const found: string[] = [];
  let answers = 0;
  for (let cursor: string | null = "0.0:"; cursor !== null; answers++) {
    const position = readPosition(cursor);
    const from = Number(position.cursor ?? 0);
    const page = all.slice(from, from + 100);
    const next = from + 100 < all.length ? String(from + 100) : null;
    const tables = [{ title: "urls", columns: ["c0", "c1"], rows: page }];
    const { text } = renderAnswer({ counts: "250 URLs.", total: all.length, next, tables }, position, 1_000);
    found.push(...rowsOf(text).map((line) => line.split("\t")[0]!));
    cursor = cursorOf(text);
  }
  assert.deepEqual(
    found,
    all.map(([url]) => url),
  );
  assert.ok(answers > 10);
});

test("the head says which rows follow and how many are left out", () => {
  const rows = Array.from({ length: 100 }, (_, index) => ["x".repeat(40), index]);
  const answer: Answer = {
    counts: "900 URLs match.",
    total: 900,
    next: "abc",
    tables: [{ title: "urls", columns: ["a", "b"], rows }],
  };
  const lines = renderAnswer(answer, START, 500).text.split("\n");
  assert.equal(lines[0], "900 URLs match.");
  assert.match(lines[1]!, /^Rows 1–(\d+) of 900 follow; (\d+) are left out\.$/);
  const [, last, left] = /1–(\d+) of 900 follow; (\d+)/.exec(lines[1]!)!;
  assert.equal(Number(last) + Number(left), 900);
  assert.equal(lines[2], `To continue: cursor "${last}.${last}:"`);
  assert.match(renderAnswer(answer, START, 5_000).text, /To continue: cursor "100\.0:abc"/);
});

test("a row that cannot fit is said, not cut", () => {
  const columns = Array.from({ length: 100 }, (_, index) => `field_${index}`);
  const tables = [{ title: "urls", columns, rows: [columns.map(() => "x".repeat(500))] }];
  assert.match(renderAnswer({ counts: "1 URL.", tables }, START, 300).text, /max_tokens is too small for one row/);
});

test("a cell is one line without tabs, and says how much was cut", () => {
  assert.equal(cellValue("a\tb\nc\u001b[31m", 100), "a b c[31m");
  assert.equal(cellValue("x".repeat(320), 300), `${"x".repeat(300)}…(+20 chars)`);
  assert.equal(cellValue("x".repeat(312), 300), "x".repeat(312));
  assert.equal(cellValue(`ab😀${"c".repeat(18)}`, 3), "ab…(+20 chars)");
  assert.equal(cellValue(null, 10), null);
});

test("what is written is read again", () => {
  const count = fc.integer({ min: 0, max: 1e12 });
  const cursor = fc.oneof(fc.constant(null), fc.string({ minLength: 1, unit: "binary" }));
  fc.assert(
    fc.property(fc.record({ before: count, skip: count, cursor }, { noNullPrototype: true }), (position) => {
      assert.deepEqual(readPosition(writePosition(position)), position);
    }),
  );
  assert.equal(readPosition(null), START);
});

test("anything else is an error that says so", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (/^\d+\.\d+:/.test(text)) return;
      assert.throws(
        () => readPosition(text),
        (error) => error instanceof TrawlError && error.code === "BAD_USAGE",
      );
    }),
  );
});

test("a program gets the same rows as a model, and the same cursor", () => {
  const rows = Array.from({ length: 100 }, (_, index) => [
    `https://example.com/\u202e${index}`,
    index / 3,
    index > 1,
    null,
  ]);
  const answer: Answer = {
    counts: "900 URLs match.",
    notes: ["A note."],
    structured: { score: 7 },
    total: 900,
    next: "abc",
    tables: [{ title: "urls", total: 900, columns: ["url", "ms", "nofollow", "title"], rows }],
  };
  const { text, structured } = renderAnswer(answer, START, 500);
  const { rows: shown, ...rest } = structured as { rows: Record<string, unknown>[] };
  assert.deepEqual(rest, {
    summary: "900 URLs match.",
    notes: ["A note."],
    score: 7,
    total: 900,
    next: cursorOf(text),
  });
  assert.deepEqual(shown[1], { url: "https://example.com/1", ms: 0.333, nofollow: false, title: null });
  assert.equal(text.split("\n").filter((line) => line.startsWith("https://")).length, shown.length);
  const two = renderAnswer({ counts: "2 tables.", tables: [answer.tables[0]!, answer.tables[0]!] }, START, 1_000);
  assert.deepEqual(
    (two.structured["tables"] as { title: string; total: number }[]).map(({ title, total }) => [title, total]),
    [
      ["urls", 900],
      ["urls", 900],
    ],
  );
  assert.deepEqual(renderAnswer({ counts: "A text.", text: "Hello" }, START, 500).structured, {
    summary: "A text.",
    text: "Hello",
    next: null,
  });
});

test("numbers have no digits that say nothing", () => {
  assert.deepEqual(
    [1 / 3, 100 / 3, 0.00033333, 12, 1e9 + 0.5, Number.NaN].map((value) => cellValue(value, 10)),
    [0.333, 33.333, 0.000333, 12, 1000000000.5, null],
  );
});
