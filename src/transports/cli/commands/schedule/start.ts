/** `trawl schedule start`: runs schedules in this process, without a server. */
import type { Command } from "commander";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { clean } from "../../output/clean.ts";
import { counted } from "../../output/numbers.ts";
import { scheduleLines } from "./list.ts";
import { withApp } from "./with-app.ts";

export function addScheduleStartCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("start")
    .summary("run schedules here, until Ctrl-C")
    .description(
      "Runs schedules in this process until Ctrl-C, which pauses the crawls under way; they are gone on with at the next " +
        "start. `trawl serve` does the same beside its web app. Several may run: each run happens once.",
    );
  addJson(command, "Print a JSON line for everything that happens.");
  addExamples(command, [["trawl schedule start", "for a service manager such as systemd"]]);
  command.action(({ json }: JsonOption) =>
    withApp(cli, async (app) => {
      const { terminal } = cli;
      app.events.subscribe(({ type, crawlId }) => {
        if (type === "crawl:progress") return;
        const { domain, state, pagesCrawled, message } = app.crawlData.info(crawlId);
        const event = { event: type, crawlId, domain, state, pagesCrawled, message };
        if (json) terminal.json(event);
        else terminal.lines([clean(`${type.slice("crawl:".length)}: crawl ${crawlId} of ${domain}${told(event)}`)]);
      });
      if (!json) terminal.lines(scheduleLines(terminal, app.schedules.list()));
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

const told = ({ event, pagesCrawled, message }: { event: string; pagesCrawled: number; message: string | null }) =>
  event === "crawl:started" ? "" : `, ${counted(pagesCrawled, "page")}${message === null ? "" : `: ${message}`}`;
