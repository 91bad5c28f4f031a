/** `trawl schedule rm <project>`: no longer crawls a project by itself. */
import type { Command } from "commander";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { clean } from "../../output/clean.ts";
import { projectNamed } from "./project.ts";
import { withApp } from "./with-app.ts";

export function addScheduleRemoveCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("rm")
    .summary("remove the schedule of a project")
    .description("Removes the schedule of a project. Its crawls stay.")
    .argument("<project>", "its domain, or its number");
  addJson(command);
  addExamples(command, [["trawl schedule rm example.com", "its crawls stay"]]);
  command.action((typed: string, { json }: JsonOption) =>
    withApp(cli, (app) => {
      const { id, domain } = projectNamed(app, typed);
      app.schedules.remove(id);
      if (json) cli.terminal.json({ removed: id });
      else cli.terminal.lines([`${clean(domain)} is no longer crawled by itself.`]);
    }),
  );
}
