/** Commands shown in the documentation and the help: every one exists, with its flags. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "../../src/errors.ts";
import { FETCH_ERRORS } from "../../src/net/fetch-errors.ts";
import { documentationPages, readPage, samplesOf } from "../../tools/doc-samples.ts";

/** The help of each command by its name, such as `archive run`; the empty name is the program's own. */
const HELP = new Map(
  readPage("docs/reference/cli.md")
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n", 1)[0]!.replace(/^trawl ?/, ""), section]),
);

/** The words of each `trawl …` in a block of shell, without what the shell does with it. */
function commandsOf(block: string): string[][] {
  return block
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => [...line.matchAll(/(?:^|[&|;] *|\$ |npx |= *\S* )trawl ([^#|&>;]*)/g)])
    .map(([, words]) => (words!.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map(String));
}

/** The options of a command. Where its help is short, the settings are the ones that `trawl crawl` lists in full. */
function optionsOf(name: string): string {
  const help = HELP.get(name)!;
  return /more settings: .* --help --all$/m.test(help) ? `${help}\n${HELP.get("crawl")!}` : help;
}

/** What is wrong with a command; null when there is nothing. */
function mistake(words: string[]): string | null {
  const names: string[] = [];
  while (HELP.has([...names, words[names.length]].join(" "))) names.push(words[names.length]!);
  const name = names.join(" ");
  const next = words[names.length];
  if (/^Usage:.*\[command\]/m.test(HELP.get(name)!) && /^[a-z]/.test(next ?? "")) return `trawl ${name} has no ${next}`;
  for (const word of words.filter((text) => /^--[a-z]|^-[a-z]$/.test(text))) {
    const flag = word.split("=", 1)[0]!;
    if (flag === "--help") continue;
    const either = `(?:${flag}|${flag.replace(/^--(?:no-)?/, "--\\[no-\\]")})`;
    if (!new RegExp(`^ {2}(?:-\\w, )?${either}(?![\\w-])|^ {2}${flag}, `, "m").test(optionsOf(name))) {
      return `trawl ${name} has no ${flag}`;
    }
  }
  return null;
}

test("every command that the documentation shows exists, with its flags", () => {
  const shown = documentationPages().flatMap((path) =>
    ["sh", "console"]
      .flatMap((language) => samplesOf(readPage(path), language))
      .flatMap(commandsOf)
      .map((words) => ({ path, words })),
  );
  assert.ok(shown.length > 50);
  const wrong = shown.map(({ path, words }) => [path, mistake(words)]).filter(([, what]) => what !== null);
  assert.deepEqual(wrong, []);
});

test("every hint names commands and flags that exist", () => {
  const hints = [...Object.values(ERRORS), ...Object.values(FETCH_ERRORS)].flatMap(({ hint }) =>
    [...hint.matchAll(/`([^`]+)`/g)].map(([, typed]) => typed!.replace("<command>", "crawl").replaceAll(/<.*?>/g, "x")),
  );
  const commands = hints.flatMap((typed) => commandsOf(typed));
  assert.ok(commands.length > 20);
  assert.deepEqual(commands.map(mistake).filter(Boolean), []);
  // Chromium's own flags are not ours.
  const flags = hints.filter((typed) => /^--(?!headless)/.test(typed)).map((typed) => typed.split(" ", 1)[0]!);
  const help = [...HELP.values()].join("\n");
  assert.deepEqual(
    flags.filter((flag) => !help.includes(flag)),
    [],
  );
});

test("every example in the help of a command exists, with its flags", () => {
  const examples = [...HELP.values()].flatMap((help) =>
    commandsOf((help.split("\nExamples:\n")[1] ?? "").replaceAll(/^ {2}/gm, "")),
  );
  assert.ok(examples.length > 50);
  assert.deepEqual(
    examples.map(mistake).filter((what) => what !== null),
    [],
  );
});
