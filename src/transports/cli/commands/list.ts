/** `trawl list <file|->`: crawls the URLs of a list, and nothing that they link to. */
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Command } from "commander";
import type { CopiedList } from "../../../app/url-list.ts";
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
    const config = readConfig(values);
    const input = file === "-" ? cli.terminal.stdin : await openList(file);
    const start = async (crawls: Parameters<Parameters<typeof withCrawls>[1]>[0]) => {
      const { active, list } = await crawls.startList(input, { config, since: values.since });
      noteRejected(cli, list);
      return active;
    };
    cli.exitCode = await withCrawls(cli, (crawls) =>
      runCrawl(cli, crawls, () => start(crawls), { json: values.json === true, beforeResume: [] }),
    );
  });
}

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
