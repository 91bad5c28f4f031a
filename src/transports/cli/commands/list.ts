/** `trawl list <file|->`: crawls the URLs of a list, and nothing that they link to. */
import { open } from "node:fs/promises";
import { PassThrough, type Readable } from "node:stream";
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import type { CopiedList } from "../../../app/crawls/url-list.ts";
import type { StartQuestion } from "../../../app/operations/crawling.ts";
import { TrawlError } from "../../../errors.ts";
import { clean, counted } from "../../texts.ts";
import { type Cli, withApp } from "../cli.ts";
import { addCrawlOptions, type CrawlOptionValues, givenSettings } from "../crawl-options.ts";
import { runCrawl } from "../crawl-session.ts";
import { addExamples } from "../help.ts";

export function addListCommand(program: Command, cli: Cli): void {
  const command = program
    .command("list")
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
    const settings = await givenSettings(values);
    const input = file === "-" ? cli.terminal.stdin : await openList(file);
    cli.exitCode = await withApp(
      cli,
      (app) =>
        runCrawl(
          cli,
          app,
          (interrupted) => startList(cli, app, input, { settings, since: values.since ?? null }, interrupted),
          { json: values.json === true, beforeResume: [] },
        ),
      { favicons: false },
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
  // It can be made to fail; the output of another program cannot.
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
