/**
 * `trawl archive run`, `resume` and `scrape`: archives from the seeds or from where it stopped; or fetches what a
 * spool names.
 */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { ArchiveCrawl } from "../../../../app/archive/run.ts";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { TrawlError } from "../../../../errors.ts";
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import type { Step } from "../../output/summary.ts";
import { addRunOptions, openTyped, overridesOf, type RunOptions, readReach } from "./archive-options.ts";

interface ArchiveOptions extends RunOptions {
  seeds?: string;
  discover?: true;
  refresh?: true;
}

const DISCOVER = "Only read pages for their links, and write them to the spool for `scrape` to fetch.";

export function addRunCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("run")
    .summary("archive, starting from the seeds")
    .description(
      "Archives the pages that the policy allows, breadth first, each fetched once. What was archived before is kept and " +
        "not fetched again. Ctrl-C pauses; nothing is lost. SIGHUP reloads the settings, SIGUSR1 prints the progress.",
    )
    .option("--seeds <file>", "URLs to start from, one per line (default: seeds.txt in the workspace).")
    .option("--refresh", "Request every page again; only changed pages are downloaded.")
    .option("--discover", DISCOVER);
  addRunOptions(command);
  addExamples(command, [
    ["trawl archive run", "archives with the settings in ./workspace"],
    ["trawl archive run -w ~/github --warc", "writes WARC files too"],
    ["trawl archive run --refresh", "again, fetching only what changed"],
    ["trawl archive run --metrics-port 9464", "http://127.0.0.1:9464/metrics for Prometheus"],
    ["trawl archive run --discover", "finds pages; `trawl archive scrape --follow` beside it fetches them"],
  ]);
  command.action(async (options: ArchiveOptions) => {
    const { workspaceSeeds } = await import("../../../../app/archive/workspace.ts");
    const workspace = await openTyped(options, overridesOf(options));
    const seeds = await workspaceSeeds(workspace.root, options.seeds);
    if (seeds.length === 0) throw new TrawlError("NO_SEEDS", "The seeds file contains no URLs.");
    cli.exitCode = await archive(cli, workspace, options, seeds);
  });
}

export function addResumeArchiveCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("resume")
    .summary("continue where the last run stopped")
    .description("Continues with the queue, without reading the seeds again.")
    .option("--discover", DISCOVER);
  addRunOptions(command);
  addExamples(command, [
    ["trawl archive resume", "continues where the last run stopped"],
    ["trawl archive resume --json | tail -n 1", "for a script: the last line has the statistics"],
  ]);
  command.action(async (options: ArchiveOptions) => {
    const workspace = await openTyped(options, overridesOf(options));
    const { ledger, discoverLedger } = workspace.paths;
    if (!existsSync((options.discover ? discoverLedger : ledger).commits)) {
      throw new TrawlError(
        "BAD_USAGE",
        `Nothing has been archived in ${workspace.root} yet. Start with \`trawl archive run\`.`,
      );
    }
    cli.exitCode = await archive(cli, workspace, options, []);
  });
}

async function archive(cli: Cli, workspace: Workspace, options: ArchiveOptions, seeds: string[]): Promise<number> {
  const [{ ArchiveCrawl }, { HALVES }, { runSession }, { archiveLine }] = await Promise.all([
    import("../../../../app/archive/run.ts"),
    import("../../../../app/archive/workspace.ts"),
    import("./session.ts"),
    import("./session.ts"),
  ]);
  const { discover = false, refresh = false } = options;
  const reach = await readReach(options);
  return runSession(cli, {
    workspace,
    halves: discover ? ["crawl"] : HALVES,
    options,
    start: (events) =>
      ArchiveCrawl.start({ workspace, seeds, mode: discover ? "discover" : "archive", refresh, reach, events }),
    line: archiveLine,
    reasons: (run) => run.reasons(),
    next: discover ? DISCOVERED : ARCHIVED,
    problem: (run, end) => (end.state === "completed" ? startProblem(run, end) : null),
  });
}

const ARCHIVED = {
  done: [
    ["status", "what the archive holds"],
    ["cat <url>", "a stored page"],
    ["verify", "checks every page"],
    ["export pages", "all of it as CSV; also warc and wacz"],
    ["run --refresh", "again, fetching only what changed"],
  ] satisfies Step[],
  open: [["resume", "continues where it stopped"]] satisfies Step[],
};

const DISCOVERED = {
  done: [["scrape", "fetches what was found"]] satisfies Step[],
  open: [["resume --discover", "continues where it stopped"]] satisfies Step[],
};

/** A run that fetched nothing, with nothing archived before, is not what anyone would call done. */
function startProblem(run: ArchiveCrawl, { parked }: CrawlEnd): TrawlError | null {
  if (run.progress().fetched > 0) return null;
  if (parked.length > 0) {
    return new TrawlError(
      "HOST_UNREACHABLE",
      `${parked.join(", ")} did not answer, or its robots.txt could not be read: nothing was fetched.`,
    );
  }
  const reasons = [...run.reasons()].map(([reason, count]) => `${reason} ${count}`).join(", ");
  return new TrawlError("NO_SEEDS", `None of the seeds may be archived: ${reasons}.`);
}

/** `trawl archive scrape`: fetches what a spool names and the store does not have. */
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
      import("./session.ts"),
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
