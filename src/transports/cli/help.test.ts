import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { Command } from "commander";
import { main } from "./main.ts";
import { Terminal } from "./output/terminal.ts";
import { createProgram, createWholeProgram } from "./program.ts";

const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });

function commandPaths(command: Command, path: string[] = []): { command: Command; path: string[] }[] {
  return [{ command, path }, ...command.commands.flatMap((child) => commandPaths(child, [...path, child.name()]))];
}

async function helpOf(path: string[], columns?: number): Promise<string> {
  const { stdin, stdout, stderr } = streams();
  Object.assign(stdout, { columns });
  const written = text(stdout);
  assert.equal(await main([...path, "--help"], { stdin, stdout, stderr }, {}), 0);
  stdout.end();
  return written;
}

const cli = () => ({ terminal: new Terminal(streams(), {}), env: {}, exitCode: 0 });
const program = await createWholeProgram(cli(), "0.0.0");

for (const { command, path } of commandPaths(program)) {
  const isGroup = command.commands.length > 0 && path.join() !== "crawls";
  test(`trawl ${path.join(" ")} --help fits 80 columns, gives examples and has --json`, async () => {
    const help = await helpOf(path);
    for (const line of help.split("\n")) assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
    assert.ok(help.endsWith("\n") && !help.endsWith("\n\n"));
    assert.doesNotMatch(help.replaceAll(/\s+/g, " "), /\(default: (\[|")/);
    if (isGroup) return;
    assert.match(help, /^Examples:\n {2}trawl /m);
    assert.match(help, /^ {2}--json /m);
  });
}

test("in 60 columns only what is to be typed runs over", async () => {
  for (const path of [[], ["urls"], ["crawls", "rm"]]) {
    const prose = (await helpOf(path, 60)).split("\n").filter((line) => !line.startsWith("  trawl "));
    assert.deepEqual(
      prose.filter((line) => line.length > 60),
      [],
    );
  }
});

test("crawl --help is short and says how to see the rest; --all shows it after the common flags", async () => {
  const short = await helpOf(["crawl"]);
  assert.ok(short.includes("Common settings:") && !short.includes("Discovery:"));
  assert.match(short, /^\d+ more settings: trawl crawl --help --all$/m);
  const help = await helpOf(["crawl", "--all"]);
  assert.doesNotMatch(help, /more settings/);
  assert.ok(help.indexOf("Common settings:") < help.indexOf("Discovery:"));
  assert.match(help, /--parallelism <n> +Requests in flight at once\. \(default: 5\)/);
  assert.match(help, /--\[no-\]include-subdomains\n +Treat subdomains[^(]+\(default: on\)/);
});

test("only the command that was typed is loaded; of the others, the name and arguments are known", async () => {
  const loaded = async (...typed: string[]) => {
    const { commands } = await createProgram(cli(), "0.0.0", typed);
    return commands.filter((command) => command.description() !== "").map((command) => command.name());
  };
  assert.ok(program.commands.length > 20, "all are known");
  assert.deepEqual(await loaded("crawl", "why", "--json"), ["crawl"]);
  assert.deepEqual(await loaded("help", "why"), ["why"]);
  assert.deepEqual(await loaded("--help", "why"), ["why"]);
  for (const typed of [["--version"], [], ["help"], ["--help"], ["constructor"], ["help", "nonsense", "why"]]) {
    assert.deepEqual(await loaded(...typed), []);
  }
});

test("the list of commands says of each what its own help says", async () => {
  const terms = (program: Command) => program.commands.map((command) => program.createHelp().subcommandTerm(command));
  assert.deepEqual(terms(await createProgram(cli(), "0.0.0", [])), terms(program));
});
