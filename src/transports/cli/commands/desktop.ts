/** `trawl desktop`: the web app in a desktop window, with a server that runs as long as the window is open. */
import { join } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../../kernel/clock.ts";
import { ensureFolder } from "../../../storage/ensure-folder.ts";
import type { Instance } from "../../desktop/instance.ts";
import { addJson, type Cli, type JsonOption } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { readLimit } from "../selection.ts";
import { closeServing, type Serving, startOnAnyPort } from "./serve.ts";

interface DesktopOptions extends JsonOption {
  browser?: string;
  maxFetches?: number;
  /** False with --no-update-check. */
  updateCheck: boolean;
}

/** The web app reads this, and asks before the window closes while crawls run: `ui/src/shell/desktop-window.ts`. */
const START_PATH = "/?desktop";

export function addDesktopCommand(program: Command, cli: Cli): void {
  const command = program
    .command("desktop")
    .description(
      "Opens Trawl in a desktop window, with the installed Chromium, Chrome or Edge. Closing the window or " +
        "pressing Ctrl-C ends Trawl. Running crawls are paused and can be resumed. There is one window per data " +
        "folder: a second start brings it to the front.",
    );
  addJson(command, "Print JSON lines: when the window is open, and what was paused at the end.");
  command
    .option("--browser <path>", "Path of Chromium, Chrome or Edge (default: TRAWL_BROWSER, or the one that is found).")
    .option("--max-fetches <n>", "Requests in flight at once, for all crawls together.", readLimit)
    .option("--no-update-check", "Do not check for a newer version.");
  addExamples(command, [
    ["trawl desktop", "opens the window, or brings it to the front"],
    ["trawl desktop --browser google-chrome", "in this browser"],
  ]);
  command.action((options: DesktopOptions) => runDesktop(cli, options));
}

async function runDesktop(cli: Cli, options: DesktopOptions): Promise<void> {
  const { terminal } = cli;
  // Loaded here, so that other commands start without it.
  const [{ openHome }, { claimInstance }] = await Promise.all([
    import("../../../app/home.ts"),
    import("../../desktop/instance.ts"),
  ]);
  const folder = join(openHome(cli.env).root, "desktop");
  ensureFolder(folder, 0o700);
  const instance = await claimInstance(folder);
  if (instance === null) {
    if (options.json) terminal.json({ event: "focused" });
    else terminal.lines(["Trawl is already open; its window was brought to the front."]);
    return;
  }
  try {
    await showUntilClosed(cli, options, folder, instance);
  } finally {
    await instance.close();
  }
}

async function showUntilClosed(cli: Cli, options: DesktopOptions, folder: string, instance: Instance): Promise<void> {
  const [{ DesktopWindow }, { findWindowBrowser }, { isExecutable }, memory] = await Promise.all([
    import("../../desktop/desktop-window.ts"),
    import("../../desktop/window-browser.ts"),
    import("../../../render/find-browser.ts"),
    import("../../desktop/window-memory.ts"),
  ]);
  const { env } = cli;
  const surroundings = { platform: process.platform, env, isExecutable };
  const executablePath = findWindowBrowser(options.browser ?? null, surroundings);
  const { port: usualPort, place } = memory.readWindowMemory(folder);
  const interrupted = Promise.withResolvers<void>();
  let isInterrupted = false;
  const stopListening = listenForInterrupts((presses) => {
    if (presses > 1) process.exit(3);
    isInterrupted = true;
    interrupted.resolve();
  });
  const serving = await startOnAnyPort(cli, {
    port: usualPort,
    host: "127.0.0.1",
    allowHost: [],
    cors: [],
    ui: true,
    updateCheck: options.updateCheck,
    maxFetches: options.maxFetches,
  });
  const { port, url } = serving.server;
  let paused = 0;
  try {
    memory.writeWindowMemory(folder, { port, place });
    const window = await DesktopWindow.open({
      executablePath,
      folder,
      serverUrl: url,
      signInUrl: () => serving.server.signInUrl(START_PATH),
      place,
      onPlace: (seen) => memory.writeWindowMemory(folder, { port, place: seen }),
      env,
      clock: systemClock,
    });
    instance.onFocus = () => window.focus();
    announce(cli, serving, options);
    await Promise.race([window.closed, interrupted.promise]);
    instance.onFocus = async () => false;
    await window.close();
  } finally {
    paused = await closeServing(cli, serving, options.json === true);
    stopListening();
  }
  // Closing the window is a normal end; Ctrl-C is an interruption, as everywhere.
  if (isInterrupted && paused > 0) cli.exitCode = 3;
}

function announce({ terminal }: Cli, { server }: Serving, { json }: DesktopOptions): void {
  // The process that reads its output may have ended; the window stays.
  terminal.onClosed = () => {};
  if (json) terminal.json({ event: "window", url: server.url, port: server.port, pid: process.pid });
  else terminal.lines(["Trawl is open in a window. Close the window or press Ctrl-C to end it."]);
}
