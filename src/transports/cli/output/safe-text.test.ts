import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { safeForeignText, safeText } from "./safe-text.ts";
import { Terminal } from "./terminal.ts";

const HOSTILE = [
  ...["\u001b[31m", "\u001b]0;title\u0007", "\u009b2J", "\b", "\r", "\u007f", "\u0000"],
  ...["\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e"],
  ...["\u2028", "\ufff9", "\u{e0041}", "\u{1d173}", "\u3164"],
];

function terminal(isTTY: boolean) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const made = new Terminal(
    { stdin, stdout: Object.assign(stdout, { isTTY }), stderr: Object.assign(stderr, { isTTY }) },
    {},
  );
  return { terminal: made, written: () => String(stdout.read() ?? ""), noted: () => String(stderr.read() ?? "") };
}

test("every way to a terminal is harmless, and every way to a pipe is exact", async () => {
  const foreign = `a${HOSTILE.join("b")}c`;
  for (const isTTY of [true, false]) {
    const { terminal: made, written, noted } = terminal(isTTY);
    made.stdout.write(`${foreign}\n`);
    made.json({ foreign });
    made.lines([foreign]);
    made.note(foreign);
    await made.flush();
    const [piped, json, ...lines] = written().split("\n");
    const everything = [piped, json, ...lines, noted()].join("");
    if (isTTY)
      assert.doesNotMatch(everything.replaceAll("\n", "").replaceAll("\u001b[31m", ""), /[\p{Cc}\p{Cf}\u2028\u3164]/u);
    else assert.deepEqual([piped, lines.join("\n")], [foreign, `${foreign}\n`]);
    assert.doesNotMatch(json!, /[\u0000-\u001f]/);
    assert.deepEqual(JSON.parse(json!), { foreign }, "the same value, however it is written");
    assert.doesNotMatch(isTTY ? piped! : "", /\u001b/, "text of others sets no colours");
  }
});

test("our own colours and progress lines pass; visible text in any script is left alone", () => {
  const own = "\r\u001b[2K\u001b[1mbold\u001b[22m\t\u001b[31mbad\u001b[39m\n";
  assert.equal(safeText(own), own);
  assert.equal(safeText("\u001b[2J\u001b[8m\r"), "\\u001b[2J\\u001b[8m\\u000d");
  const texts = "Prüfung 日本語 😀 עברית العربية \u0600١ é हिन्दी\r\n";
  assert.equal(safeForeignText(texts), texts);
});

test("a character that arrives in two pieces stays one, and nothing unsafe is ever left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.nat(), async (text, at) => {
      const { terminal: made, written } = terminal(true);
      const bytes = Buffer.from(text);
      made.stdout.write(bytes.subarray(0, at % (bytes.length + 1)));
      made.stdout.write(bytes.subarray(at % (bytes.length + 1)));
      await made.flush();
      const shown = written();
      assert.equal(shown, safeForeignText(text.toWellFormed()));
      assert.doesNotMatch(shown.replaceAll(/\r\n|[\n\t]/g, ""), /\p{Cc}/u);
    }),
  );
});
