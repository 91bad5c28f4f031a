/** `trawl list <file|->`: crawls the URLs of a list, and nothing that they link to. */
import { open } from "node:fs/promises";
import { PassThrough, type Readable } from "node:stream";
import type { Command } from "commander";
import type { ActiveCrawl } from "../../../app/crawls/active-crawl.ts";
import type { Crawls, StartOptions } from "../../../app/crawls/crawls.ts";
import type { CopiedList } from "../../../app/crawls/url-list.ts";
import { TrawlError } from "../../../errors.ts";
import { type Cli, withCrawls } from "../cli.ts";
import { addCrawlOptions, type CrawlOptionValues, readConfig } from "../crawl-options.ts";
import { runCrawl } from "../crawl-session.ts";
import { addExamples } from "../help.ts";
import { clean } from "../output/clean.ts";
import { counted } from "../output/numbers.ts";

export function addListCommand(program: Command, cli: Cli): void {
  const command = program
    .command("list")
    .summary("crawl the URLs of a list")
    .description(
      "Crawls the URLs of a list, one a line, and nothing that they link to. " +
        "Empty lines and lines that begin with # are passed over. The list is kept with the crawl, so it can be resumed.",
    )
    .argument("<file>", "the list; - reads it from standard input");
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl list urls.txt", "every URL of the file"],
    ["sort -u urls.txt | trawl list - --parallelism 20", "from another program, twenty at once"],
    ["trawl list urls.txt --check-head", "asks for the headers first: quick for large files"],
  ]);
  command.action(async (file: string, values: CrawlOptionValues) => {
    const config = await readConfig(values);
    const input = file === "-" ? cli.terminal.stdin : await openList(file);
    cli.exitCode = await withCrawls(cli, (crawls) =>
      runCrawl(
        cli,
        crawls,
        (interrupted) => startList(cli, crawls, input, { config, since: values.since }, interrupted),
        {
          json: values.json === true,
          beforeResume: [],
        },
      ),
    );
  });
}

async function startList(
  cli: Cli,
  crawls: Crawls,
  input: Readable,
  options: StartOptions,
  interrupted: AbortSignal,
): Promise<ActiveCrawl> {
  // It can be made to fail; the output of another program cannot.
  const lines = input.pipe(new PassThrough());
  const giveUp = () => {
    input.destroy();
    lines.destroy(new Error("interrupted"));
  };
  interrupted.addEventListener("abort", giveUp);
  const { active, list } = await crawls.startList(lines, options).catch((error) => {
    throw interrupted.aborted ? interruptedError() : error;
  });
  interrupted.removeEventListener("abort", giveUp);
  noteRejected(cli, list);
  return active;
}

/** Half a list is not resumed as if it were the whole: there is nothing to go on with. */
const interruptedError = (): TrawlError =>
  new TrawlError("FILE_NOT_READABLE", "Interrupted while the list was read: nothing was kept.", {
    hint: "Give the same list again.",
    exit: 1,
  });

/** Opened before anything is stored, so that a wrong name leaves nothing behind. */
async function openList(path: string): Promise<Readable> {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file.createReadStream();
    await file.close();
  } catch (error) {
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${(error as Error).message}`);
  }
  throw new TrawlError("FILE_NOT_READABLE", `${path} is not a file.`);
}

function noteRejected({ terminal }: Cli, { rejected, rejectedCount }: CopiedList): void {
  for (const { line, text } of rejected) terminal.note(`note: line ${line} is not a URL: ${clean(text)}`);
  const rest = rejectedCount - rejected.length;
  if (rest > 0) terminal.note(`note: and ${counted(rest, "line")} more`);
}
