/** How a crawl of the network ended: what was stored, what is left and why, which commands to try next, and the exit code. */

import type { AtprotoEnd, AtprotoProgress } from "../../../../app/atproto/crawl.ts";
import type { HostReport } from "../../../../app/atproto/failures.ts";
import { type AtprotoConfig, ERROR_CLASSES, isErrorClass } from "../../../../app/atproto/settings.ts";
import { TrawlError } from "../../../../errors.ts";
import { bytes, clean, count, counted, duration } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { type Step, stepLines } from "../../output/summary.ts";
import { table, wrap } from "../../output/table.ts";
import { reportError } from "../../report-error.ts";
import { USUAL_FOLDER } from "./atproto-options.ts";
import { classes } from "./failures.ts";

export interface EndedCrawl {
  end: AtprotoEnd;
  progress: AtprotoProgress;
  config: AtprotoConfig;
  json: boolean;
  elapsedMs: number;
  /** Where repos failed in this run, worst first; empty when the state is in Redis, which does not record hosts. */
  hosts: HostReport[];
}

/** How many of the hosts where repos failed are named. */
const MOST_HOSTS = 5;
/** How many of the hosts that could not be read are named. */
const MOST_NAMED = 10;

export function concludeCrawl(cli: Cli, ended: EndedCrawl): number {
  const { terminal, env } = cli;
  const { end, progress, json, elapsedMs } = ended;
  const failure = end.state === "failed" ? end.error : unreached(ended);
  // What a host failed to list is missing, so the crawl is not done; --resume asks that host again.
  const isDone = end.isEnough || (end.state === "completed" && end.unread.length === 0);
  const report = (): number => reportError(failure, { terminal, json, debug: Boolean(env["TRAWL_DEBUG"]) });
  let code = isDone ? 0 : 3;
  if (json) {
    if (failure !== null) code = report();
    const state = failure !== null ? "failed" : isDone ? "completed" : "paused";
    const { failed: left, unread } = end;
    terminal.json({
      event: "end",
      ...progress,
      state,
      left,
      unread,
      worstHosts: worstOf(ended),
      elapsedMs: Math.round(elapsedMs),
    });
    return code;
  }
  if (failure === null || progress.stored > 0) terminal.lines(endLines(cli, ended, isDone));
  return failure === null ? code : report();
}

const worstOf = ({ hosts }: EndedCrawl) => hosts.slice(0, MOST_HOSTS).map(({ host, failed }) => ({ host, failed }));

/** Repos that need no request, because an earlier crawl has them. */
const STORED_BEFORE = ["unchanged", "no_signal", "completed"];

/** A crawl that stored nothing because it could read none of its hosts, or fetch none of the repos they list, has failed. */
function unreached({ end, progress, config }: EndedCrawl): TrawlError | null {
  const { stored, failed, skipped } = progress;
  if (end.state !== "completed" || stored > 0 || STORED_BEFORE.some((name) => name in skipped)) return null;
  const later = new Set(end.failed.map(({ class: name }) => name as string));
  // An answer such as "deactivated" is an answer.
  if (Object.keys(failed).some((name) => !later.has(name))) return null;
  const [worst] = end.failed.toSorted((a, b) => b.count - a.count);
  if (worst !== undefined) {
    return new TrawlError(
      "SOURCE_FAILED",
      `No repo could be fetched. ${worst.meaning} (${counted(worst.count, "repo")})`,
      { hint: whyFailed(config) },
    );
  }
  const [first] = end.unread;
  if (first === undefined || Object.keys(skipped).length > 0) return null;
  return new TrawlError("SOURCE_FAILED", `Nothing could be read. ${first.reason}`);
}

