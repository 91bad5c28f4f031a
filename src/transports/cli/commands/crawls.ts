/** `trawl crawls`: the crawls on this machine, listed and deleted. */
import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { deleteCrawl, listCrawls } from "../../../app/operations/crawls.ts";
import { ask } from "../../../app/operations/operation.ts";
import type { CrawlEntry } from "../../../app/operations/shapes.ts";
import { TrawlError } from "../../../errors.ts";
import { bytes, codeWords, count, counted, duration, moment } from "../../texts.ts";
import { addJson, type Cli, confirmed, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { listedCrawls } from "../listed-crawls.ts";
import { newestCrawlId } from "../named.ts";
import { startText } from "../output/summary.ts";
import { NARROW, table } from "../output/table.ts";
import type { Style, Terminal } from "../output/terminal.ts";

export function addCrawlsCommand(program: Command, cli: Cli): void {
  const command = program
    .command("crawls")
    .helpCommand(false)
    .description("Lists the crawls on this machine, newest first.");
  addJson(command);
  addExamples(command, [
    ["trawl crawls", "all of them"],
    ["trawl crawls rm 3 4", "deletes crawls 3 and 4 with their data"],
  ]);
  command.action(({ json }: JsonOption) =>
    withApp(cli, async (app) => {
      const crawls = await ask(app, listCrawls, {});
      const database = ({ id }: CrawlEntry) => app.home.crawlDatabase(id);
      const rows = crawls.rows.map((crawl) => ({ ...crawl, database: database(crawl) }));
      if (json) cli.terminal.json({ ...crawls, rows });
      else cli.terminal.lines(crawlLines(cli.terminal, crawls.rows, database));
    }),
  );
  addRemoveCommand(command, cli);
}

function crawlLines(
  { style, width }: Terminal,
  crawls: CrawlEntry[],
  database: (crawl: CrawlEntry) => string,
): string[] {
  if (crawls.length === 0) return ["No crawls yet. Start one with `trawl crawl <url>`; `trawl demo` needs no network."];
  // Addresses and times in one piece are worth more than times and sizes of crawls, where there is room for either.
  const isNarrow = width < NARROW;
  return table({
    columns: [
      { title: "id", align: "right" },
      { title: "state" },
      { title: "pages", align: "right" },
      { title: "crawled", align: "right", optional: true },
      { title: "found", align: "right", optional: true },
      { title: "time", align: "right", optional: true },
      { title: "size", align: "right", optional: true },
      { title: "started", least: isNarrow ? 10 : 20, whole: true },
      { title: "start", least: isNarrow ? 12 : 24 },
    ],
    rows: crawls.map((crawl) => [
      String(crawl.id),
      { text: codeWords(crawl.state), style: stateStyle(style, crawl.state) },
      count(crawl.pages ?? 0),
      count(crawl.crawled),
      count(crawl.discovered),
      duration(crawl.durationMs),
      bytes(sizeOf(database(crawl))),
      moment(crawl.startedAt),
      startText(crawl),
    ]),
    width,
    heading: style.dim,
  });
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

function stateStyle(style: Style, state: CrawlEntry["state"]): (text: string) => string {
  const styles = {
    running: style.bold,
    completed: style.good,
    limit_reached: style.good,
    stopped: style.warn,
    paused: style.warn,
    blocked: style.bad,
    failed: style.bad,
  };
  return styles[state];
}

interface RemoveOptions extends JsonOption {
  yes?: true;
}

function addRemoveCommand(crawlsCommand: Command, cli: Cli): void {
  const command = crawlsCommand
    .command("rm")
    .summary("delete crawls with their data")
    .description("Deletes crawls with all their data. Asks first.")
    .argument("<id...>", "the crawls")
    .option("--yes", "Do not ask.");
  addJson(command);
  addExamples(command, [
    ["trawl crawls rm 3 4", "asks, then deletes crawls 3 and 4"],
    ["trawl crawls rm 3 --yes", "does not ask"],
  ]);
  // --json may come before or after `rm`.
  command.action((ids: string[], _options: RemoveOptions, self: Command) =>
    withApp(cli, (app) => removeCrawls(cli.terminal, app, ids, self.optsWithGlobals())),
  );
}

async function removeCrawls(
  terminal: Terminal,
  app: App,
  typed: string[],
  { yes, json }: RemoveOptions,
): Promise<void> {
  const crawls = await namedCrawls(app, typed);
  if (!yes) {
    if (json || !terminal.canAsk) {
      throw new TrawlError("BAD_USAGE", "There is no terminal to ask on; pass --yes to delete without asking.");
    }
    for (const crawl of crawls) {
      terminal.note(`crawl ${crawl.id}: ${startText(crawl)}, ${counted(crawl.crawled, "URL")} crawled`);
    }
    if (!(await confirmed(terminal, `Delete ${crawls.length === 1 ? "it" : "them"} with all data? [y/N] `))) {
      terminal.note("Nothing was deleted.");
      return;
    }
  }
  const removed = crawls.map(({ id }) => id);
  for (const id of removed) await ask(app, deleteCrawl, { id });
  if (json) terminal.json({ removed });
  else terminal.lines([`Deleted ${removed.length === 1 ? "crawl" : "crawls"} ${removed.join(", ")}.`]);
}

/** All are looked up before the first is deleted: if one id is wrong or busy, nothing is deleted. */
async function namedCrawls(app: App, typed: string[]): Promise<CrawlEntry[]> {
  const crawls = await listedCrawls(app, new Set(typed.map((id) => newestCrawlId(app, id))));
  const busy = crawls.find(({ isHeld }) => isHeld);
  if (busy !== undefined) throw new TrawlError("CRAWL_BUSY", `Another process is working on crawl ${busy.id}.`);
  return crawls;
}
