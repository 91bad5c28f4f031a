/** `trawl show <id>`: one crawl in counts. */
import type { Command } from "commander";
import type { CrawlRecord } from "../../../app/crawls/registry.ts";
import { changedSettings } from "../../../site/changed-settings.ts";
import { withoutSecrets } from "../../../site/secrets.ts";
import type { SiteConfig } from "../../../site/site-config.ts";
import { summarize } from "../../../site/store/summary.ts";
import { addJson, type Cli, type JsonOption, type OpenCrawl, withCrawl } from "../cli.ts";
import { addExamples } from "../help.ts";
import { clean } from "../output/clean.ts";
import { startText } from "../output/crawl-name.ts";
import { afterCrawl, stepLines, toResume } from "../output/next-steps.ts";
import { count, duration, moment } from "../output/numbers.ts";
import { settingLine } from "../output/settings.ts";
import { summaryLines, totalsText } from "../output/summary.ts";
import { wrap } from "../output/width.ts";

/** `summarize` lists this many broken and slow pages. */
const LISTED = 10;

export function addShowCommand(program: Command, cli: Cli): void {
  const command = program
    .command("show")
    .summary("show one crawl in counts")
    .description("Shows one crawl, also while it runs: counts by status and reason, traps, broken and slow pages.")
    .argument("<id>", "the crawl, or `last`");
  addJson(command);
  addExamples(command, [
    ["trawl show 12", "the summary of crawl 12"],
    ["trawl show last --json | jq .summary.statuses", "one part of it, for a script"],
  ]);
  command.action((id: string, { json }: JsonOption) => withCrawl(cli, id, (crawl) => show(cli, crawl, json === true)));
}

function show({ terminal, env }: Cli, { crawls, record, reader }: OpenCrawl, json: boolean): void {
  const summary = summarize(reader, LISTED);
  const settings = withoutSecrets(record.settings as SiteConfig);
  const database = crawls.home.crawlDatabase(record.id);
  if (json) {
    terminal.json({ crawl: { ...record, settings, database }, summary });
    return;
  }
  const { style, width, proseWidth } = terminal;
  const open = summary.open > 0 ? ` ${count(summary.open)} open.` : "";
  terminal.lines([
    ...wrap(`${style.bold(`Crawl ${record.id}`)} of ${startText(record)}: ${stateText(record)}`, width),
    style.dim(`Data in ${database}`),
    "",
    totalsText(summary) + open,
    ...changedSettings(settings).map((name) => `  ${style.dim(clean(settingLine(name, settings[name])))}`),
    ...summaryLines(summary, { style, width, proseWidth, listed: LISTED }),
    "",
    style.bold("Next"),
    ...stepLines(
      [...(record.state === "paused" ? toResume(record.id) : []), ...afterCrawl(record.id).slice(1)],
      style,
      env,
      width,
    ),
  ]);
}

function stateText({ state, startedAt, durationMs, message }: CrawlRecord): string {
  const why = message === null ? "" : ` (${clean(message)})`;
  return `${state}${why}, ${duration(durationMs)}, started ${moment(startedAt)}`;
}
