/** `trawl resume <id>`: goes on with a crawl that was paused, stopped or killed. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { resumeCrawl } from "../../../app/operations/crawling.ts";
import { ask } from "../../../app/operations/operation.ts";
import { addJson, type Cli, crawlId, type JsonOption, withApp } from "../cli.ts";
import { concludeCrawl } from "../crawl-end.ts";
import { announce, runCrawl } from "../crawl-session.ts";
import { addExamples } from "../help.ts";

export function addResumeCommand(program: Command, cli: Cli): void {
  const command = program
    .command("resume")
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
    const options = { json: json === true, beforeResume: [] };
    cli.exitCode = await withApp(
      cli,
      (app) => {
        const id = crawlId(app, typed);
        const record = app.crawls.get(id);
        if (record.state !== "completed") return runCrawl(cli, app, () => resume(app, id), options);
        if (!json) cli.terminal.note(`Crawl ${id} was complete already.`);
        announce(cli, app, record, options.json);
        return concludeCrawl(cli, app, { id, state: "completed" }, options);
      },
      { favicons: false },
    );
  });
}

async function resume(app: App, id: number): Promise<{ crawlId: number }> {
  await ask(app, resumeCrawl, { id });
  return { crawlId: id };
}
