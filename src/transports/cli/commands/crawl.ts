/** `trawl crawl <url>`: crawls a website whole. */
import type { Command } from "commander";
import { type Cli, withApp } from "../cli.ts";
import { addCrawlOptions, type CrawlOptionValues, givenSettings, startSite } from "../crawl-options.ts";
import { runCrawl } from "../crawl-session.ts";
import { addExamples } from "../help.ts";

export function addCrawlCommand(program: Command, cli: Cli): void {
  const command = program
    .command("crawl")
    .description(
      "Crawls a website: follows its links, reads its sitemaps and checks its resources, politely. " +
        "Every URL it meets gets a verdict with a reason. Ctrl-C pauses; nothing is lost. Settings that were saved for " +
        "the domain in the web app count, and a --config file and flags win over them.",
    )
    .argument("<url>", "where to start; `example.com` means https://example.com/");
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl crawl https://example.com", "the whole site, as robots.txt allows"],
    ["trawl crawl example.com/docs/ --start-folder --max-urls 500", "one folder of it, 500 URLs at most"],
    ["trawl crawl example.com --exclude '*/tag/*' --rate 2", "without the tag pages, two requests a second"],
    ["trawl crawl example.com --since last", "again, asking only for what changed"],
    ["trawl crawl example.com --render --parallelism 10", "with JavaScript, ten requests at once"],
    ["trawl crawl example.com --json | tail -n 1 > summary.json", "for a script: the last line is the summary"],
  ]);
  command.action(async (url: string, values: CrawlOptionValues) => {
    const given = await givenSettings(values);
    cli.exitCode = await withApp(
      cli,
      (app) =>
        runCrawl(cli, app, () => startSite(cli, app, url, given, values), {
          json: values.json === true,
          beforeResume: [],
        }),
      { favicons: false },
    );
  });
}
