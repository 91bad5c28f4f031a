import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { completionScript, completionsOf, SHELLS } from "./completion.ts";
import { Terminal } from "./output/terminal.ts";
import { createWholeProgram } from "./program.ts";

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const completions = completionsOf(
  await createWholeProgram({ terminal: new Terminal(streams, {}), env: {}, exitCode: 0 }, ""),
);

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const script = `${completionScript("bash", completions)}
COMP_WORDS=(trawl "$@"); COMP_CWORD=$#; _trawl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

test("bash completes commands, commands of commands, options and their choices", () => {
  assert.deepEqual(offered("cra"), ["crawl", "crawls"]);
  assert.deepEqual(offered("archive", "ver"), ["verify"]);
  assert.deepEqual(offered("crawl", "https://example.com", "--max-r"), ["--max-redirects", "--max-repeated-segments"]);
  assert.deepEqual(offered("crawl", "--robots", ""), ["respect", "ignore", "ignore-report"]);
  assert.deepEqual(offered("urls", "last", "--filt"), ["--filter"]);
});

test("an option that takes a value gets what it takes, and files where that is free", () => {
  assert.deepEqual(offered("urls", "--sort", "-timeD"), ["-timeDns", "-timeDownload"]);
  assert.deepEqual(offered("export", "--fields", "url,titleC"), ["url,titleCount"]);
  assert.deepEqual(offered("crawl", "--robots", "=", "re"), ["respect"]);
  assert.deepEqual(offered("crawl", "--config", ""), []);
});

test("options are offered after a hyphen, and of a command without arguments at once", () => {
  assert.deepEqual(offered("urls", ""), ["last"]);
  assert.deepEqual(offered("list", ""), []);
  assert.ok(offered("list", "-").includes("--max-urls"));
  assert.ok(offered("mcp", "").includes("--allow-private"));
  assert.deepEqual(offered("completion", "z"), ["zsh"]);
});

test("an argument that no command is called is passed over; without a match the shell offers files", () => {
  assert.deepEqual(offered("crawls", "rm", "--jso"), ["--json"]);
  assert.deepEqual(offered("list", "urls"), []);
});

test("every command is in the script of every shell", () => {
  for (const shell of SHELLS) {
    const script = completionScript(shell, completions);
    for (const { path } of completions) assert.ok(script.includes(`"${path}|"`), `${shell}: ${path}`);
  }
});
