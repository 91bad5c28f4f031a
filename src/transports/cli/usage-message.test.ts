import assert from "node:assert/strict";
import { test } from "node:test";
import { Argument, Command, CommanderError, Option } from "commander";
import { typedCommand, usageMessage } from "./usage-message.ts";

/** What commander says of these words, in ours. */
function said(typed: string[]): string {
  const program = new Command("trawl").exitOverride().configureOutput({ outputError: () => {} });
  const config = program.command("config");
  config.command("init").argument("[file]");
  config.command("show").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
  program
    .command("urls")
    .argument("<id>")
    .option("-n, --limit <n>", "", (text) => text)
    .addOption(new Option("--format <name>").choices(["csv", "jsonl"]));
  try {
    program.parse(typed, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return usageMessage(error.message);
  }
  return assert.fail("It was understood.");
}

test("what was typed wrongly is said as in every other error, with what was probably meant", () => {
  assert.equal(said(["urlss"]), "There is no command urlss; did you mean urls?");
  assert.equal(said(["config", "inti"]), "There is no command inti; did you mean init?");
  assert.equal(said(["urls", "1", "--limt", "3"]), "There is no option --limt; did you mean --limit?");
  assert.equal(said(["urls", "1", "--quite"]), "There is no option --quite.");
  assert.equal(said(["urls"]), "An argument is missing: <id>.");
  assert.equal(said(["urls", "1", "--limit"]), "A value is missing: -n, --limit <n>.");
  assert.equal(said(["urls", "1", "--format", "csx"]), "--format csx: it must be one of csv, jsonl; did you mean csv?");
  assert.equal(said(["config", "show", "zshh"]), "zshh: it must be one of bash, zsh; did you mean zsh?");
  assert.equal(said(["urls", "1", "2"]), "There are 2 arguments; at most 1 is expected.");
});

test("the command is what the words name, as far as they do", () => {
  const program = new Command();
  program.command("archive").command("run");
  program.command("urls");
  assert.equal(typedCommand(program, ["archive", "run", "--json"]), "archive run");
  assert.equal(typedCommand(program, ["archive", "rum"]), "archive");
  assert.equal(typedCommand(program, ["urls", "archive"]), "urls");
  assert.equal(typedCommand(program, ["--json"]), "");
});
