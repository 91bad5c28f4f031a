/** `trawl schedule list`: all schedules, with their next and last runs. */
import type { Command } from "commander";
import type { ScheduleInfo } from "../../../../app/schedules/schedules.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { clean } from "../../output/clean.ts";
import { moment } from "../../output/numbers.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { withApp } from "./with-app.ts";

export function addScheduleListCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("list")
    .summary("list the schedules")
    .description("Lists all schedules, with their next and last runs.");
  addJson(command);
  addExamples(command, [["trawl schedule list", "all schedules"]]);
  command.action(({ json }: JsonOption) =>
    withApp(cli, (app) => {
      const schedules = app.schedules.list();
      if (json) cli.terminal.json(schedules);
      else cli.terminal.lines(scheduleLines(cli.terminal, schedules));
    }),
  );
}

export function scheduleLines({ style, width }: Terminal, schedules: ScheduleInfo[]): string[] {
  if (schedules.length === 0) return ['No schedules yet. `trawl schedule set example.com "0 6 * * *"` makes one.'];
  return table({
    columns: [
      { title: "project", least: 12 },
      { title: "cron" },
      { title: "next run" },
      { title: "last run" },
      { title: "how it went", least: 12 },
      { title: "webhook", least: 10 },
    ],
    rows: schedules.map(({ domain, cron, isEnabled, nextRunAt, lastRuns, webhook }) => {
      const last = lastRuns[0];
      return [
        clean(domain),
        clean(cron),
        nextRunAt === null ? (isEnabled ? "never" : "off") : moment(nextRunAt),
        last === undefined ? "" : moment(last.at),
        last === undefined ? "" : clean(lastText(last)),
        clean(last?.webhook ?? webhook ?? ""),
      ];
    }),
    width,
    heading: style.dim,
  });
}

const lastText = ({ state, crawlId, message }: ScheduleInfo["lastRuns"][number]): string =>
  [state, crawlId === null ? "" : `crawl ${crawlId}`, message ?? ""].filter((part) => part !== "").join(", ");
