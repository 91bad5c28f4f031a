/** `trawl schedule run <project>`: runs a schedule now, and waits for its end. */
import type { Command } from "commander";
import type { App } from "../../../../app/app.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { clean } from "../../output/clean.ts";
import { projectNamed } from "./project.ts";
import { withApp } from "./with-app.ts";

export function addScheduleRunCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("run")
    .summary("run a schedule now")
    .description(
      "Runs the schedule of a project now, webhook included, and waits for its end. Ctrl-C pauses the crawl.",
    )
    .argument("<project>", "its domain, or its number");
  addJson(command);
  addExamples(command, [["trawl schedule run example.com", "does not change when it runs next"]]);
  command.action((typed: string, options: JsonOption) => withApp(cli, (app) => runNow(cli, app, typed, options)));
}

async function runNow(cli: Cli, app: App, typed: string, { json }: JsonOption): Promise<void> {
  const { terminal } = cli;
  const { id, domain } = projectNamed(app, typed);
  const stopListening = listenForInterrupts((presses) => {
    if (presses > 1) process.exit(1);
    terminal.note("Pausing…");
    void app.activeCrawls.close();
  });
  try {
    const { crawlId } = await app.schedules.runNow(id);
    terminal.note(`Crawl ${crawlId} of ${clean(domain)}…`);
    await app.scheduler.idle();
    const run = app.schedules.list().find(({ projectId }) => projectId === id)?.lastRuns[0];
    if (json) terminal.json(run ?? null);
    else {
      const hook = run?.webhook === null || run?.webhook === undefined ? "" : `; webhook ${run.webhook}`;
      terminal.lines([clean(`${run?.state}${run?.message ? `, ${run.message}` : ""}${hook}`), `trawl show ${crawlId}`]);
    }
    cli.exitCode = run?.state === "completed" ? 0 : run?.state === "paused" ? 3 : 1;
  } finally {
    stopListening();
  }
}
