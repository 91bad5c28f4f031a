/** `trawl open [id]`: the web app in a browser, served by the running server or by one of its own. */

import { type SpawnOptions, spawn } from "node:child_process";
import type { Command } from "commander";
import { type Clock, systemClock } from "../../../kernel/clock.ts";
import { type Cli, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listedCrawl } from "../listed-crawls.ts";
import { crawlId } from "../named.ts";
import { addServeOptions, type ServeOptions, serveUntilInterrupted, startOnAnyPort } from "./serve.ts";

export function addOpenCommand(program: Command, cli: Cli): void {
  const command = program
    .command("open")
    .description(
      "Opens the web app, or a crawl in it. If no server is running for this data folder, it starts one, which runs until Ctrl-C.",
    )
    .argument("[id]", "a crawl, or `last`");
  addServeOptions(command);
  addExamples(command, [
    ["trawl open", "the start page"],
    ["trawl open last", "the newest crawl"],
  ]);
  command.action((id: string | undefined, options: ServeOptions) => openWebApp(cli, id, options));
}

async function openWebApp(cli: Cli, typed: string | undefined, options: ServeOptions): Promise<void> {
  const path = typed === undefined ? "/" : `/crawls/${await knownCrawl(cli, typed)}/overview`;
  const [{ openHome }, { findServer }] = await Promise.all([
    import("../../../app/home.ts"),
    import("../../http/server-note.ts"),
  ]);
  const running = await findServer(openHome(cli.env).root);
  if (running !== null) return show(cli, await running.signInUrl(path), options);
  const serving = await startOnAnyPort(cli, options);
  const user = process.getuid?.() ?? null;
  await serveUntilInterrupted(cli, serving, options, () => show(cli, serving.server.signInUrl(path, user), options));
}

const knownCrawl = (cli: Cli, typed: string): Promise<number> =>
  withApp(cli, async (app) => (await listedCrawl(app, crawlId(app, typed))).id);

async function show({ terminal, env }: Cli, url: string, { json }: ServeOptions): Promise<void> {
  const opened = await openBrowser(url, { env });
  if (json) terminal.json({ event: "open", url, opened });
  else terminal.lines([opened ? `Opened ${url}` : `Open this in a browser: ${url}`]);
}

/** If the opener finds no browser, it fails within this time; after that, it counts as success. */
const PATIENCE_MS = 1_500;

interface Started {
  once(event: "error" | "exit", listener: (value: unknown) => void): unknown;
  unref(): void;
}

export interface Desktop {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  start: (program: string, parameters: string[], options: SpawnOptions) => Started;
  clock: Clock;
}

/** Whether a browser was asked to open it. */
export function openBrowser(url: string, given: Partial<Desktop> = {}): Promise<boolean> {
  const desktop = { platform: process.platform, env: process.env, start: spawn, clock: systemClock, ...given };
  const command = openerOf(desktop, url);
  if (command === null) return Promise.resolve(false);
  const [program, ...parameters] = command;
  return new Promise((resolve) => {
    const child = desktop.start(program!, parameters, { stdio: "ignore", detached: true });
    const cancel = desktop.clock.after(PATIENCE_MS, () => resolve(true));
    const end = (opened: boolean): void => {
      cancel();
      resolve(opened);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
    child.unref();
  });
}

function openerOf({ platform, env }: Desktop, url: string): string[] | null {
  if (platform === "darwin") return ["open", url];
  // `start` is a shell command, and the shell would interpret the & of an address.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["BROWSER"]);
  return hasScreen ? ["xdg-open", url] : null;
}
