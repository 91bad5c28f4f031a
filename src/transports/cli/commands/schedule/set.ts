/** `trawl schedule set <project> <cron>`: makes or changes the schedule of a project. */
import { type Command, InvalidArgumentError } from "commander";
import { setSchedule, WEBHOOK_EVENTS } from "../../../../app/operations/schedules.ts";
import { TrawlError } from "../../../../errors.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { readNumber } from "../../options.ts";
import { clean } from "../../output/clean.ts";
import { moment } from "../../output/numbers.ts";
import { projectNamed } from "./project.ts";
import { withApp } from "./with-app.ts";

interface SetOptions extends JsonOption {
  timezone?: string;
  jitter: number;
  webhook?: string;
  notify: string[];
  /** With --off. */
  off?: true;
}

export function addScheduleSetCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("set")
    .summary("crawl a project by itself")
    .description("Makes the schedule of a project, or changes it. The project's saved settings are used.")
    .argument("<project>", "its domain, or its number")
    .argument("<cron>", "minute, hour, day of month, month, day of week; or @daily, @weekly")
    .option("--timezone <name>", "Time zone, such as Europe/Berlin; without it the machine's.")
    .option("--jitter <seconds>", "Start up to this much later, by chance.", readNumber, 300)
    .option("--webhook <url>", "Tell this address, by POST, how it went.")
    .option("--notify <events>", `When to tell it: ${WEBHOOK_EVENTS.join(", ")}.`, readEvents, ["changed", "failed"])
    .option("--off", "Keep the schedule, but do not run it.");
  addJson(command);
  addExamples(command, [
    ['trawl schedule set example.com "30 6 * * 1-5"', "every working day at 6:30"],
    ["trawl schedule set example.com @weekly --webhook https://hooks.example.com/x", "tells the hook what changed"],
    ['trawl schedule set example.com "0 6 * * *" --off', "stops it for a while"],
  ]);
  command.action((project: string, cron: string, options: SetOptions) =>
    withApp(cli, (app) => {
      const parsed = setSchedule.input.safeParse({
        projectId: projectNamed(app, project).id,
        cron,
        timezone: options.timezone ?? null,
        jitterSeconds: options.jitter,
        isEnabled: !options.off,
        webhook: options.webhook ?? null,
        notifyOn: options.notify,
      });
      if (!parsed.success) {
        throw new TrawlError(
          "BAD_USAGE",
          parsed.error.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "),
        );
      }
      const schedule = app.schedules.set(parsed.data);
      if (options.json) {
        cli.terminal.json(schedule);
        return;
      }
      const { domain, nextRunAt, nextRuns } = schedule;
      cli.terminal.lines(
        nextRunAt === null
          ? [`The schedule of ${clean(domain)} is kept, and does not run.`]
          : [
              `${clean(domain)} is crawled next at ${moment(nextRunAt)}; then ${nextRuns.slice(1).map(moment).join(", ")}.`,
              "It runs while `trawl serve` or `trawl schedule start` does.",
            ],
      );
    }),
  );
}

function readEvents(value: string): string[] {
  const events = value.split(",").map((event) => event.trim());
  const wrong = events.find((event) => !(WEBHOOK_EVENTS as readonly string[]).includes(event));
  if (wrong !== undefined) throw new InvalidArgumentError(`Choose from ${WEBHOOK_EVENTS.join(", ")}, with commas.`);
  return events;
}
