/** `trawl show <id>`: one crawl in numbers. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { type DescribedCrawl, describeCrawl } from "../../../app/operations/crawls.ts";
import { ask } from "../../../app/operations/operation.ts";
import { clean, codeWords, count, duration, moment, settingLine } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { CRAWL_ARGUMENT, crawlId } from "../named.ts";
import { afterCrawl, startText, stepLines, summaryLines, toResume, totalsText } from "../output/summary.ts";
import { wrap } from "../output/table.ts";

/** Broken and slow pages. */
const LISTED = 10;

export function addShowCommand(program: Command, cli: Cli): void {
  const command = program
    .command("show")
    .description("Shows one crawl, even while it runs: counts by status and reason, traps, broken and slow pages.")
    .argument("[id]", CRAWL_ARGUMENT);
  addJson(command);
  addExamples(command, [
    ["trawl show 12", "the summary of crawl 12"],
    ["trawl show last --json | jq .summary.statuses", "one part of it, for a script"],
  ]);
  command.action((id: string | undefined, { json }: JsonOption) =>
    withApp(cli, (app) => show(cli, app, crawlId(app, id), json === true)),
  );
}

async function show({ terminal, env }: Cli, app: App, id: number, json: boolean): Promise<void> {
  const { crawl, changed, summary } = await ask(app, describeCrawl, { id, listed: LISTED });
  const database = app.home.crawlDatabase(id);
  if (json) {
    terminal.json({ crawl: { ...crawl, database }, summary });
    return;
  }
  const { style, width, proseWidth } = terminal;
  const open = summary.open > 0 ? ` ${count(summary.open)} queued.` : "";
  terminal.lines([
    ...wrap(`${style.bold(`Crawl ${crawl.id}`)} of ${startText(crawl)}: ${stateText(crawl)}`, width),
    style.dim(`Data in ${database}`),
    "",
    totalsText(summary) + open,
    ...changed.map((name) => `  ${style.dim(clean(settingLine(name, crawl.settings[name])))}`),
    ...summaryLines(summary, { style, width, proseWidth, listed: LISTED }),
    "",
    style.bold("Next"),
    ...stepLines(
      [...(["paused", "stopped"].includes(crawl.state) ? toResume(crawl.id) : []), ...afterCrawl(crawl.id).slice(1)],
      style,
      env,
      width,
    ),
  ]);
}

function stateText({ state, startedAt, durationMs, message }: DescribedCrawl["crawl"]): string {
  const why = message === null ? "" : `. ${clean(message)}`;
  return `${codeWords(state)}, ${duration(durationMs)}, started ${moment(startedAt)}${why}`;
}
