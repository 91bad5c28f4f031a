/** `trawl resume <id>`: goes on with a crawl that was paused, stopped or killed. */
import type { Command } from "commander";
import { addJson, type Cli, crawlId, type JsonOption, withCrawls } from "../cli.ts";
import { runCrawl } from "../crawl-session.ts";
import { addExamples } from "../help.ts";

export function addResumeCommand(program: Command, cli: Cli): void {
  const command = program
    .command("resume")
    .summary("go on with a crawl that was interrupted")
    .description(
      "Goes on with a crawl that was paused, stopped or killed, with the settings it was started with. " +
        "Nothing is fetched again that was stored, and the waiting times of hosts still hold.",
    )
    .argument("<id>", "the crawl, or `last`");
  addJson(command, "Print JSON lines: progress every second, the summary last.");
  addExamples(command, [
    ["trawl resume 12", "goes on with crawl 12"],
    ["trawl resume last", "goes on with the newest"],
  ]);
  command.action(async (typed: string, { json }: JsonOption) => {
    cli.exitCode = await withCrawls(cli, (crawls) => {
      const id = crawlId(crawls, typed);
      const completed = crawls.get(id).state === "completed";
      if (completed && !json) cli.terminal.note(`Crawl ${id} was complete already.`);
      return runCrawl(cli, crawls, () => crawls.resume(id), { json: json === true, beforeResume: [] });
    });
  });
}
