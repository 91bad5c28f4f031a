/** `trawl crawls`: the crawls on this machine. */
import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import type { Crawls } from "../../../app/crawls/crawls.ts";
import type { CrawlRecord } from "../../../app/crawls/registry.ts";
import { addJson, type Cli, type JsonOption, withCrawls } from "../cli.ts";
import { addExamples } from "../help.ts";
import { startText } from "../output/crawl-name.ts";
import { bytes, count, duration, moment } from "../output/numbers.ts";
import type { Style } from "../output/style.ts";
import { table } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { addRemoveCommand } from "./crawls-remove.ts";

export function addCrawlsCommand(program: Command, cli: Cli): void {
  const command = program
    .command("crawls")
    .helpCommand(false)
    .summary("list the crawls on this machine, or delete some")
    .description("Lists the crawls on this machine, newest first.");
  addJson(command);
  addExamples(command, [
    ["trawl crawls", "all of them"],
    ["trawl crawls rm 3 4", "deletes crawls 3 and 4 with their data"],
  ]);
  command.action(({ json }: JsonOption) =>
    withCrawls(cli, (crawls) => {
      const records = crawls.list();
      if (json) cli.terminal.json(records.map((record) => entryOf(crawls, record)));
      else cli.terminal.lines(crawlLines(cli.terminal, crawls, records));
    }),
  );
  addRemoveCommand(command, cli);
}

function crawlLines({ style, width }: Terminal, crawls: Crawls, records: CrawlRecord[]): string[] {
  if (records.length === 0) return ["No crawls yet. `trawl crawl <url>` makes one; `trawl demo` needs no network."];
  return table({
    columns: [
      { title: "id", align: "right" },
      { title: "state" },
      { title: "crawled", align: "right" },
      { title: "found", align: "right", optional: true },
      { title: "time", align: "right", optional: true },
      { title: "size", align: "right", optional: true },
      { title: "started" },
      { title: "start", least: 12 },
    ],
    rows: records.map((record) => [
      String(record.id),
      { text: record.state, style: stateStyle(style, record.state) },
      count(record.crawled),
      count(record.discovered),
      duration(record.durationMs),
      bytes(sizeOf(databaseOf(crawls, record))),
      moment(record.startedAt),
      startText(record),
    ]),
    width,
    heading: style.dim,
  });
}

/** `trawl show` has the settings. */
function entryOf(crawls: Crawls, record: CrawlRecord): Record<string, unknown> {
  const { settings: _, ...rest } = record;
  return { ...rest, database: databaseOf(crawls, record) };
}

const databaseOf = ({ home }: Crawls, { id }: CrawlRecord): string => home.crawlDatabase(id);

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

function stateStyle(style: Style, state: CrawlRecord["state"]): (text: string) => string {
  return { completed: style.good, running: style.bold, paused: style.warn, failed: style.bad }[state];
}
