/** The options that choose among fetched URLs: `--status`, `--older`, `--type` and `--match`. */
import type { Command } from "commander";
import type { Choice } from "../../../../app/archive/look.ts";
import type { Workspace } from "../../../../app/archive/workspace.ts";

export interface ChoiceOptions {
  status: string[];
  older?: string;
  type: string[];
  match: string[];
}

export const addChoice = (command: Command): Command =>
  command
    .option("--status <list>", "Only these statuses: 503, 5xx, 0 for no answer. Repeatable.", listed, [])
    .option("--older <age>", "Only what was last fetched longer ago than this: 90s, 30m, 12h, 7d, 2w.")
    .option("--type <list>", "Only these page types, such as issues. Repeatable.", listed, [])
    .option("--match <pattern>", "Only URLs that match: a glob, or /regex/. Repeatable.", collected, []);

const collected = (value: string, before: string[]): string[] => [...before, value];
const listed = (value: string, before: string[]): string[] => [
  ...before,
  ...value.split(",").map((part) => part.trim()),
];

export const isChosen = ({ status, older, type, match }: ChoiceOptions): boolean =>
  older !== undefined || status.length + type.length + match.length > 0;

/** The same flags, for a command to type next. */
export function chosenFlags({ status, older, type, match }: ChoiceOptions): string {
  const flag = (name: string, value: string | undefined) => (value === undefined ? "" : ` --${name} ${value}`);
  const lists =
    flag("status", status.join() || undefined) + flag("older", older) + flag("type", type.join() || undefined);
  return lists + match.map((pattern) => ` --match '${pattern.replaceAll("'", "'\\''")}'`).join("");
}

/** What was typed. Throws on values that make no sense. */
export async function readChoice(
  { status, older, type, match }: ChoiceOptions,
  { settings }: Workspace,
  now: number,
): Promise<Choice> {
  const { chooser, parseAge, parseStatuses, parseTypes } = await import("../../../../app/archive/look.ts");
  const known = settings.profile.page_types.map(({ name }) => name);
  const choice: Choice = {
    ...(status.length > 0 && { statuses: parseStatuses(status) }),
    ...(older !== undefined && { before: Math.floor(now / 1_000 - parseAge(older)) }),
    ...(type.length > 0 && { types: parseTypes(type, known) }),
    ...(match.length > 0 && { match }),
  };
  // A wrong pattern is reported now, not in the middle of a run.
  chooser(choice);
  return choice;
}
