/** docs/reference/cli.md: the help of every command, as the command line prints it. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { main } from "../../src/transports/cli/main.ts";
import { Terminal } from "../../src/transports/cli/output/terminal.ts";
import { createWholeProgram } from "../../src/transports/cli/program.ts";
import { codeBlock, generatedNote } from "../markdown.ts";

export async function cliPage(): Promise<string> {
  const sections: string[] = [];
  for (const path of await commandPaths()) {
    const title = path.length === 0 ? "" : `## trawl ${path.join(" ")}\n\n`;
    sections.push(title + codeBlock("text", await helpOf(path)));
  }
  return [generatedNote("the commands' own `--help`"), HEAD, ...sections, ""].join("\n\n");
}

const HEAD = `# Command line

What \`trawl --help\` and \`trawl <command> --help\` print; of \`crawl\`, with \`--all\`.`;

/** Every command with those below it; the first is the program itself. */
export async function commandPaths(): Promise<string[][]> {
  const terminal = new Terminal(streams(), {});
  const program = await createWholeProgram({ terminal, env: {}, exitCode: 0 }, "");
  const below = (command: Command, path: string[]): string[][] => [
    path,
    ...command.commands.flatMap((child) => below(child, [...path, child.name()])),
  ];
  return below(program, []);
}

async function helpOf(path: readonly string[]): Promise<string> {
  const { stdin, stdout, stderr } = streams();
  const written = text(stdout);
  const exitCode = await main(
    [...path, "--help", ...(path.join() === "crawl" ? ["--all"] : [])],
    { stdin, stdout, stderr },
    {},
  );
  stdout.end();
  if (exitCode !== 0) throw new Error(`trawl ${path.join(" ")} --help ended with ${exitCode}`);
  return written;
}

/** No terminal: 80 columns, no colours. */
const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });
