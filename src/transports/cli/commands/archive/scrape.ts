/** `trawl archive scrape`: fetches what a spool names and the store does not have. */
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { readReach } from "./reach-options.ts";
import { addRunOptions, overridesOf, type RunOptions } from "./run-options.ts";
import { openTyped } from "./workspace-option.ts";

interface ScrapeCommandOptions extends RunOptions {
  follow?: true;
}

export function addScrapeCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("scrape")
    .summary("fetch the pages listed in a spool of discoveries")
    .description(
      "Reads the spool from where it last stopped and fetches what the store does not have, under the same policy. Use it " +
        "when finding and fetching must be separate; `trawl archive run` does both at once, with half the requests.",
    )
    .option("--follow", "Continue when the spool grows, until stopped.");
  addRunOptions(command);
  addExamples(command, [
    ["trawl archive scrape", "what is in the spool now"],
    ["trawl archive scrape --follow", "beside `trawl archive run --discover`"],
  ]);
  command.action(async (options: ScrapeCommandOptions) => {
    const [{ Scrape }, { runSession }, { scrapeLine }] = await Promise.all([
      import("../../../../app/archive/run.ts"),
      import("./session.ts"),
      import("./progress.ts"),
    ]);
    const workspace = await openTyped(options, overridesOf(options));
    const reach = await readReach(options);
    cli.exitCode = await runSession(cli, {
      workspace,
      halves: ["store"],
      options,
      start: (events) => Scrape.start({ workspace, follow: options.follow === true, reach, events }),
      line: scrapeLine,
      reasons: () => new Map(),
      next: {
        done: [
          ["status", "what the archive holds"],
          ["verify", "checks every page"],
        ],
        open: [["scrape", "continues where it stopped"]],
      },
      problem: () => null,
    });
  });
}
