/** The app as commands use it: this machine's data folder, our version, and its problems told beside the results. */
import { App, type AppOptions } from "../../app/app.ts";
import { openHome } from "../../app/home.ts";
import type { Cli } from "./cli.ts";
import { clean } from "./output/clean.ts";
import { version } from "./version.ts";

export function openApp(
  { terminal, env }: Cli,
  { maxFetches, updateCheck = true }: Pick<AppOptions, "maxFetches" | "updateCheck"> = {},
): App {
  return new App({
    version: version(),
    home: openHome(env),
    maxFetches,
    updateCheck: updateCheck && !env["TRAWL_NO_UPDATE_CHECK"],
    onProblem: (message) => terminal.note(`warning: ${clean(message)}`),
  });
}
