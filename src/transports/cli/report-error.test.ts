import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { CommanderError } from "commander";
import { TrawlError } from "../../errors.ts";
import { Terminal } from "./output/terminal.ts";
import { reportError } from "./report-error.ts";

function report(error: unknown, options: { json?: boolean; debug?: boolean; command?: string } = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const terminal = new Terminal({ stdin, stdout, stderr }, {});
  const exit = reportError(error, { terminal, json: false, debug: false, ...options });
  return { exit, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

test("an error of ours has its message, its hint and its exit code", () => {
  const { exit, stdout, stderr } = report(new TrawlError("BAD_CONFIG", "first\nsecond"));
  assert.equal(exit, 2);
  assert.match(stderr, /^error: first\n {2}second\nhint: Fix .*\n$/);
  assert.equal(stdout, "");
});

test("hosts are shown in Unicode, and stay in ASCII for programs", () => {
  const error = new TrawlError("START_FAILED", "http://xn--mnchen-3ya.example/ answered 404.");
  assert.match(report(error).stderr, /^error: http:\/\/münchen\.example\/ answered 404\.$/m);
  assert.match(report(error, { json: true }).stdout, /xn--mnchen-3ya/);
});

test("in an archive, hints name its commands; a hint for this very case stays", () => {
  for (const code of ["BAD_CONFIG", "BAD_USAGE", "STORE_FAILED", "MACHINE_TROUBLE", "INTERNAL"] as const) {
    const { stderr } = report(new TrawlError(code), { command: "archive run" });
    assert.match(stderr, /^hint: .*`trawl archive /m, code);
    assert.doesNotMatch(stderr, /`trawl (?!archive)/, code);
  }
  assert.match(
    report(new TrawlError("BAD_USAGE", "x", { hint: "Do y." }), { command: "archive" }).stderr,
    /hint: Do y\./,
  );
  assert.equal(report(new TrawlError("DISK_FULL")).exit, 3);
});

test("with JSON it is one line on standard output", () => {
  const { stdout, stderr } = report(new TrawlError("CRAWL_BUSY"), { json: true });
  const { event, code } = JSON.parse(stdout) as { event: string; code: string };
  assert.deepEqual([event, code, stderr], ["error", "CRAWL_BUSY", ""]);
});

test("what was typed wrongly is bad usage", () => {
  const { exit, stderr } = report(new CommanderError(1, "commander.unknownOption", "error: unknown option '--x'"));
  assert.equal(exit, 2);
  assert.match(stderr, /^error: There is no option --x\.\nhint: /);
});

test("anything else is our bug: one line, and a stack only when asked for", () => {
  const error = new Error("disk\u001b[31m on fire\nsecond line");
  const { exit, stderr } = report(error);
  assert.equal(exit, 1);
  assert.match(stderr, /^error: Trawl failed because of a bug\. disk\[31m on fire\nhint: Please report it.*\n$/);
  assert.match(report(error, { debug: true }).stderr, /report-error\.test\.ts/);
});
