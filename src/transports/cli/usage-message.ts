/** Usage errors in our words: commander's differ from our other messages. */
import type { Command } from "commander";
import { didYouMean } from "../../settings/did-you-mean.ts";

type Rewrite = [pattern: RegExp, words: (...groups: string[]) => string];

const REWRITES: readonly Rewrite[] = [
  [
    /^option '(?:-\w, )?(\S+).*' argument '(.*)' is invalid\. (.*)$/s,
    (flag, given, why) => badValue(`${flag} ${given}`, given!, why!),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '.*'\. (.*)$/s,
    (given, why) => badValue(given!, given!, why!),
  ],
  [/^option '(.*)' argument missing$/, (flags) => `A value is missing: ${flags}.`],
  [/^missing required argument '(.*)'$/, (name) => `An argument is missing: <${name}>.`],
  [/^unknown (command|option) '([^']*)'(?:\n\(Did you mean (.*)\?\))?$/s, unknown],
  [
    /^too many arguments.*\. Expected (\d+) arguments? but got (\d+)/s,
    (most, given) =>
      `There are ${given} arguments; ${most === "0" ? "none is" : `at most ${most} ${most === "1" ? "is" : "are"}`} expected.`,
  ],
];

function unknown(kind?: string, given?: string, near?: string): string {
  const meant =
    near === undefined ? "." : `; did you mean ${near.replace(/^one of /, "").replace(/, (?=[^,]*$)/, " or ")}?`;
  return `There is no ${kind} ${given}${meant}`;
}

function badValue(typed: string, given: string, why: string): string {
  const choices = /^Allowed choices are (.*)\.$/.exec(why)?.[1]?.split(", ");
  if (choices === undefined) return `${typed}: ${why[0]!.toLowerCase()}${why.slice(1)}`;
  return `${typed}: it must be one of ${choices.join(", ")}${didYouMean(given, choices) || "."}`;
}

/** `message`: as commander words it. */
export function usageMessage(message: string): string {
  const plain = message.replace(/^error: /, "");
  for (const [pattern, words] of REWRITES) {
    const found = pattern.exec(plain);
    if (found !== null) return words(...found.slice(1));
  }
  return plain[0]!.toUpperCase() + plain.slice(1);
}

/** The command that was typed, as far as it could be recognised, such as `archive config`. */
export function typedCommand(program: Command, typed: readonly string[]): string {
  let command = program;
  const path: string[] = [];
  for (const word of typed) {
    const child = command.commands.find((each) => each.name() === word);
    if (child === undefined) break;
    path.push(word);
    command = child;
  }
  return path.join(" ");
}
