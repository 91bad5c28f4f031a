/** `trawl mcp`: serves one agent over stdin and stdout. */
import type { Command } from "commander";
import { addJson, type Cli, type JsonOption, openApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listenForInterrupts } from "../interrupts.ts";

interface McpOptions extends JsonOption {
  allowPrivate?: true;
}

export function addMcpCommand(program: Command, cli: Cli): void {
  const command = program
    .command("mcp")
    .description(
      "Serves the Model Context Protocol (MCP) to the agent that started it, so that the agent can crawl and query the results. " +
        "When the agent disconnects, the crawls that it started are paused and can be resumed.",
    );
  command.option("--allow-private", "Let the agent start crawls of private addresses, such as a site on this machine.");
  addJson(command, "Print the configuration for an agent, and exit.");
  addExamples(command, [
    ["trawl mcp --json", "the configuration for an agent"],
    ["claude mcp add trawl -- trawl mcp", "adds it to Claude Code"],
  ]);
  command.action((options: McpOptions) => (options.json ? printConfiguration(cli, options) : serve(cli, options)));
}

/** With the paths of this machine: agents may start programs with a different PATH. */
function printConfiguration({ terminal, env }: Cli, { allowPrivate }: McpOptions): void {
  const home = env["TRAWL_HOME"];
  const server = {
    command: process.execPath,
    args: [process.argv[1], "mcp", ...(allowPrivate ? ["--allow-private"] : [])],
    ...(home ? { env: { TRAWL_HOME: home } } : {}),
  };
  terminal.json({ mcpServers: { trawl: server } });
}

async function serve(cli: Cli, { allowPrivate }: McpOptions): Promise<void> {
  const { terminal } = cli;
  // Loaded here, so that other commands start without it.
  const { serveMcpOnStdio } = await import("../../mcp/server.ts");
  const ending = new AbortController();
  // A lost client or a signal means the same as the end of stdin: crawls are paused before we exit.
  terminal.onClosed = () => ending.abort();
  const unlisten = listenForInterrupts((presses) => (presses > 1 ? process.exit(3) : ending.abort()));
  if (terminal.canAsk) {
    terminal.note("Waiting for an agent on stdin. `trawl mcp --json` prints how to connect one; press Ctrl-C to exit.");
  }
  const app = await openApp(cli);
  try {
    await serveMcpOnStdio(app, {
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      signal: ending.signal,
      allowPrivate,
      log: (line) => terminal.note(line),
    });
  } finally {
    const own = app.activeCrawls.list().filter((crawl) => crawl.isOwn);
    await app.close();
    for (const { crawlId } of own)
      terminal.note(`Crawl ${crawlId} is paused. Continue with \`trawl resume ${crawlId}\`.`);
    unlisten();
  }
}
