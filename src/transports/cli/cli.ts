/** What every command is given: the terminal, the app of this machine, and a place for its exit code. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { App, AppOptions } from "../../app/app.ts";
import { TrawlError } from "../../errors.ts";
import { PACKAGE_JSON } from "../package-root.ts";
import { clean } from "../texts.ts";
import type { Terminal } from "./output/terminal.ts";

export interface Cli {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** 0 done, 1 failed, 2 bad usage or config, 3 interrupted and resumable. */
  exitCode: number;
}

/** The option that every command has. */
export interface JsonOption {
  json?: true;
}

export const addJson = (command: Command, description = "Print JSON, for scripts."): Command =>
  command.option("--json", description);

export const version = (): string => (JSON.parse(readFileSync(PACKAGE_JSON, "utf8")) as { version: string }).version;

/** The app on this machine's data folder. Its problems are printed beside the results. */
export async function openApp(
  { terminal, env }: Cli,
  { updateCheck = true, ...options }: Pick<AppOptions, "maxFetches" | "updateCheck" | "favicons"> = {},
): Promise<App> {
  // Loaded here, so that help and bad usage answer at once.
  const [{ App }, { openHome }] = await Promise.all([import("../../app/app.ts"), import("../../app/home.ts")]);
  return new App({
    ...options,
    version: version(),
    home: () => openHome(env),
    updateCheck: updateCheck && !env["TRAWL_NO_UPDATE_CHECK"],
    onProblem: (message) => terminal.note(`warning: ${clean(message)}`),
  });
}

/** Opens the app for as long as `use` runs. */
export async function withApp<T>(
  cli: Cli,
  use: (app: App) => T | Promise<T>,
  options: Parameters<typeof openApp>[1] = {},
): Promise<T> {
  const app = await openApp(cli, options);
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

/** The crawl that was typed: its number, or `last` for the newest. */
export function crawlId({ crawls }: App, typed: string): number {
  if (typed === "last") {
    const newest = crawls.newestId();
    if (newest === null) throw new TrawlError("CRAWL_NOT_FOUND", "There is no crawl on this machine yet.");
    return newest;
  }
  if (!/^[1-9]\d{0,14}$/.test(typed)) {
    throw new TrawlError("BAD_USAGE", `"${typed}" is not a crawl id: give a number, or "last".`);
  }
  return Number(typed);
}
