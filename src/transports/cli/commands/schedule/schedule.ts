/** `trawl schedule`: crawls that start by themselves. */
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addScheduleListCommand } from "./list.ts";
import { addScheduleRemoveCommand } from "./remove.ts";
import { addScheduleRunCommand } from "./run.ts";
import { addScheduleSetCommand } from "./set.ts";
import { addScheduleStartCommand } from "./start.ts";

export function addScheduleCommand(program: Command, cli: Cli): void {
  const command = program
    .command("schedule")
    .helpCommand(false)
    .summary("crawl sites by themselves, at set times")
    .description(
      "Crawls sites by themselves: a cron expression per project, and a webhook for when something changed or failed. " +
        "Schedules run while `trawl serve` or `trawl schedule start` does; times missed meanwhile are caught up once.",
    );
  addScheduleListCommand(command, cli);
  addScheduleSetCommand(command, cli);
  addScheduleRemoveCommand(command, cli);
  addScheduleRunCommand(command, cli);
  addScheduleStartCommand(command, cli);
  addExamples(command, [
    ['trawl schedule set example.com "30 6 * * 1-5"', "every working day at 6:30"],
    ["trawl schedule list", "all schedules, with their next and last runs"],
    ["trawl schedule start", "runs them here, until Ctrl-C"],
  ]);
}
