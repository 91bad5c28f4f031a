/**
 * `trawl archive run`, `resume` and `scrape`: archives from the seeds or from where it stopped; or fetches what a
 * spool lists.
 */

import { existsSync } from "node:fs";
import type { Command } from "commander";
import type { Choice } from "../../../../app/archive/look.ts";
import type { ArchiveCrawl, ArchiveCrawlOptions } from "../../../../app/archive/run.ts";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { TrawlError } from "../../../../errors.ts";
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import { type Cli, version } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import type { Step } from "../../output/summary.ts";
import { addRunOptions, openTyped, overridesOf, type RunOptions, readReach } from "./archive-options.ts";
import { addChoice, type ChoiceOptions, isChosen, readChoice } from "./choice-options.ts";
import { makeKnown } from "./make-known.ts";

interface ArchiveOptions extends RunOptions {
  discover?: true;
}

interface RunCommandOptions extends ArchiveOptions, ChoiceOptions {
  seeds?: string;
  refresh?: true;
  retryFailed?: true;
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
    .argument("[urls...]", "URLs to start from, instead of seeds.txt")
    .option("--seeds <file>", "URLs to start from, one per line (default: seeds.txt in the workspace).")
    .option("--refresh", "Request everything that was fetched again; only changed pages are downloaded.")
    .option("--retry-failed", "Request again what could not be fetched; see `trawl archive failures`.")
    .option("--discover", DISCOVER);
  addChoice(command);
  addRunOptions(command);
  addExamples(command, [
    ["trawl archive run", "archives with the settings in ./workspace"],
    ["trawl archive run -w ~/github --warc", "writes WARC files too"],
    ["trawl archive run --requisites", "also fetches styles, images and scripts; `export wacz` packs it all"],
    ["trawl archive run https://github.com/nodejs/node", "starts from this page"],
    ["trawl archive run --refresh", "again, fetching only what changed"],
    ["trawl archive run --refresh --older 7d --type issues", "only issues that were fetched a week ago or earlier"],
    ["trawl archive run --retry-failed --status 5xx --older 1d", "server errors older than a day"],
    ["trawl archive run --metrics-port 9464", "http://127.0.0.1:9464/metrics for Prometheus"],
    ["trawl archive run --discover", "finds pages; `trawl archive scrape --follow` next to it fetches them"],
  ]);
  command.action(async (urls: string[], options: RunCommandOptions) => {
    const workspace = await openTyped(options, overridesOf(options));
    const refetch = await readRefetch(options, workspace);
    const seeds = await readSeeds(urls, options, workspace);
    if (seeds.length === 0 && refetch.length === 0 && !options.refresh) {
      throw new TrawlError("NO_SEEDS", "The seeds file contains no URLs.");
    }
    const refresh = options.refresh === true && !isChosen(options);
    cli.exitCode = await archive(cli, workspace, options, { seeds, refetch, refresh });
  });
}

