/** `trawl schedule run` and `trawl schedule start`: runs one schedule now, or all of them when they are due. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { ask } from "../../../app/operations/operation.ts";
import { listSchedules, type RunState, runSchedule } from "../../../app/operations/schedules.ts";
import { clean, counted } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { projectNamed, scheduleLines } from "./schedule.ts";

/** Every other state is a failure. */
const EXITS: Partial<Record<RunState, number>> = { completed: 0, limit_reached: 0, paused: 3, stopped: 3 };

export function addScheduleRunCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("run")
    .summary("run a schedule now")
    .description(
      "Runs the schedule of a project now, including the webhook, and waits for its end. Ctrl-C pauses the crawl.",
    )
    .argument("<project>", "its domain or number");
  addJson(command);
  addExamples(command, [["trawl schedule run example.com", "the next scheduled run is unaffected"]]);
  command.action((typed: string, options: JsonOption) => withApp(cli, (app) => runNow(cli, app, typed, options)));
}

async function runNow(cli: Cli, app: App, typed: string, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  const { id, domain } = await projectNamed(app, typed);
  const stopListening = listenForInterrupts((presses) => {
    if (presses > 1) process.exit(1);
    terminal.note("Pausing…");
    void app.activeCrawls.close();
  });
  try {
    const { crawlId } = await ask(app, runSchedule, { projectId: id });
    terminal.note(`Crawl ${crawlId} of ${clean(domain)}…`);
    await app.scheduler.idle();
    const schedules = await ask(app, listSchedules, {});
    const run = schedules.rows.find(({ projectId }) => projectId === id)?.lastRuns[0];
    if (json) terminal.json(run ?? null);
    else {
      const hook = run?.webhook === null || run?.webhook === undefined ? "" : `; webhook ${run.webhook}`;
      terminal.lines([clean(`${run?.state}${run?.message ? `, ${run.message}` : ""}${hook}`), `trawl show ${crawlId}`]);
    }
    cli.exitCode = EXITS[run?.state ?? "failed"] ?? 1;
  } finally {
    stopListening();
  }
}

export function addScheduleStartCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("start")
    .summary("run schedules here, until Ctrl-C")
    .description(
      "Runs schedules in this process until Ctrl-C, which pauses running crawls; the next start resumes them. " +
        "`trawl serve` does this too. Several processes may do it at once: each run happens once.",
    );
  addJson(command, "Print one JSON line per event.");
  addExamples(command, [["trawl schedule start", "for a service manager such as systemd"]]);
  command.action(({ json }: JsonOption) =>
    withApp(cli, async (app) => {
      const { terminal } = cli;
      app.events.subscribe(({ type, crawlId }) => {
        if (type === "crawl:progress") return;
        const { domain, state, pagesCrawled, message } = app.crawlData.info(crawlId);
        const event = { event: type, crawlId, domain, state, pagesCrawled, message };
        if (json) terminal.json(event);
        else terminal.lines([clean(`${type.slice("crawl:".length)}: crawl ${crawlId} of ${domain}${outcome(event)}`)]);
      });
      if (!json) terminal.lines(scheduleLines(terminal, (await ask(app, listSchedules, {})).rows));
      app.scheduler.start();
      await new Promise<void>((resolve) => {
        const stopListening = listenForInterrupts((presses) => {
          if (presses > 1) process.exit(1);
          terminal.note("Pausing…");
          stopListening();
          resolve();
        });
      });
    }),
  );
}

const outcome = ({ event, pagesCrawled, message }: { event: string; pagesCrawled: number; message: string | null }) =>
  event === "crawl:started" ? "" : `, ${counted(pagesCrawled, "page")}${message === null ? "" : `: ${message}`}`;
