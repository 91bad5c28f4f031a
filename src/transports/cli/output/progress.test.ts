import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { CLEAR_LINE, liveLine, progressLine } from "./progress.ts";
import { Terminal } from "./terminal.ts";

const progress = {
  state: "running" as const,
  discovered: 2_000,
  pages: 1_000,
  crawled: 1_234,
  broken: 3,
  open: 56,
  recorded: 8,
  skipped: 70,
  errors: 1,
  retries: 0,
  inFlight: 5,
  trouble: null,
};

test("the line says it all, and never runs over the edge", () => {
  const facts = { progress, perSecond: 45.34, elapsedMs: 27_400 };
  const line = "1,234 crawled · 56 open · 78 skipped · 1 error · 45.3 pages/s · 0:27";
  assert.equal(progressLine(facts, 80), line);
  assert.equal(progressLine(facts, 59), "1.2k crawled 56 open 78 skipped 1 error 45/s 0:27");
  assert.equal(progressLine(facts, 30).length, 30);
});

test("a large crawl fits 60 columns whole", () => {
  const large = { ...progress, crawled: 987_654, open: 987_654_321, skipped: 987_654, errors: 987_654 };
  const line = progressLine({ progress: large, perSecond: 98, elapsedMs: 2 * 3_600_000 }, 60);
  assert.equal(line, "988k crawled 988M open 988k skipped 988k errors 98/s 2:00:00");
});

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
