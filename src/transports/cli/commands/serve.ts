/** `trawl serve`: the web app, the REST API and MCP on one address, until it is interrupted. */

import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { App } from "../../../app/app.ts";
import { TrawlError } from "../../../errors.ts";
import type { RunningServer } from "../../http/server.ts";
import { clean, counted } from "../../texts.ts";
import { addJson, type Cli, openApp, PACKAGE_ROOT } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { readLimit, readPort } from "../selection.ts";

const USUAL_PORT = 8080;

export function addServeCommand(program: Command, cli: Cli): void {
  const command = program
    .command("serve")
    .description(
      "Serves the web app, the REST API (/docs), MCP for agents (/mcp) and metrics, on this machine only unless you pass another " +
        "address. Everyone needs the token: open the printed address in a browser, or have programs send the one in the file " +
        "`token` in the data folder. Ctrl-C ends it and pauses its crawls; they can be resumed.",
    );
  addServeOptions(command);
  addExamples(command, [
    ["trawl serve", "at http://127.0.0.1:8080/"],
    ["trawl serve --port 0", "on any free port"],
    ["trawl serve --host 0.0.0.0", "for other machines too"],
    ["trawl serve --token-file /run/secrets/trawl --allow-host trawl.example.com", "behind a proxy with that name"],
  ]);
  command.action(async (options: ServeOptions) =>
    serveUntilInterrupted(cli, await startServing(cli, options), options),
  );
}

export function addServeOptions(command: Command): Command {
  const collect = (value: string, before: string[]): string[] => [...before, value];
  addJson(command, "Print JSON lines: the address, and what was paused at the end.");
  return command
    .option("--port <n>", "Port; 0 for any free port.", readPort, USUAL_PORT)
    .option("--host <address>", "Address to listen on; 0.0.0.0 for all.", "127.0.0.1")
    .option(
      "--token-file <file>",
      "Require the token in this file, or the one in TRAWL_TOKEN (default: the file `token` in the data folder, made at the first start).",
    )
    .addOption(new Option("--token <token>").hideHelp())
    .option("--allow-host <name>", "Also answer to this host name. May be repeated.", collect, [])
    .option("--allow-private", "Let agents, and other machines, start crawls of private addresses.")
    .option("--cors <origin>", "Allow requests from scripts of this website. May be repeated.", readOrigin, [])
    .option("--max-fetches <n>", "Requests in flight at once, for all crawls together.", readLimit)
    .option("--no-update-check", "Do not check for a newer version.")
    .option("--no-ui", "Serve only the API, not the web app.");
}

function readOrigin(value: string, before: string[]): string[] {
  // Anything but the exact form that browsers send would never match, and the reason would be hard to find.
  if (!URL.canParse(value) || new URL(value).origin !== value || !/^https?:/.test(value)) {
    throw new InvalidArgumentError("It must have the form https://example.com, with nothing after the host name.");
  }
  return [...before, value];
}

/** A server in the terminal: starts it, prints its address, and closes it so that nothing is lost. */
export interface ServeOptions {
  json?: true;
  port: number;
  host: string;
  /** Refused: every user of the machine can read the command line of a process. */
  token?: string;
  tokenFile?: string;
  allowHost: string[];
  cors: string[];
  allowPrivate?: true;
  /** False with --no-ui. */
  ui: boolean;
  /** False with --no-update-check. */
  updateCheck: boolean;
  maxFetches?: number;
}

export interface Serving {
  app: App;
  server: RunningServer;
  /** Where the token is, if Trawl made it. */
  tokenFile: string | null;
  /** Closes both; the crawls of this process are paused, and their ids returned. */
  close(): Promise<number[]>;
}

