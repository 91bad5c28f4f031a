/**
 * `trawl crawl`, `trawl list`, `trawl resume`, `trawl pause` and `trawl stop`: crawls a website, the URLs of a list, or
 * the rest of a crawl that was interrupted; and pauses or ends one.
 */

import { PassThrough, type Readable } from "node:stream";
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import type { CrawlRecordState } from "../../../app/crawls/registry.ts";
import {
  getLastRequest,
  pauseCrawl,
  resumeCrawl,
  type StartQuestion,
  startCrawl,
  stopCrawl,
} from "../../../app/operations/crawling.ts";
import { ask } from "../../../app/operations/operation.ts";
import { TrawlError } from "../../../errors.ts";
import { clean } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import {
  addCrawlOptions,
  addLoudness,
  addTrace,
  type CrawlOptionValues,
  givenSettings,
  loudness,
  startSite,
} from "../crawl-options.ts";
import { announce, concludeCrawl, runCrawl, withCrawlApp } from "../crawl-session.ts";
import { addExamples } from "../help.ts";
import { noteRejected, openList } from "../list-input.ts";
import { listedCrawl } from "../listed-crawls.ts";
import { newestCrawlId } from "../named.ts";
import { checkedFailOn } from "../output/issues.ts";
import type { ReportFiles } from "../report-files.ts";
import { projectNamed } from "./schedule.ts";

const reportFiles = ({ sarif, junit, markdown }: CrawlOptionValues): ReportFiles => ({ sarif, junit, markdown });

export function addCrawlCommand(program: Command, cli: Cli): void {
  const command = program
    .command("crawl")
    .description(
      "Crawls a website: follows its links, reads its sitemaps and checks its resources, politely. " +
        "Every URL it finds gets a verdict with a reason. Ctrl-C pauses; nothing is lost. Settings that were saved for " +
        "the domain in the web app apply; a --config file and flags override them.",
    )
    .argument("<url>", "where to start; `example.com` means https://example.com/");
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl crawl https://example.com", "the whole site, as robots.txt allows"],
    ["trawl crawl example.com/docs/ --start-folder --max-urls 500", "one folder of it, 500 URLs at most"],
    ["trawl crawl example.com --exclude '*/tag/*' --rate 2", "without the tag pages, two requests per second"],
    ["trawl crawl example.com --since last", "again, downloading only what changed"],
    ["trawl crawl example.com --render --parallelism 10", "with JavaScript, ten requests at once"],
    ["trawl crawl example.com --max-urls 50 --trace requests.har", "with every request in a file for a HAR viewer"],
    ["trawl crawl example.com --fail-on error", "for CI: exit code 4 when something must be fixed"],
    ["trawl crawl example.com --json | tail -n 1 > summary.json", "for a script: the last line is the summary"],
  ]);
  command.action(async (url: string, values: CrawlOptionValues) => {
    const given = await givenSettings(values);
    checkedFailOn(values);
    cli.exitCode = await withCrawlApp(cli, values, (app) =>
      runCrawl(cli, app, () => startSite(cli, app, url, given, values), {
        ...loudness(values),
        failOn: checkedFailOn(values),
        reports: reportFiles(values),
        beforeResume: [],
      }),
    );
  });
}

/** `trawl again <site>`: repeats the newest crawl of a project. */
export function addAgainCommand(program: Command, cli: Cli): void {
  const command = program
    .command("again")
    .description(
      "Repeats the newest crawl of a site: the same start URL or list, and the same settings, which are printed first. " +
        "A --config file and flags change them.",
    )
    .argument("<site>", "its domain, a URL of it, or the number of the project");
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl again example.com", "repeats the latest crawl"],
    ["trawl again example.com --max-urls 5000 --since last", "with another limit, downloading only what changed"],
  ]);
  command.action(async (site: string, values: CrawlOptionValues) => {
    const given = await givenSettings(values);
    checkedFailOn(values);
    cli.exitCode = await withCrawlApp(cli, values, (app) =>
      runCrawl(cli, app, () => startAgain(cli, app, site, given, values), {
        ...loudness(values),
        failOn: checkedFailOn(values),
        reports: reportFiles(values),
        beforeResume: [],
      }),
    );
  });
}

async function startAgain(
  { terminal }: Cli,
  app: App,
  site: string,
  given: NonNullable<StartQuestion["settings"]>,
  { since, header, quiet }: CrawlOptionValues,
): Promise<{ crawlId: number }> {
  const { id } = await projectNamed(app, site);
  const { again, url, mode, settings } = await ask(app, getLastRequest, { id });
  const shown = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const what = mode === "list" ? `the list of crawl ${again}` : url;
  const how = shown.length === 0 ? "default settings" : shown.join(", ");
  if (quiet !== true) terminal.note(clean(`note: crawling ${what} again, with ${how}`));
  const headers = header === undefined ? {} : { headers: { ...(settings["headers"] as object), ...given.headers } };
  return ask(app, startCrawl, { again, settings: { ...given, ...headers }, since: since ?? null });
}

