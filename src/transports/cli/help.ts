/** The layout of help: terms in a column, long ones on a separate line, and examples at the end. */
import { type Argument, type Command, Help, type Option } from "commander";
import { wrap } from "./output/table.ts";
import type { Terminal } from "./output/terminal.ts";

const INDENT = 2;
/** Where descriptions begin. Wider terms would leave too little room at 80 columns. */
const TERM_WIDTH = 24;

/** A command with options of this group shows those of other groups only in `--help --all`. */
export const COMMON_GROUP = "Common settings:";
/** How the description of a switch that is on ends. */
export const ON_BY_DEFAULT = "(default: on)";

export function configureHelp(program: Command, terminal: Terminal, { all }: { all: boolean }): void {
  program.configureOutput({
    writeOut: (text) => terminal.write(text),
    writeErr: (text) => terminal.note(text.trimEnd()),
    // Errors are reported in one place, with their code and hint.
    outputError: () => {},
    getOutHelpWidth: () => terminal.proseWidth,
    getOutHasColors: () => terminal.isInteractive,
  });
  program.configureHelp({
    formatItem,
    visibleOptions: (command) => (all ? allOptions(command) : shortOptions(command)),
    optionTerm,
    optionDescription,
    argumentDescription,
    subcommandTerm,
    styleTitle: (title) => terminal.style.bold(title),
  });
}

const allOptions = (command: Command): Option[] => Help.prototype.visibleOptions.call(new Help(), command);

/** A command without common settings shows all it has. */
function shortOptions(command: Command): Option[] {
  const options = allOptions(command);
  const isCommon = ({ helpGroupHeading }: Option) => helpGroupHeading === COMMON_GROUP;
  return options.some(isCommon)
    ? options.filter((option) => option.helpGroupHeading === undefined || isCommon(option))
    : options;
}

/** Says how to see the rest, when the help of a command does not show all of its options. */
export const addMoreOptions = (command: Command, path: string): Command =>
  command.addHelpText("after", ({ command }) => {
    const hidden = allOptions(command).length - command.createHelp().visibleOptions(command).length;
    return hidden === 0 ? "" : `\n${hidden} more settings: trawl ${path} --help --all`;
  });

/** What can be typed, and what it does. */
export type Example = [command: string, meaning: string];

export function addExamples(command: Command, examples: Example[]): Command {
  const lines = examples.flatMap(([typed, meaning]) => [`  ${typed}`, `      ${meaning}`]);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

function formatItem(this: Help, term: string, _termWidth: number, description: string, helper: Help): string {
  const indent = " ".repeat(INDENT);
  if (description === "") return indent + term;
  const start = INDENT + TERM_WIDTH + 2;
  const lines = wrap(description, (this.helpWidth ?? 80) - start).map((line) => " ".repeat(start) + line);
  const width = helper.displayWidth(term);
  if (width > TERM_WIDTH) return [indent + term, ...lines].join("\n");
  const [first, ...rest] = lines;
  return [indent + term + " ".repeat(TERM_WIDTH - width + 2) + first!.trimStart(), ...rest].join("\n");
}

/** A setting that is on by default is described by what it does. Other flags describe themselves and have no second form. */
const optionTerm = ({ flags, negate, description }: Option): string =>
  negate && description.endsWith(ON_BY_DEFAULT) ? flags.replace("--no-", "--[no-]") : flags;

/** Defaults as one would type them, without JSON's quotes and brackets; an empty list is not shown. */
function withTypedDefault<Named extends Option | Argument>(described: Named): Named {
  const { defaultValue } = described;
  const typed = Array.isArray(defaultValue) ? defaultValue.join(",") : defaultValue;
  if (typeof typed !== "string") return described;
  const value = typed === "" ? undefined : typed;
  return Object.create(described, { defaultValue: { value }, defaultValueDescription: { value } });
}

function optionDescription(option: Option): string {
  const { argChoices } = option;
  if (argChoices === undefined) return Help.prototype.optionDescription.call(new Help(), withTypedDefault(option));
  const described = `${option.description} One of: ${argChoices.join(", ")}.`;
  const plain = Object.create(withTypedDefault(option), {
    argChoices: {},
    description: { value: described },
  }) as Option;
  return Help.prototype.optionDescription.call(new Help(), plain);
}

const argumentDescription = (argument: Argument): string =>
  Help.prototype.argumentDescription.call(new Help(), withTypedDefault(argument));

/** A command with its arguments; "[options]" is left out, because every command has some. */
function subcommandTerm(command: Command): string {
  const taken = command.usage().replace(/\[(options|command)\] ?/g, "");
  return `${command.name()} ${taken}`.trimEnd();
}
