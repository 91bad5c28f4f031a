/** `trawl archive configure [folder]` and `reset`: creates a workspace, or deletes what was archived in it. */

import { join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { TrawlError } from "../../../../errors.ts";
import { counted } from "../../../texts.ts";
import { addJson, type Cli, confirmed, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { stepLines } from "../../output/summary.ts";
import { addWorkspace, openTyped, sameArchive, USUAL_FOLDER, type WorkspaceOptions } from "./archive-options.ts";
import { makeKnown } from "./make-known.ts";

interface ConfigureOptions extends JsonOption {
  profile: string;
  host: string[];
  userAgent?: string;
}

/** A placeholder for the user agent that is still to be filled in. */
const SOMEBODY = "somebody (+https://example.com)";

export function addConfigureCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("configure")
    .summary("create a workspace: settings, seeds and folders")
    .description(
      "Creates a workspace with a commented archive.yaml and seeds.txt. Existing files are not changed. The user agent must " +
        "tell the host's operators how to reach you: add the address of a page after a + sign.",
    )
    .argument("[folder]", "the folder to create", USUAL_FOLDER)
    .option("--user-agent <text>", 'Who you are, such as "my-archive/1.0 (+https://example.com/contact)".')
    .option(
      "--profile <name|file>",
      "What to archive: github, gitlab, forgejo, gitea, generic (any site), or a YAML file that describes another site.",
      "github",
    )
    .option(
      "--host <host>",
      "A host to archive instead of the profile's own, such as gitlab.example.com. Repeatable.",
      (value: string, before: string[]) => [...before, value],
      [],
    );
  addJson(command);
  addExamples(command, [
    ['trawl archive configure --user-agent "me/1.0 (+https://example.com)"', `creates ./${USUAL_FOLDER}, ready to run`],
    ["trawl archive configure ~/github", "the user agent is left for you to fill in"],
    ["trawl archive configure ~/work --profile gitlab --host gitlab.example.com", "your own GitLab"],
  ]);
  command.action(async (folder: string, { profile, host, userAgent, json }: ConfigureOptions) => {
    const { CONFIG_FILE, configureWorkspace, parseArchiveConfig, profilePath, SEEDS_FILE } = await import(
      "../../../../app/archive/workspace.ts"
    );
    const hosts = host.length === 0 ? null : host;
    // An unusable host or user agent is rejected now, not at the first run.
    parseArchiveConfig(
      { profile, user_agent: userAgent ?? SOMEBODY, scope: { allowed_hosts: hosts } },
      profilePath(".", folder),
    );
    const { created, kept } = await configureWorkspace(folder, { profile, userAgent: userAgent ?? null, hosts });
    const config = join(folder, CONFIG_FILE);
    await makeKnown(cli, { root: resolve(folder), configFile: resolve(config) }, null);
    if (json) {
      cli.terminal.json({ workspace: resolve(folder), created, kept });
      return;
    }
    const flags = sameArchive({ workspace: folder === USUAL_FOLDER ? undefined : relative("", folder) || "." });
    cli.terminal.lines([
      ...(created.length > 0 ? [`Created ${created.map((name) => join(folder, name)).join(" and ")}.`] : []),
      ...(kept.length > 0 ? [`Not changed: ${kept.map((name) => join(folder, name)).join(" and ")}.`] : []),
      ...(userAgent === undefined && created.includes(CONFIG_FILE)
        ? [`Set user_agent in ${config} to say who you are.`]
        : []),
      `The archive starts from the URLs in ${join(folder, SEEDS_FILE)}, one per line.`,
      "",
      cli.terminal.style.bold("Next"),
      ...stepLines(
        [
          [`archive config validate${flags}`, "are the settings right?"],
          [`archive run${flags}`, "archives; Ctrl-C pauses"],
        ],
        cli.terminal.style,
        cli.env,
      ),
    ]);
  });
}

/** `trawl archive reset`: deletes what was archived; settings, seeds and folders stay. */
interface ResetOptions extends WorkspaceOptions {
  yes?: true;
}

export function addResetCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("reset")
    .summary("delete everything that was archived")
    .description("Deletes pages, metadata, queue, spool, WARCs and logs. Settings and seeds stay. Asks first.")
    .option("--yes", "Do not ask.");
  addJson(addWorkspace(command));
  addExamples(command, [
    ["trawl archive reset", "asks, then deletes"],
    ["trawl archive reset -w ~/github --yes", "does not ask"],
  ]);
  command.action(async (options: ResetOptions) => {
    const { resetWorkspace } = await import("../../../../app/archive/workspace.ts");
    const { HALVES, lockWorkspace } = await import("../../../../app/archive/workspace.ts");
    const workspace = await openTyped(options);
    const lock = lockWorkspace(workspace.root, HALVES);
    try {
      if (!options.yes) {
        if (options.json || !terminal.canAsk) {
          throw new TrawlError("BAD_USAGE", "There is no terminal to ask on; pass --yes to delete without asking.");
        }
        if (!(await confirmed(terminal, `Delete everything that was archived in ${workspace.root}? [y/N] `))) {
          terminal.note("Nothing was deleted.");
          return;
        }
      }
      const removed = await resetWorkspace(workspace);
      if (options.json) terminal.json({ removed });
      else terminal.lines([`Deleted ${counted(removed.length, "file or folder", "files and folders")}.`]);
    } finally {
      lock.release();
    }
  });
}
