/** `trawl atproto failures` and `hosts`: what failed and why, repo by repo and host by host; and choosing some to try again. */
import { type Command, Option } from "commander";
import type { FailedRepo, FailureFilter, HostReport } from "../../../../app/atproto/failures.ts";
import { ERROR_CLASSES, HOST_TIERS, isTierName } from "../../../../app/atproto/settings.ts";
import { TrawlError } from "../../../../errors.ts";
import { clean, count, counted, moment } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { table } from "../../output/table.ts";
import { readNumber } from "../../selection.ts";
import { addState, type StateOptions } from "./atproto-options.ts";

interface FailureOptions extends StateOptions {
  class?: string;
  host?: string;
  limit: number;
  retry?: true;
}

/** The state in Redis does not record which host failed. */
function refuseRedis({ redisAddress }: StateOptions): void {
  if (redisAddress === undefined) return;
  throw new TrawlError("BAD_USAGE", "Failures by repo and host are kept in the state file only, not in Redis.", {
    hint: "`trawl atproto status --redis-address …` counts failures by class.",
  });
}

const addLimit = (command: Command, what: string): Command =>
  command.addOption(new Option("--limit <n>", `How many ${what} to print.`).argParser(readNumber).default(50, "50"));

export function addFailuresCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("failures")
    .summary("list the repos that failed, by class or host; try them again")
    .description(
      "Lists the repos that could not be stored, the newest failure first: class, host, reason, and when that host is asked again. " +
        "With --retry, the next crawl tries all selected repos, whatever their schedule.",
    )
    .addOption(new Option("--class <name>", "Only this class.").choices(Object.keys(ERROR_CLASSES)))
    .option("--host <text>", "Only hosts whose address contains this.")
    .option("--retry", "Try the selected repos again in the next crawl.");
  addJson(addState(addLimit(command, "failures")), "Print one line of JSON per failure.");
  addExamples(command, [
    ["trawl atproto failures --class parse_error", "repos that were not valid, and why"],
    ["trawl atproto failures --host pds.example.com --retry", "tries one server again"],
    ["trawl atproto failures --limit 1000000 --json | jq -r .did > dids.txt", "for --source dids:dids.txt"],
  ]);
  command.action(async (options: FailureOptions) => {
    refuseRedis(options);
    const { failedRepos, countFailures, requireState, retryFailures } = await import(
      "../../../../app/atproto/failures.ts"
    );
    requireState(options.outputDir);
    const { terminal } = cli;
    const filter: FailureFilter = { class: options.class, host: options.host };
    if (options.retry) {
      const many = retryFailures(options.outputDir, filter);
      if (options.json) terminal.json({ event: "retry", count: many });
      else terminal.lines([`The next crawl tries ${counted(many, "failed repo")} again.`]);
      return;
    }
    const found = [...failedRepos(options.outputDir, filter, options.limit)];
    if (options.json) for (const failure of found) terminal.json(jsonOf(failure));
    else terminal.lines(failureLines(cli, found, countFailures(options.outputDir, filter), isFiltered(filter)));
  });
}

const jsonOf = ({ failedAt, retryAt, ...failure }: FailedRepo) => ({
  ...failure,
  failedAt: new Date(failedAt).toISOString(),
  retryAt: retryAt === 0 ? null : new Date(retryAt).toISOString(),
});

const isFiltered = ({ class: name, host }: FailureFilter): boolean => name !== undefined || host !== undefined;

function failureLines({ terminal }: Cli, found: FailedRepo[], all: number, filtered: boolean): string[] {
  if (all === 0) return [filtered ? "No failures of this class and host." : "Nothing failed."];
  const rows = found.map(({ did, host, class: name, detail, retryAt }) => [
    clean(did),
    clean(name),
    clean(host ?? ""),
    retryAt === 0 ? "next crawl" : moment(retryAt),
    clean(detail ?? ""),
  ]);
  return [
    ...table({
      columns: [
        { title: "did", least: 20 },
        { title: "class" },
        { title: "host", least: 12 },
        { title: "again" },
        { title: "reason", least: 12 },
      ],
      rows,
      width: terminal.width,
      heading: terminal.style.dim,
    }),
    found.length < all
      ? `${count(found.length)} of ${counted(all, "failure")}; --limit prints more.`
      : counted(all, "failure"),
  ];
}

