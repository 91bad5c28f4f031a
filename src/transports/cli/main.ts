/** The entry point of the command line: parses the arguments, runs the command, and returns its exit code. */
import { CommanderError } from "commander";
import { type Cli, version } from "./cli.ts";
import { Terminal, type TerminalStreams } from "./output/terminal.ts";
import { createProgram } from "./program.ts";
import { reportError } from "./report-error.ts";
import { typedCommand } from "./usage-message.ts";

/** Runs one command and returns its exit code. */
export async function main(typed: string[], streams: TerminalStreams, env: NodeJS.ProcessEnv): Promise<number> {
  const terminal = new Terminal(streams, env);
  // A reader that closes the pipe is not an error; a full disk is.
  terminal.onClosed = (failed) => process.exit(failed ? 1 : 0);
  const cli: Cli = { terminal, env, exitCode: 0 };
  let command = "";
  try {
    const program = await createProgram(cli, version(), typed);
    command = typedCommand(program, typed);
    await program.parseAsync(typed.length === 0 ? ["--help"] : typed, { from: "user" });
  } catch (error) {
    // Help and version end this way too.
    if (error instanceof CommanderError && error.exitCode === 0) cli.exitCode = 0;
    else
      cli.exitCode = reportError(error, {
        terminal,
        json: typed.includes("--json"),
        debug: Boolean(env["TRAWL_DEBUG"]),
        command,
      });
  }
  await terminal.flush();
  return cli.exitCode;
}
