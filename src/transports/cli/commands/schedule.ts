/** `trawl schedule`: crawls that start on a schedule. */
import { type Command, InvalidArgumentError } from "commander";
import type { App } from "../../../app/app.ts";
import { listProjects } from "../../../app/operations/crawls.ts";
import { ask } from "../../../app/operations/operation.ts";
import {
  deleteSchedule,
  listSchedules,
  type ScheduleInfo,
  setSchedule,
  WEBHOOK_EVENTS,
} from "../../../app/operations/schedules.ts";
import type { ProjectInfo } from "../../../app/operations/shapes.ts";
import { TrawlError } from "../../../errors.ts";
import { clean, moment } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { ofSite } from "../named.ts";
import { table } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { readNumber } from "../selection.ts";
import { addScheduleRunCommand, addScheduleStartCommand } from "./schedule-run.ts";

type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export function addScheduleCommand(program: Command, cli: Cli): void {
  const command = program
    .command("schedule")
    .helpCommand(false)
    .description(
      "Crawls sites on a schedule: a cron expression per project, and a webhook that is called when something changed or failed. " +
        "Schedules run while `trawl serve` or `trawl schedule start` is running; after missed times, each runs once.",
    );
  addListCommand(command, cli);
  addSetCommand(command, cli);
  addRemoveCommand(command, cli);
  addScheduleRunCommand(command, cli);
  addScheduleStartCommand(command, cli);
  addExamples(command, [
    ['trawl schedule set example.com "30 6 * * 1-5"', "every working day at 6:30"],
    ["trawl schedule list", "all schedules, with their next and last runs"],
    ["trawl schedule start", "runs them here, until Ctrl-C"],
  ]);
}

/** The project that was typed: its domain, a URL of it, or its number. */
export async function projectNamed(app: App, typed: string): Promise<ProjectInfo> {
  const { rows: projects } = await ask(app, listProjects, {});
  const found = /^\d+$/.test(typed) ? projects.find(({ id }) => id === Number(typed)) : ofSite(projects, typed)[0];
  if (found === undefined) {
    throw new TrawlError(
      "PROJECT_NOT_FOUND",
      `There is no project "${typed}" yet. Crawl it once first, with the settings it should have.`,
    );
  }
  return found;
}

function addListCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("list")
    .summary("list the schedules")
    .description("Lists all schedules, with their next and last runs.");
  addJson(command);
  addExamples(command, [["trawl schedule list", "all schedules"]]);
  command.action(({ json }: JsonOption) =>
    withApp(cli, async (app) => {
      const schedules = await ask(app, listSchedules, {});
      if (json) cli.terminal.json(schedules);
      else cli.terminal.lines(scheduleLines(cli.terminal, schedules.rows));
    }),
  );
}

export function scheduleLines({ style, width }: Terminal, schedules: ScheduleInfo[]): string[] {
  if (schedules.length === 0) return ['No schedules yet. Create one: `trawl schedule set example.com "0 6 * * *"`.'];
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

interface SetOptions extends JsonOption {
  timezone?: string;
  jitter: number;
  webhook?: string;
  notify: WebhookEvent[];
  /** With --off. */
  off?: true;
}

function addSetCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("set")
    .summary("crawl a project on a schedule")
    .description("Creates or changes the schedule of a project. Its crawls use the project's saved settings.")
    .argument("<project>", "its domain or number")
    .argument("<cron>", "minute, hour, day of month, month, day of week; or @daily, @weekly")
    .option("--timezone <name>", "Time zone, such as Europe/Berlin (default: the machine's).")
    .option("--jitter <seconds>", "Start up to this many seconds later, at random.", readNumber, 300)
    .option("--webhook <url>", "URL to which the result is posted.")
    .option("--notify <events>", `When to post: ${WEBHOOK_EVENTS.join(", ")}.`, readEvents, ["changed", "failed"])
    .option("--off", "Keep the schedule, but turn it off.");
  addJson(command);
  addExamples(command, [
    ['trawl schedule set example.com "30 6 * * 1-5"', "every working day at 6:30"],
    ["trawl schedule set example.com @weekly --webhook https://hooks.example.com/x", "posts what changed to the hook"],
    ['trawl schedule set example.com "0 6 * * *" --off', "turns it off for a while"],
  ]);
  command.action((project: string, cron: string, options: SetOptions) =>
    withApp(cli, async (app) => {
      const schedule = await ask(app, setSchedule, {
        projectId: (await projectNamed(app, project)).id,
        cron,
        timezone: options.timezone ?? null,
        jitterSeconds: options.jitter,
        isEnabled: !options.off,
        webhook: options.webhook ?? null,
        notifyOn: options.notify,
      });
      if (options.json) cli.terminal.json(schedule);
      else cli.terminal.lines(setLines(schedule));
    }),
  );
}

function setLines({ domain, nextRunAt, nextRuns }: ScheduleInfo): string[] {
  if (nextRunAt === null) return [`The schedule of ${clean(domain)} is saved, but turned off.`];
  const later = nextRuns
    .slice(1)
    .map((time) => moment(time))
    .join(", ");
  return [
    `${clean(domain)} will be crawled at ${moment(nextRunAt)}, then at ${later}.`,
    "Schedules run while `trawl serve` or `trawl schedule start` is running.",
  ];
}

function readEvents(value: string): WebhookEvent[] {
  const events = value.split(",").map((event) => event.trim());
  const isKnown = (event: string): event is WebhookEvent => (WEBHOOK_EVENTS as readonly string[]).includes(event);
  if (!events.every(isKnown))
    throw new InvalidArgumentError(`Choose from ${WEBHOOK_EVENTS.join(", ")}, separated by commas.`);
  return events;
}

function addRemoveCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("rm")
    .summary("remove the schedule of a project")
    .description("Removes the schedule of a project. Its crawls stay.")
    .argument("<project>", "its domain or number");
  addJson(command);
  addExamples(command, [["trawl schedule rm example.com", "its crawls stay"]]);
  command.action((typed: string, { json }: JsonOption) =>
    withApp(cli, async (app) => {
      const { id, domain } = await projectNamed(app, typed);
      await ask(app, deleteSchedule, { projectId: id });
      if (json) cli.terminal.json({ removed: id });
      else cli.terminal.lines([`${clean(domain)} is no longer crawled on a schedule.`]);
    }),
  );
}
