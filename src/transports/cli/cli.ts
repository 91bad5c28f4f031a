/**
 * What every command gets: the terminal, this machine's app, a place for its exit code, and a way to ask before something
 * is deleted or overwritten.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname } from "node:path";
import type { Command } from "commander";
import type { App, AppOptions } from "../../app/app.ts";
import { TrawlError } from "../../errors.ts";
import { clean } from "../texts.ts";
import type { Terminal } from "./output/terminal.ts";

export interface Cli {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** 0 done, 1 failed, 2 bad usage or settings, 3 interrupted and resumable, 4 done, but --fail-on found something, or an archive is incomplete. */
  exitCode: number;
}

/** The option that every command has. */
export interface JsonOption {
  json?: true;
}

export const addJson = (command: Command, description = "Print JSON, for scripts."): Command =>
  command.option("--json", description);

export const version = (): string => (JSON.parse(readFileSync(PACKAGE_JSON, "utf8")) as { version: string }).version;

/** The app on this machine's data folder. Its warnings go to stderr. */
export async function openApp(
  { terminal, env }: Cli,
  {
    updateCheck = true,
    ...options
  }: Pick<AppOptions, "maxFetches" | "updateCheck" | "favicons" | "trace" | "onExchange" | "isServer"> = {},
): Promise<App> {
  // Loaded here, so that help and bad usage answer at once.
  const [{ App }, { openHome }, { installationOf }] = await Promise.all([
    import("../../app/app.ts"),
    import("../../app/home.ts"),
    import("../../app/installation.ts"),
  ]);
  return new App({
    ...options,
    version: version(),
    home: () => openHome(env),
    postgres: env["TRAWL_POSTGRES"] || null,
    installation: () => installationOf(PACKAGE_ROOT),
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

/** The folder of the package: the first above this file with a package.json, in a checkout and in the built package. */
export const PACKAGE_JSON = findPackageJSON(import.meta.url)!;
export const PACKAGE_ROOT = dirname(PACKAGE_JSON);

/** Anything but yes means no; so do Ctrl-C and the end of the input. */
export async function confirmed({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises");
  const questions = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => questions.once("close", () => resolve("")));
  const answer = await Promise.race([questions.question(clean(question)).catch(() => ""), closed]);
  questions.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** Writes the file that the user named; overwrites an existing one only with `force`. */
export function writeNewFile(file: string, text: string, { force }: { force?: true }): void {
  try {
    writeFileSync(file, text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (exists) {
      throw new TrawlError("BAD_USAGE", `${file} already exists.`, { hint: "Pass --force to overwrite it." });
    }
    throw new TrawlError("FILE_NOT_WRITABLE", `${file} cannot be written: ${(error as Error).message}`);
  }
}
