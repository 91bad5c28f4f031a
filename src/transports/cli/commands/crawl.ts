/** `trawl crawl <url>`: crawls a website whole. */
import type { Command } from "commander";
import type { Crawls } from "../../../app/crawls/crawls.ts";
import { type Cli, withCrawls } from "../cli.ts";
import { addCrawlOptions, type CrawlOptionValues, readConfig } from "../crawl-options.ts";
import { runCrawl } from "../crawl-session.ts";
import { addExamples } from "../help.ts";

export function addCrawlCommand(program: Command, cli: Cli): void {
  const command = program
    .command("crawl")
    .summary("crawl a website whole")
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
    cli.exitCode = await withCrawls(cli, async (crawls) => {
      const config = await readConfig(values, await savedSettings(cli, crawls, url));
      return runCrawl(cli, crawls, () => crawls.start(url, { config, since: values.since }), {
        json: values.json === true,
        beforeResume: [],
      });
    });
  });
}

/** What was saved for the URL's domain. It is named, since nobody typed it. */
async function savedSettings({ terminal }: Cli, { registry }: Crawls, url: string): Promise<Record<string, unknown>> {
  const [{ Configs }, { systemClock }] = await Promise.all([
    import("../../../app/config/configs.ts"),
    import("../../../kernel/clock.ts"),
  ]);
  const saved = new Configs({ db: registry.db, clock: systemClock }).saved(url);
  const names = Object.keys(saved);
  if (names.length > 0) terminal.note(`note: with the settings saved for this domain: ${names.join(", ")}`);
  return saved;
}