/** `trawl list <file|->`: fetches the URLs in a list, and follows no links. */
export function addListCommand(program: Command, cli: Cli): void {
  const command = program
    .command("list")
    .description(
      "Fetches the URLs in a list, one per line, and follows no links. " +
        "Empty lines and lines that begin with # are ignored. The list is stored with the crawl, so it can be resumed.",
    )
    .argument("<file>", "the list; - reads it from standard input");
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl list urls.txt", "every URL in the file"],
    ["sort -u urls.txt | trawl list - --parallelism 20", "from another program, twenty at once"],
    ["trawl list urls.txt --check-head", "requests headers first: fast for large files"],
  ]);
  command.action(async (file: string, values: CrawlOptionValues) => {
    const settings = await givenSettings(values);
    checkedFailOn(values);
    const input = await openList(cli, file);
    cli.exitCode = await withCrawlApp(cli, values, (app) =>
      runCrawl(
        cli,
        app,
        (interrupted) => startList(cli, app, input, { settings, since: values.since ?? null }, interrupted),
        { ...loudness(values), failOn: checkedFailOn(values), reports: reportFiles(values), beforeResume: [] },
      ),
    );
  });
}

async function startList(
  cli: Cli,
  app: App,
  input: Readable,
  options: Pick<StartQuestion, "settings" | "since">,
  interrupted: AbortSignal,
): Promise<{ crawlId: number }> {
  // A file can be closed early; another program's output cannot.
  const lines = input.pipe(new PassThrough());
  const giveUp = () => {
    input.destroy();
    lines.destroy(new Error("interrupted"));
  };
  interrupted.addEventListener("abort", giveUp);
  const { list, crawlId } = await app.activeCrawls.startList(lines, options).catch((error) => {
    throw interrupted.aborted ? interruptedError() : error;
  });
  interrupted.removeEventListener("abort", giveUp);
  noteRejected(cli, list);
  return { crawlId };
}

/** Half a list must not be resumed as if it were complete, so nothing is kept. */
const interruptedError = (): TrawlError =>
  new TrawlError("FILE_NOT_READABLE", "Interrupted while reading the list; nothing was stored.", {
    hint: "Start again with the same list.",
    exit: 1,
  });

/** `trawl resume <id>`: continues a crawl that was paused, stopped or killed. */
export function addResumeCommand(program: Command, cli: Cli): void {
  const command = program
    .command("resume")
    .description(
      "Continues a crawl that was paused, stopped or killed, with the settings it was started with. " +
        "Stored pages are not fetched again, and hosts' waiting times still apply.",
    )
    .argument("<id>", "the crawl, or `last`");
  addJson(command, "Print JSON lines: progress every second, and the summary last.");
  addTrace(command);
  addLoudness(command);
  addExamples(command, [
    ["trawl resume 12", "continues crawl 12"],
    ["trawl resume last", "continues the newest crawl"],
  ]);
  command.action(async (typed: string, values: CrawlOptionValues) => {
    const options = { ...loudness(values), beforeResume: [] };
    cli.exitCode = await withCrawlApp(cli, values, async (app) => {
      const id = newestCrawlId(app, typed);
      const record = await listedCrawl(app, id);
      if (record.state !== "completed" && record.state !== "limit_reached")
        return runCrawl(cli, app, () => resume(app, id), options);
      const already = record.state === "completed" ? "was complete" : "had reached its limit";
      if (!options.json && !options.quiet) cli.terminal.note(`Crawl ${id} ${already} already.`);
      announce(cli, app, record, options);
      return concludeCrawl(cli, app, { id, state: "completed" }, options);
    });
  });
}

/** `trawl stop <id>`: stops a crawl on this machine, whichever process runs it. */
export const addStopCommand = (program: Command, cli: Cli): void =>
  addSteerCommand(program, cli, "stop", stopCrawl, {
    description:
      "Stops a crawl, even one that `trawl serve` or another terminal runs. What it found is kept, and `trawl resume` " +
      "continues it. Returns when no request is in flight.",
    said: "Stopped",
    from: ["running", "paused"],
  });

/** `trawl pause <id>`: like Ctrl-C where the crawl runs. */
export const addPauseCommand = (program: Command, cli: Cli): void =>
  addSteerCommand(program, cli, "pause", pauseCrawl, {
    description:
      "Pauses a crawl that `trawl serve` or another terminal runs: requests in flight finish, and that process releases " +
      "the crawl. `trawl resume` continues it.",
    said: "Paused",
    from: ["running"],
  });

interface Steering {
  description: string;
  said: string;
  /** The states that this applies to. */
  from: readonly CrawlRecordState[];
}

function addSteerCommand(
  program: Command,
  cli: Cli,
  name: "stop" | "pause",
  operation: typeof stopCrawl | typeof pauseCrawl,
  { description, said, from }: Steering,
): void {
  const command = program.command(name).description(description).argument("<id>", "the crawl, or `last`");
  addJson(command);
  addExamples(command, [
    [`trawl ${name} 12`, `${name}s crawl 12`],
    [`trawl ${name} last`, `${name}s the newest`],
  ]);
  command.action((typed: string, { json }: JsonOption) =>
    withApp(cli, async (app) => {
      const id = newestCrawlId(app, typed);
      const { state: was } = await listedCrawl(app, id);
      if (from.includes(was)) await ask(app, operation, { id });
      const { state } = await listedCrawl(app, id);
      if (json) cli.terminal.json({ id, state });
      else if (from.includes(was)) cli.terminal.lines([`${said} crawl ${id}.`]);
      else if (was === "paused") cli.terminal.lines([`Crawl ${id} was paused already.`]);
      else cli.terminal.lines([`Crawl ${id} had ended already.`]);
    }),
  );
}

async function resume(app: App, id: number): Promise<{ crawlId: number }> {
  await ask(app, resumeCrawl, { id });
  return { crawlId: id };
}
