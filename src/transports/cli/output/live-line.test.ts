import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { CLEAR_LINE, liveLine } from "./live-line.ts";
import { Terminal } from "./terminal.ts";

function terminalOf(isTTY: boolean) {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 20 });
  const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() }, {});
  return { terminal, written: () => String(stdout.read() ?? "") };
}

test("live line: at most five times a second, cut to the terminal, results above it", () => {
  const { terminal, written } = terminalOf(true);
  let now = 0;
  const line = liveLine(terminal, false, () => now);
  line.show(() => assert.fail("too early"));
  now = 200;
  line.show(() => "a text that is wider than that");
  line.show(() => assert.fail("too soon after the last"));
  line.say("a result");
  line.end();
  assert.equal(written(), `${CLEAR_LINE}a text that is wid…${CLEAR_LINE}a result\n${CLEAR_LINE}`);
});

test("live line: where nobody looks there are only results", () => {
  for (const [isTTY, json] of [
    [false, false],
    [true, true],
  ] as const) {
    const { terminal, written } = terminalOf(isTTY);
    const line = liveLine(terminal, json, () => 1_000_000);
    line.show(() => assert.fail());
    line.say("a result");
    line.end();
    assert.equal(written(), "a result\n");
  }
});