function endLines({ terminal, env }: Cli, ended: EndedCrawl, isDone: boolean): string[] {
  const { style, proseWidth, width } = terminal;
  const { end, progress, config, elapsedMs, hosts } = ended;
  const sums = `${counted(progress.stored, "repo")} stored, with ${counted(progress.records, "record")}: ${bytes(progress.carBytes)} fetched, ${bytes(progress.bytesWritten)} written`;
  const headline = isDone
    ? `Done in ${duration(elapsedMs)}: ${sums}.`
    : end.state === "completed"
      ? `Not complete after ${duration(elapsedMs)}: ${sums}.`
      : `Paused after ${duration(elapsedMs)}: ${sums}; ${count(end.open)} open. Nothing is lost.`;
  const heading = (title: string, rows: string[][]): string[] =>
    rows.length === 0
      ? []
      : [
          "",
          style.bold(title),
          ...table({
            columns: rows[0]!.map(
              (_, index) => COLUMNS[rows[0]!.length === 2 && title.startsWith("Hosts") && index === 1 ? 2 : index]!,
            ),
            rows,
            width,
            indent: 2,
          }),
        ];
  const later = new Set(end.failed.map(({ class: name }) => name as string));
  const over = Object.entries(progress.failed).filter(([name]) => !later.has(name));
  const notes = [
    ...(end.isEnough ? [`Reached --max-repos; ${count(end.open)} more were read and are open.`] : []),
    ...(progress.undecodable > 0
      ? [
          `${counted(progress.undecodable, "record")} could not be decoded and ${progress.undecodable === 1 ? "was" : "were"} left out.`,
        ]
      : []),
    ...(isDone && isEmpty(progress) ? ["The sources list no repos."] : []),
    ...(end.unread.length > 0 ? [`${count(end.unread.length)} not read to the end; some repos are missing:`] : []),
    ...end.unread.slice(0, MOST_NAMED).map(({ source, reason }) => `  ${clean(source)}  ${clean(reason)}`),
  ];
  return [
    ...wrap(headline, proseWidth),
    ...notes,
    ...heading(
      "Left for the next crawl",
      end.failed.map(({ class: name, count: many, meaning }) => [name, count(many), meaning]),
    ),
    ...heading("Sent, but not a valid repo", over.filter(([name]) => name === "parse_error").map(settledRow)),
    ...heading("Nothing to fetch", over.filter(([name]) => name !== "parse_error").map(settledRow)),
    ...heading(
      "Hosts with most failures",
      hosts.slice(0, MOST_HOSTS).map(({ host, failed }) => [clean(host), classes(failed)]),
    ),
    ...heading(
      "Not requested",
      Object.entries(progress.skipped).map(([name, many]) => [name, count(many), SKIPPED[name] ?? ""]),
    ),
    "",
    style.bold("Next"),
    ...stepLines(
      [...(end.isEnough ? afterTrial(config) : []), ...(isDone ? afterwards(ended) : toResume(config))],
      style,
      env,
    ),
  ];
}

/** `trawl atproto failures` says when each is asked for again. */
const settledRow = ([name, many]: [string, number]): string[] => [
  name,
  count(many),
  isErrorClass(name) ? ERROR_CLASSES[name].meaning : "",
];

const COLUMNS = [{ title: "" }, { title: "", align: "right" as const }, { title: "", least: 20 }];

const SKIPPED: Readonly<Record<string, string>> = {
  bad_did: "not a DID",
  bad_endpoint: "no PDS, or not on a public https address",
  not_host: "listed by a server that is not its own; its document says which one to ask",
  skip_pds: "--skip-pds leaves out its PDS",
  other_process: "another process is crawling its PDS",
  unchanged: "same revision as in --since",
  no_signal: "no records in a --signal-collection",
  completed: "stored already, or gone and not yet to be asked for again",
};

const folderFlag = ({ outputDir }: AtprotoConfig, flag: string): string =>
  outputDir === USUAL_FOLDER ? "" : ` ${flag} ${quoted(outputDir)}`;

const quoted = (value: string): string => (/^[\w./:~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

const toResume = (config: AtprotoConfig): Step[] => [
  [
    `atproto crawl ${config.source.map((source) => `--source ${quoted(source)}`).join(" ")}${folderFlag(config, "--output-dir")} --resume`,
    "continues where it stopped; add your other flags",
  ],
];

/** A trial continues with more repos, or by following those that it has. */
const afterTrial = (config: AtprotoConfig): Step[] => [
  ...toResume(config),
  ...config.source
    .filter((source) => /^(?:relay|pds):/.test(source))
    .slice(0, 1)
    .map(
      (source): Step => [
        `atproto follow --source ${quoted(source)}${folderFlag(config, "--output-dir")} --archived`,
        "keeps these repos up to date",
      ],
    ),
];

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, many) => all + many, 0);

const isEmpty = ({ stored, failed, skipped }: AtprotoProgress): boolean => stored + sum(failed) + sum(skipped) === 0;

/** Redis does not record which repo failed. */
const whyFailed = (config: AtprotoConfig): string =>
  config.redisAddress === null
    ? `\`trawl atproto failures${folderFlag(config, "--output-dir")}\` lists each repo with its reason.`
    : "`trawl atproto status --redis-address …` counts failures by class.";

/** Only commands with something to show. */
const afterwards = ({ config, progress }: EndedCrawl): Step[] => {
  const failures: Step[] =
    sum(progress.failed) === 0 || config.redisAddress !== null
      ? []
      : [[`atproto failures${folderFlag(config, "--output-dir")}`, "which repos failed, and why"]];
  if (progress.stored === 0 && !STORED_BEFORE.some((name) => name in progress.skipped)) {
    return [...failures, [`atproto status${folderFlag(config, "--output-dir")}`, "how far the crawl is"]];
  }
  const folder = folderFlag(config, "-i");
  return [
    ...failures,
    [`atproto cat <did>${folder}`, "what an account has"],
    [`atproto query "SELECT count() FROM repo_records"${folder}`, "SQL over all records"],
    [`atproto verify${folder}`, "check every block"],
    [`atproto replay${folder}`, "into ClickHouse"],
  ];
};
