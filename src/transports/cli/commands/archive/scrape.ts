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
    .summary("fetch what a spool of discoveries names")
    .description(
      "Reads the spool from where it stopped last, and fetches what the store does not have, under the same policy. For " +
        "those who find pages and fetch them apart; `trawl archive run` does both at once, with half the requests.",
    )
    .option("--follow", "Go on when the spool grows, until it is stopped.");
  addRunOptions(command);
  addExamples(command, [
    ["trawl archive scrape", "what is in the spool now"],
    ["trawl archive scrape --follow", "beside `trawl archive run --discover`"],
  ]);
  command.action(async (options: ScrapeCommandOptions) => {
    const [{ Scrape }, { runSession }, { scrapeLine }] = await Promise.all([
      import("../../../../archive/spool/scrape.ts"),
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
          ["verify", "is every page whole?"],
        ],
        open: [["scrape", "goes on where it stopped"]],
      },
      problem: () => null,
    });
  });
}