/** The URLs that were typed, those in the given file, or else those of the workspace. */
async function readSeeds(urls: string[], { seeds }: RunCommandOptions, { root }: Workspace): Promise<string[]> {
  const { workspaceSeeds } = await import("../../../../app/archive/workspace.ts");
  const typed = urls.map((url) => (/^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`));
  return urls.length > 0 && seeds === undefined ? typed : [...typed, ...(await workspaceSeeds(root, seeds))];
}

/** What is requested again, in detail; a plain `--refresh` needs no details. */
async function readRefetch(options: RunCommandOptions, workspace: Workspace): Promise<Choice[]> {
  const { refresh = false, retryFailed = false, discover = false } = options;
  const isNarrowed = isChosen(options);
  if (isNarrowed && !refresh && !retryFailed) {
    throw new TrawlError("BAD_USAGE", "--status, --older, --type and --match need --refresh or --retry-failed.");
  }
  if (discover && (retryFailed || isNarrowed)) {
    throw new TrawlError(
      "BAD_USAGE",
      "Discovering records nothing, so --discover can only be used with a plain --refresh.",
    );
  }
  const choice = await readChoice(options, workspace, Date.now());
  return [...(retryFailed ? [{ ...choice, failed: true }] : []), ...(refresh && isNarrowed ? [choice] : [])];
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
    const { ledger, discoverLedger, metadata } = workspace.paths;
    const begun = options.discover ? [discoverLedger.commits] : [ledger.commits, metadata];
    if (!begun.some((path) => existsSync(path))) throw nothingYet(workspace);
    cli.exitCode = await archive(cli, workspace, options, { seeds: [] });
  });
}

async function archive(
  cli: Cli,
  workspace: Workspace,
  options: ArchiveOptions,
  what: Pick<ArchiveCrawlOptions, "seeds" | "refetch" | "refresh">,
): Promise<number> {
  const [{ ArchiveCrawl }, { HALVES }, { runSession }, { archiveLine }] = await Promise.all([
    import("../../../../app/archive/run.ts"),
    import("../../../../app/archive/workspace.ts"),
    import("./session.ts"),
    import("./session.ts"),
  ]);
  const { discover = false } = options;
  const reach = await readReach(options);
  await makeKnown(cli, workspace, options);
  return runSession(cli, {
    workspace,
    halves: discover ? ["crawl"] : HALVES,
    options,
    start: (events) =>
      ArchiveCrawl.start({
        ...what,
        workspace,
        mode: discover ? "discover" : "archive",
        reach,
        events,
        warc: options.warc,
        requisites: options.requisites,
        software: `trawl/${version()}`,
      }),
    line: archiveLine,
    reasons: (run) => run.reasons(),
    next: discover ? DISCOVERED : ARCHIVED,
    problem: (run, end) => {
      if (end.state !== "completed") return null;
      return what.seeds.length > 0 ? startProblem(run, end) : resumeProblem(run, workspace);
    },
  });
}

const ARCHIVED = {
  done: [
    ["status", "what the archive holds"],
    ["cat <url>", "a stored page"],
    ["verify", "checks every page"],
    ["export pages", "all of it as CSV; also warc and wacz"],
    ["run --refresh", "again, fetching only what changed"],
    ["failures", "what could not be fetched"],
  ] satisfies Step[],
  open: [["resume", "continues where it stopped"]] satisfies Step[],
};

const DISCOVERED = {
  done: [["scrape", "fetches what was found"]] satisfies Step[],
  open: [["resume --discover", "continues where it stopped"]] satisfies Step[],
};

const nothingYet = ({ root }: Workspace): TrawlError =>
  new TrawlError("BAD_USAGE", `Nothing has been archived in ${root} yet. Start with \`trawl archive run\`.`);

/** A run may have ended before it queued anything; then there was nothing to resume. */
const resumeProblem = (run: ArchiveCrawl, workspace: Workspace): TrawlError | null =>
  run.progress().discovered === 0 ? nothingYet(workspace) : null;

/** A run that fetched nothing, into an empty archive, must not be called done. */
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

/** `trawl archive scrape`: fetches what a spool lists and the store lacks. */
interface ScrapeCommandOptions extends RunOptions {
  follow?: true;
  refresh?: true;
}

export function addScrapeCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("scrape")
    .summary("fetch the pages listed in a spool of discoveries")
    .description(
      "Reads the spool from where it last stopped and fetches what the store lacks, under the same policy. Damaged or " +
        "refused lines are listed, and make the exit code 4. Files that were read are removed when the spool is full. Use it " +
        "when finding and fetching must be separate; `trawl archive run` does both at once, with half the requests.",
    )
    .option("--follow", "Continue when the spool grows, until stopped.")
    .option(
      "--refresh",
      "Read the spool from its beginning and request stored pages again; only changed pages are downloaded.",
    );
  addRunOptions(command);
  addExamples(command, [
    ["trawl archive scrape", "what is in the spool now"],
    ["trawl archive scrape --follow", "beside `trawl archive run --discover`"],
    ["trawl archive scrape --refresh", "again, fetching only what changed"],
  ]);
  command.action(async (options: ScrapeCommandOptions) => {
    const [{ Scrape }, { runSession }, { scrapeLine }] = await Promise.all([
      import("../../../../app/archive/run.ts"),
      import("./session.ts"),
      import("./session.ts"),
    ]);
    const workspace = await openTyped(options, overridesOf(options));
    const reach = await readReach(options);
    await makeKnown(cli, workspace, options);
    cli.exitCode = await runSession(cli, {
      workspace,
      halves: ["store"],
      options,
      start: (events) =>
        Scrape.start({
          workspace,
          follow: options.follow === true,
          refresh: options.refresh === true,
          reach,
          events,
          warc: options.warc,
          requisites: options.requisites,
          software: `trawl/${version()}`,
        }),
      line: scrapeLine,
      reasons: () => new Map(),
      next: {
        done: [
          ["status", "what the archive holds"],
          ["verify", "checks every page"],
        ],
        open: [[options.follow ? "scrape --follow" : "scrape", "continues where it stopped"]],
      },
      problem: () => null,
    });
  });
}