export function addHostsCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("hosts")
    .summary("list the servers of the crawl: requests, failures, which ones rest")
    .description(
      "Lists the servers of the crawl, those with most failed repos first: how many requests they got, at what share of their rate, " +
        "until when they rest and why, and what failed there. Works during a crawl, which saves these " +
        "figures as it goes.",
    )
    .option("--host <text>", "Only hosts whose address contains this; with --tier, the name of one host.")
    .addOption(
      new Option(
        "--tier <name>",
        "Assign a tier to the host, also while a crawl runs: small (2 requests per second), medium (--default-pds-rps), large (10), trusted " +
          "(20, and as many accounts as it lists), limited (2, and 1,000 accounts at most), or auto, by its size.",
      ).choices([...Object.keys(HOST_TIERS), "auto"]),
    );
  addJson(addState(addLimit(command, "hosts")), "Print one line of JSON per host.");
  addExamples(command, [
    ["trawl atproto hosts", "the servers with most trouble first"],
    ["trawl atproto hosts --host pds.example.com --tier trusted", "faster, and without a limit on its accounts"],
    ["trawl atproto hosts --host bsky.network --json | jq .blockedUntil", "for a script"],
  ]);
  command.action(async (options: HostOptions) => {
    if (options.tier !== undefined) return assign(cli, options);
    refuseRedis(options);
    const { hostReports, requireState } = await import("../../../../app/atproto/failures.ts");
    requireState(options.outputDir);
    const { terminal } = cli;
    const all = hostReports(options.outputDir, { host: options.host });
    const found = all.slice(0, options.limit);
    if (options.json) for (const report of found) terminal.json(report);
    else terminal.lines(hostLines(cli, found, all.length));
  });
}

interface HostOptions extends StateOptions {
  host?: string;
  tier?: string;
  limit: number;
}

/** In the segments' folder, wherever the state is. */
async function assign({ terminal }: Cli, { host, tier, outputDir, json }: HostOptions): Promise<void> {
  if (host === undefined) throw new TrawlError("BAD_USAGE", "--tier needs --host with the name of one host.");
  const { assignTier } = await import("../../../../app/atproto/failures.ts");
  const assigned = isTierName(tier!) ? tier : null;
  const name = await assignTier(outputDir, host, assigned);
  if (json) terminal.json({ event: "tier", host: name, tier: assigned });
  else terminal.lines([`${name}: ${assigned === null ? "its size decides again" : HOST_TIERS[assigned].meaning}.`]);
}

function hostLines({ terminal }: Cli, found: HostReport[], all: number): string[] {
  if (all === 0) return ["The crawl has not asked this server."];
  const right = { align: "right" as const };
  return [
    ...table({
      columns: [
        { title: "host", least: 20 },
        { title: "requests", ...right },
        { title: "pace", ...right },
        { title: "tier" },
        { title: "left alone until" },
        { title: "failed", least: 12 },
      ],
      rows: found.map(({ host, requests, pace, tier, blockedUntil, failed }) => [
        clean(host),
        count(requests),
        `${Math.round(pace * 100)}%`,
        tier ?? "",
        blockedUntil === null ? "" : moment(blockedUntil),
        classes(failed),
      ]),
      width: terminal.width,
      heading: terminal.style.dim,
    }),
    found.length < all
      ? `${count(found.length)} of ${counted(all, "host")}; --limit prints more.`
      : counted(all, "host"),
  ];
}

/** The most common first. */
export const classes = (failed: Record<string, number>): string =>
  Object.entries(failed)
    .sort(([, a], [, b]) => b - a)
    .map(([name, many]) => `${clean(name)} ${count(many)}`)
    .join(", ");
