/** `trawl mcp`: serves one agent over stdin and stdout. */
import type { Command } from "commander";
import { addJson, type Cli, type JsonOption, openApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listenForInterrupts } from "../interrupts.ts";

export function addMcpCommand(program: Command, cli: Cli): void {
  const command = program
    .command("mcp")
    .description(
      "Speaks the Model Context Protocol with the agent that started it, so that the agent can crawl and ask what was found. " +
        "When the agent goes away, crawls that it started are paused and can be resumed.",
    );
  addJson(command, "Print what an agent's configuration needs, and end.");
  addExamples(command, [
    ["trawl mcp --json", "what to put into the configuration of an agent"],
    ["claude mcp add trawl -- trawl mcp", "tells Claude Code of it"],
  ]);
  command.action((options: JsonOption) => (options.json ? printConfiguration(cli) : serve(cli)));
}

/** With the paths of this machine: agents start programs with a PATH of their own. */
function printConfiguration({ terminal, env }: Cli): void {
  const home = env["TRAWL_HOME"];
  const server = {
    command: process.execPath,
    args: [process.argv[1], "mcp"],
    ...(home ? { env: { TRAWL_HOME: home } } : {}),
  };
  terminal.json({ mcpServers: { trawl: server } });
}

async function serve(cli: Cli): Promise<void> {
  const { terminal } = cli;
  // Loaded here, so that other commands start without it.
  const { serveMcpOnStdio } = await import("../../mcp/server.ts");
  const ending = new AbortController();
  // A client that is gone, and a signal, mean the same as the end of stdin: crawls are paused before we leave.
  terminal.onClosed = () => ending.abort();
  const unlisten = listenForInterrupts((presses) => (presses > 1 ? process.exit(3) : ending.abort()));
  if (terminal.canAsk) {
    terminal.note("Waiting for an agent on stdin. `trawl mcp --json` prints how to connect one; Ctrl-C ends.");
  }
  const app = await openApp(cli);
  try {
    await serveMcpOnStdio(app, {
      stdin: terminal.stdin,
      stdout: terminal.stdout,
      signal: ending.signal,
      log: (line) => terminal.note(line),
    });
  } finally {
    const own = app.activeCrawls.list().filter((crawl) => crawl.isOwn);
    await app.close();
    for (const { crawlId } of own) terminal.note(`Crawl ${crawlId} is paused: \`trawl resume ${crawlId}\` goes on.`);
    unlisten();
  }
}
