/** `trawl update`: what is installed, what is new, and the update itself where npm can do it. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import type { UpdateInfo } from "../../../app/operations/about.ts";
import { TrawlError } from "../../../errors.ts";
import { clean } from "../../texts.ts";
import { addJson, type Cli, confirmed, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";

interface UpdateOptions extends JsonOption {
  check?: true;
  yes?: true;
}

export function addUpdateCommand(program: Command, cli: Cli): void {
  const command = program
    .command("update")
    .description(
      "Shows which version is installed and how, and whether npm's registry has a newer one. If npm installed Trawl, " +
        "it asks and then runs npm to install the new version; otherwise it prints the command to run.",
    )
    .option("--check", "Only show whether there is an update.")
    .option("--yes", "Do not ask.");
  addJson(command);
  addExamples(command, [
    ["trawl update", "asks, then updates Trawl"],
    ["trawl update --check", "changes nothing"],
    ["trawl update --yes", "does not ask"],
  ]);
  command.action((options: UpdateOptions) => withApp(cli, (app) => update(cli, app, options)));
}

export async function update({ terminal }: Cli, app: App, { check, yes, json }: UpdateOptions): Promise<void> {
  const { updates } = app;
  const info = await updates.checkNow();
  if (info.problem !== null) throw new TrawlError("UPDATE_CHECK_FAILED", info.problem);
  if (!json) terminal.lines(reportLines(info, updates.installation.root).map(clean));
  const installs = info.isNewer && !check && updates.installation.npmArguments !== null;
  if (!installs) {
    if (json) terminal.json({ ...info, updatedTo: null });
    return;
  }
  if (!yes) {
    if (json || !terminal.canAsk) {
      throw new TrawlError("BAD_USAGE", "There is no terminal to ask on; pass --yes to update without asking.");
    }
    if (!(await confirmed(terminal, "Run it now? [y/N] "))) {
      terminal.note("Nothing was changed.");
      return;
    }
  }
  const updatedTo = await updates.install();
  if (json) terminal.json({ ...info, updatedTo });
  else terminal.lines([`Updated to Trawl ${clean(updatedTo)}. Restart servers and windows that are running.`]);
}

const HOW: Record<UpdateInfo["installedBy"], string> = {
  "npm-global": "installed globally with npm",
  "npm-local": "a dependency of a project",
  npx: "in npx's cache",
  checkout: "a Git checkout",
  container: "in a container",
  other: "installed in an unknown way",
};

function reportLines({ current, latest, isNewer, installedBy, command }: UpdateInfo, root: string): string[] {
  const installed = `Trawl ${current}, ${HOW[installedBy]}: ${root}`;
  if (!isNewer) return [installed, `There is no newer version. The newest in the registry is ${latest}.`];
  const available = `Trawl ${latest} is available.`;
  if (command === null) return [installed, `${available} Update it the way you installed it.`];
  const how = installedBy === "container" ? "Pull the new image and start it again:" : "This updates it:";
  return [installed, `${available} ${how}`, `  ${command}`];
}
