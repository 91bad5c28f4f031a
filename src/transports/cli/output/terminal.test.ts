import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Terminal } from "./terminal.ts";

function isColoured(env: NodeJS.ProcessEnv, isTTY: boolean): boolean {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const { style } = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() }, env);
  return style.bold("x") !== "x";
}

const CASES: [env: NodeJS.ProcessEnv, onTerminal: boolean, inPipe: boolean][] = [
  [{}, true, false],
  [{ TERM: "dumb" }, false, false],
  [{ NO_COLOR: "1" }, false, false],
  [{ FORCE_COLOR: "1" }, true, true],
  [{ FORCE_COLOR: "0" }, false, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, false],
];

for (const [env, onTerminal, inPipe] of CASES) {
  test(`colours with ${JSON.stringify(env)}`, () => {
    assert.deepEqual([isColoured(env, true), isColoured(env, false)], [onTerminal, inPipe]);
  });
}

for (const isTTY of [true, false]) {
  test(`results ${isTTY ? "on a terminal show escape sequences instead of obeying them" : "in a pipe are exact"}`, async () => {
    const stdout = Object.assign(new PassThrough(), { isTTY });
    const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() }, {});
    terminal.stdout.write("a\u001b]0;x\u0007b\n");
    await new Promise(setImmediate);
    assert.equal(String(stdout.read()), isTTY ? "a\\u001b]0;x\\u0007b\n" : "a\u001b]0;x\u0007b\n");
  });
}
