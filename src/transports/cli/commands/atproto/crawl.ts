/** `trawl atproto crawl`: repos from their servers into segments. */
import type { Command } from "commander";
import { type AtprotoConfig, parseAtprotoConfig, parseSource } from "../../../../app/atproto/settings.ts";
import { TrawlError } from "../../../../errors.ts";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addCrawlOptions, type CrawlFlags, crawlSettings, flagOfSetting, usualSource } from "./crawl-options.ts";

export function addCrawlCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("crawl")
    .summary("archive repos; Ctrl-C pauses")
    .description(
      "Fetches the repo of every DID that the sources name, verifies it, and appends it to a segment. Stored repos are not " +
        "fetched again. Each server is requested at a rate that suits its size, and left alone when it fails. Ctrl-C " +
        "pauses; neither Ctrl-C nor a crash loses anything. --resume continues where it stopped.",
    );
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl atproto crawl --source pds:https://pds.example.com", "one server, into ./rca"],
    ["trawl atproto crawl --source relay:https://bsky.network", "the whole network"],
    ["trawl atproto crawl --source relay:https://bsky.network --resume", "continues where it stopped"],
    ["trawl atproto crawl --source plc:export.zst --skip-pds '*.example.com'", "from a PLC export"],
    ["trawl atproto crawl --source dids:friends.txt --record-json lossless", "a few accounts, complete"],
    ["trawl atproto crawl --source pds:https://pds.example.com --since rca", "only what changed"],
    ["trawl atproto crawl --source clickhouse --redis-address db:6379", "on each of several machines"],
  ]);
  command.action(async (flags: CrawlFlags) => {
    const config = readConfig(flags);
    const { crawlSession } = await import("./crawl-session.ts");
    cli.exitCode = await crawlSession(cli, config, flags.json === true);
  });
}

/** The library's messages name settings; here they were typed as flags. */
function parseFlags(flags: CrawlFlags): AtprotoConfig {
  try {
    return parseAtprotoConfig(crawlSettings(flags));
  } catch (error) {
    if (!(error instanceof TrawlError) || error.code !== "BAD_CONFIG") throw error;
    throw new TrawlError("BAD_USAGE", error.message.replace(/^\w+/gm, flagOfSetting), { cause: error });
  }
}

/** Problems are reported before anything starts. */
function readConfig(flags: CrawlFlags): AtprotoConfig {
  if (usualSource(flags).length === 0 && flags["source"] === undefined) {
    throw new TrawlError(
      "BAD_USAGE",
      "Give a source: --source relay:https://…, pds:https://…, plc:…, dids:FILE or clickhouse.",
    );
  }
  const config = parseFlags(flags);
  for (const source of config.source) parseSource(source, config.allowPrivate);
  return config;
}
