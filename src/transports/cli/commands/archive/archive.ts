/** `trawl archive`: pages of a code host, under a strict policy, in plain files. */
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addCatCommand } from "./cat.ts";
import { addArchiveConfigCommand } from "./config.ts";
import { addControlCommands } from "./control.ts";
import { addExportArchiveCommand, addReplayCommand } from "./export.ts";
import { addFailuresCommand } from "./failures.ts";
import { addResumeArchiveCommand, addRunCommand, addScrapeCommand } from "./run.ts";
import { addSearchCommand } from "./search.ts";
import { addStatusCommand } from "./status.ts";
import { addValidatePolicyCommand } from "./validate-policy.ts";
import { addVerifyCommand } from "./verify.ts";
import { addConfigureCommand, addResetCommand } from "./workspace.ts";

export function addArchiveCommand(program: Command, cli: Cli): void {
  const command = program
    .command("archive")
    .helpCommand(false)
    .description(
      "Archives pages of a code host (GitHub, GitLab, Forgejo, Gitea) or another site under a strict policy. Each page is fetched once and stored by its " +
        "SHA-256, with one line of metadata. Everything is in plain files in one folder, the workspace.",
    );
  command.commandsGroup("Start:");
  addConfigureCommand(command, cli);
  addArchiveConfigCommand(command, cli);
  addValidatePolicyCommand(command, cli);
  command.commandsGroup("Archive:");
  addRunCommand(command, cli);
  addResumeArchiveCommand(command, cli);
  addScrapeCommand(command, cli);
  addControlCommands(command, cli);
  command.commandsGroup("Look at it:");
  addStatusCommand(command, cli);
  addFailuresCommand(command, cli);
  addCatCommand(command, cli);
  addSearchCommand(command, cli);
  addVerifyCommand(command, cli);
  addReplayCommand(command, cli);
  addExportArchiveCommand(command, cli);
  command.commandsGroup("Start over:");
  addResetCommand(command, cli);
  addExamples(command, [
    ['trawl archive configure --user-agent "me/1.0 (+https://example.com)"', "creates ./workspace"],
    ["trawl archive run", "archives; Ctrl-C pauses"],
    ["trawl archive status", "what it holds"],
  ]);
}
