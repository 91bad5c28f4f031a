/** `trawl serve`: the web app, the REST API and MCP on one address. */
import { type Command, InvalidArgumentError } from "commander";
import { addJson, type Cli } from "../cli.ts";
import { addExamples } from "../help.ts";
import { readLimit, readNumber } from "../selection.ts";
import { type ServeOptions, serveUntilInterrupted, startServing } from "../serve-session.ts";

const USUAL_PORT = 8080;

export function addServeCommand(program: Command, cli: Cli): void {
  const command = program
    .command("serve")
    .description(
      "Serves the web app, the REST API (/docs), MCP for agents (/mcp) and metrics, on this machine only. Any other " +
        "address needs a token. Ctrl-C pauses the crawls that it runs; they can be resumed.",
    );
  addServeOptions(command);
  addExamples(command, [
    ["trawl serve", "at http://127.0.0.1:8080/"],
    ["trawl serve --port 0", "on any free port"],
    ["trawl serve --host 0.0.0.0", "for other machines too; prints a token"],
    ["TRAWL_TOKEN=… trawl serve --allow-host trawl.example.com", "behind a proxy of that name"],
  ]);
  command.action(async (options: ServeOptions) =>
    serveUntilInterrupted(cli, await startServing(cli, options), options),
  );
}

export function addServeOptions(command: Command): Command {
  const collect = (value: string, before: string[]): string[] => [...before, value];
  addJson(command, "Print JSON lines: where it is, and what was paused at the end.");
  return command
    .option("--port <n>", "Port; 0 takes any that is free.", readPort, USUAL_PORT)
    .option("--host <address>", "Address to listen on; 0.0.0.0 for all.", "127.0.0.1")
    .option("--token <token>", "Ask for this token, or that of TRAWL_TOKEN; one is made where one is needed.")
    .option("--allow-host <name>", "Answer to this name too; repeat for more.", collect, [])
    .option("--cors <origin>", "Let scripts of this website ask; repeat for more.", readOrigin, [])
    .option("--max-fetches <n>", "Requests under way at once, of all crawls together.", readLimit)
    .option("--no-update-check", "Ask the package registry for a newer version.")
    .option("--no-ui", "The web app, beside the API.");
}

function readPort(value: string): number {
  const port = readNumber(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("It must be 0 to 65535.");
  return port;
}

function readOrigin(value: string, before: string[]): string[] {
  // Anything but the exact form that browsers send would never match, and nobody would know why.
  if (!URL.canParse(value) || new URL(value).origin !== value || !/^https?:/.test(value)) {
    throw new InvalidArgumentError("It must be of the form https://example.com, with nothing after the name.");
  }
  return [...before, value];
}