/** Messages go to stderr. */
export async function startServing(cli: Cli, options: ServeOptions): Promise<Serving> {
  // Loaded here, so that other commands start without it.
  const [http, tokenFile, ui, note, mcp] = await Promise.all([
    import("../../http/server.ts"),
    import("../../http/token-file.ts"),
    import("../../http/web-app.ts"),
    import("../../http/server-note.ts"),
    import("../../mcp/server.ts"),
  ]);
  if (options.token !== undefined) throw tokenInSight();
  const { terminal, env } = cli;
  const uiFolder = options.ui ? await ui.prepareUi(PACKAGE_ROOT, (line) => terminal.note(clean(line))) : null;
  const app = await openApp(cli, {
    updateCheck: options.updateCheck,
    maxFetches: options.maxFetches,
    isServer: true,
  });
  const agents = mcp.createMcpHandler(app, { allowPrivate: options.allowPrivate });
  const closeApp = async (): Promise<number[]> => {
    const own = app.activeCrawls.list().filter(({ isOwn }) => isOwn);
    await agents.close();
    await app.close();
    return own.map(({ crawlId }) => crawlId);
  };
  try {
    const given = options.tokenFile === undefined ? env["TRAWL_TOKEN"] || null : tokenFile.readToken(options.tokenFile);
    const server = await http.startServer(app, {
      port: options.port,
      host: options.host,
      token: given ?? tokenFile.homeToken(app.home.root),
      allowedHosts: options.allowHost,
      allowedOrigins: options.cors,
      uiFolder,
      allowPrivate: options.allowPrivate === true,
      mcp: agents,
      onInternalError: (error) => reportInternal(cli, error),
    });
    const homeFile = tokenFile.homeTokenFile(app.home.root);
    app.scheduler.start();
    // A server that still answers stays registered: a desktop window beside `trawl serve` comes and goes.
    if ((await note.findServer(app.home.root)) === null) {
      try {
        note.writeServerNote(app.home.root, { pid: process.pid, url: server.url, token: server.token });
      } catch (error) {
        terminal.note(clean(`\`trawl open\` will not find this server: ${(error as Error).message}`));
      }
    }
    return {
      app,
      server,
      tokenFile: given === null && existsSync(homeFile) ? homeFile : null,
      async close() {
        note.removeServerNote(app.home.root, process.pid);
        await server.close();
        return closeApp();
      },
    };
  } catch (error) {
    await closeApp();
    throw error;
  }
}

const tokenInSight = (): TrawlError =>
  new TrawlError("BAD_USAGE", "--token would show the token to every user of this machine, in the list of processes.", {
    hint: "Write it to a file that only you can read and pass --token-file <file>, or set TRAWL_TOKEN. Without either, Trawl makes one.",
  });

/** The port may be in use by another program; the number does not matter to someone who is shown the web app. */
export async function startOnAnyPort(cli: Cli, options: ServeOptions): Promise<Serving> {
  try {
    return await startServing(cli, options);
  } catch (error) {
    if (!(error instanceof TrawlError) || error.code !== "PORT_TAKEN") throw error;
    return startServing(cli, { ...options, port: 0 });
  }
}

/** Prints the address, calls `then`, waits for Ctrl-C, and closes. */
export async function serveUntilInterrupted(
  cli: Cli,
  serving: Serving,
  options: ServeOptions,
  then: () => Promise<void> = async () => {},
): Promise<void> {
  const { terminal } = cli;
  const json = options.json === true;
  const interrupted = Promise.withResolvers<void>();
  // Before anything is printed: the reader of the line may send the signal at once.
  const end = listenForInterrupts((presses) => (presses > 1 ? process.exit(3) : interrupted.resolve()));
  announce(cli, serving, options);
  // A server continues even if its output is no longer read.
  terminal.onClosed = () => {};
  await then();
  await interrupted.promise;
  if ((await closeServing(cli, serving, json)) > 0) cli.exitCode = 3;
  end();
}

/** Closes the server and prints which crawls were paused; returns how many. */
export async function closeServing({ terminal }: Cli, serving: Serving, json: boolean): Promise<number> {
  const running = serving.app.activeCrawls.list().filter(({ isOwn, state }) => isOwn && state === "running").length;
  if (!json && running > 0) terminal.note(`Pausing ${counted(running, "crawl")}. Press Ctrl-C again to exit at once.`);
  const paused = await serving.close();
  if (json) terminal.json({ event: "end", paused });
  else for (const id of paused) terminal.lines([`Crawl ${id} is paused. To continue: trawl resume ${id}`]);
  return paused.length;
}

function announce({ terminal }: Cli, { server, tokenFile }: Serving, { json, host }: ServeOptions): void {
  const { url, port } = server;
  const { bold, dim } = terminal.style;
  if (json) {
    terminal.json({ event: "serving", url, port, token: server.token, openUrl: server.signInUrl(), pid: process.pid });
    return;
  }
  terminal.lines([`${bold("Trawl")} is running at ${bold(`${url}/`)}. Press Ctrl-C to stop it.`]);
  for (const address of otherAddresses(host)) terminal.lines([`From other machines: http://${address}:${port}/`]);
  // The token itself, not a single-use code: people also open this in a second browser, or after a restart.
  const link = `${url}/?token=${encodeURIComponent(server.token)}`;
  terminal.lines([`Open this address in a browser; it signs you in: ${link}`]);
  if (tokenFile !== null) terminal.lines([`For programs, the token is in ${tokenFile}`]);
  terminal.lines([dim(`API: ${url}/docs   agents (MCP): ${url}/mcp   metrics: ${url}/metrics`)]);
}

/** Where a server that listens on every address can be reached. */
function otherAddresses(host: string): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
}

function reportInternal({ terminal, env }: Cli, error: unknown): void {
  const said = error instanceof Error ? error.message : String(error);
  terminal.note(`error: A request failed: ${clean(said)}`);
  if (env["TRAWL_DEBUG"] && error instanceof Error) terminal.note(String(error.stack));
}
