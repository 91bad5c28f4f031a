/** The layout of help: terms in a column, long ones on a separate line, and examples at the end. */
import type { Command, Help, Option } from "commander";
import { wrap } from "./output/table.ts";
import type { Terminal } from "./output/terminal.ts";

const INDENT = 2;
/** Where descriptions begin. Wider terms would leave too little room beside them at 80 columns. */
const TERM_WIDTH = 24;

export function configureHelp(program: Command, terminal: Terminal): void {
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
    optionTerm,
    subcommandTerm,
    styleTitle: (title) => terminal.style.bold(title),
  });
}

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

/** A switch that is on is shown by the flag that turns it off, but its description says what it does. */
const optionTerm = ({ flags, negate }: Option): string => (negate ? flags.replace("--no-", "--[no-]") : flags);

/** A command with its arguments; "[options]" is left out, because every command has some. */
function subcommandTerm(command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? "..." : "");
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(" ");
}
