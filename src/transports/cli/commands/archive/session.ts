/**
 * A run or a scrape from banner to end: the lock, progress, Ctrl-C and other signals, reasons for a pause, and
 * metrics.
 */

import { listenToSignals, type PauseReason, type Reloaded } from "../../../../app/archive/control.ts";
import type {
  ArchiveProgress,
  Failures,
  Metrics,
  RequisiteCounts,
  RestingHost,
  ScrapeProgress,
  SpoolProblems,
} from "../../../../app/archive/run.ts";
import {
  type ArchiveSettings,
  type Half,
  lockWorkspace,
  readSettings,
  type Workspace,
} from "../../../../app/archive/workspace.ts";
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import { type MetricsServer, serveMetrics } from "../../../../net/metrics-server.ts";
import { clean, count, stopwatch } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { Interrupts } from "../../interrupts.ts";
import { flatFacts, type ProgressFacts, ProgressReporter, rateText } from "../../output/progress.ts";
import type { Step } from "../../output/summary.ts";
import { cut, table } from "../../output/table.ts";
import { reportError } from "../../report-error.ts";
import { overridesOf, type RunOptions } from "./archive-options.ts";
import { conclude, metricCounts, someRests, statisticsLines } from "./end.ts";

export interface SessionProgress {
  fetched: number;
  fetchedNow: number;
  /** By all runs, including URLs that wait to be fetched again; for runs that know. */
  inAll?: number;
  open: number;
  inFlight: number;
  pauses: PauseReason[];
  resting: RestingHost[];
  /** Files that pages need; null when they are not fetched. */
  requisites?: RequisiteCounts | null;
}

/** What runs: an archive or a scrape. */
export interface Running<Progress extends SessionProgress> {
  readonly ended: Promise<CrawlEnd>;
  readonly metrics: Metrics;
  /** Known at the end. */
  readonly failures: Failures;
  /** Lines of a spool that are not fetched. */
  readonly problems?: SpoolProblems;
  progress(): Progress;
  pause(): Promise<void>;
  stop(): Promise<CrawlEnd>;
  reload(settings: ArchiveSettings): Reloaded;
}

export interface SessionEvents {
  onNotice: (text: string) => void;
  onPause: (reasons: PauseReason[]) => void;
}

export interface Session<Progress extends SessionProgress, Run extends Running<Progress>> {
  workspace: Workspace;
  /** What no other process may use in the meantime. */
  halves: readonly Half[];
  options: RunOptions;
  start: (events: SessionEvents) => Promise<Run>;
  line: (facts: ProgressFacts<Progress>, width: number) => string;
  /** How many URLs were not archived for each reason. */
  reasons: (run: Run) => ReadonlyMap<string, number>;
  /** Commands to try next: when it is done, and when it is not. */
  next: { done: Step[]; open: Step[] };
  /** Why nothing was achieved, if so. */
  problem: (run: Run, end: CrawlEnd) => Error | null;
}

/** Returns the exit code. */
export async function runSession<Progress extends SessionProgress, Run extends Running<Progress>>(
  cli: Cli,
  session: Session<Progress, Run>,
): Promise<number> {
  const { workspace, options } = session;
  const { terminal } = cli;
  const json = options.json === true;
  const lock = lockWorkspace(workspace.root, session.halves);
  const interrupts = new Interrupts();
  // Nobody reads the output any more: treated like Ctrl-C.
  terminal.onClosed = () => interrupts.press(1);
  let reporter: ProgressReporter<Progress> | null = null;
  let server: MetricsServer | null = null;
  const began = performance.now();
  const say = (text: string, event = "notice"): void => {
    if (json) terminal.json({ event, text });
    else if (reporter === null) terminal.note(text);
    else reporter.say(text);
  };
  try {
    printBanner(cli, workspace, json);
    const run = await session.start({
      onNotice: (text) => say(text),
      onPause: pauseTeller((text) => say(text, "pause")),
    });
    try {
      if (options.metricsPort !== undefined) {
        server = await serveMetrics(run.metrics, options.metricsPort);
        say(`Metrics at http://127.0.0.1:${server.port}/metrics`, "metrics");
      }
    } catch (error) {
      await run.stop();
      throw error;
    }
    const { line } = session;
    const event = (name: string) => (facts: ProgressFacts<Progress>) => ({ event: name, ...flatFacts(facts) });
    const reporting = new ProgressReporter(terminal, json, {
      progress: () => run.progress(),
      counted: (progress) => progress.fetchedNow,
      earlierMs: 0,
      line,
      event: event("progress"),
    });
    reporter = reporting;
    interrupts.obey(run, say);
    const letGo = listenToSignals(process, {
      reload: () => reload(run),
      status: () => {
        const facts = reporting.facts();
        const counts = metricCounts(run.metrics);
        if (json) terminal.json({ ...event("status")(facts), metrics: counts });
        else {
          const reasons = Object.fromEntries(session.reasons(run));
          say([line(facts, Number.POSITIVE_INFINITY), ...statisticsLines(terminal, counts, reasons)].join("\n"));
        }
      },
    });
    const end = await run.ended;
    letGo();
    reporter.end();
    return conclude(cli, {
      end,
      options,
      elapsedMs: performance.now() - began,
      progress: run.progress(),
      metrics: metricCounts(run.metrics),
      reasons: Object.fromEntries(session.reasons(run)),
      next: session.next,
      problem: session.problem(run, end),
      ...notFetched(run),
    });
  } finally {
    interrupts.end();
    await server?.close();
    lock.release();
  }

  /** If the file is bad, the old settings stay. */
  function reload(run: Run): void {
    try {
      const { applied, later } = run.reload(readSettings(workspace.configFile, overridesOf(options)));
      if (json) terminal.json({ event: "reload", applied, later });
      else {
        for (const { setting, before, after } of applied) {
          say(`${setting}: ${JSON.stringify(after)} now (was ${JSON.stringify(before)})`);
        }
        for (const { setting, after } of later) say(`${setting}: ${JSON.stringify(after)} after a restart`);
        if (applied.length + later.length === 0) say("The settings have not changed.");
      }
    } catch (error) {
      say("The settings are unchanged.");
      reportError(error, { terminal, json, debug: Boolean(cli.env["TRAWL_DEBUG"]), command: "archive" });
    }
  }
}

const notFetched = ({ failures, problems = undefined }: Pick<Running<SessionProgress>, "failures" | "problems">) => ({
  failures,
  problems: problems ?? null,
});

/** What is printed before the first request: who is asking which host, under which rules, and what to read first. */
export function printBanner({ terminal }: Cli, { root, settings }: Workspace, json: boolean): void {
  const { config, hosts, profile, links } = settings;
  if (json) {
    terminal.json({
      event: "start",
      workspace: root,
      profile: profile.name,
      hosts,
      userAgent: config.user_agent,
      links,
    });
    return;
  }
  const { bold, dim } = terminal.style;
  const { req_per_sec: rate, per_host_concurrency: atOnce } = config.limits;
  const rows: [string, string][] = [
    ["user agent", config.user_agent],
    ...links.map(({ name, url }): [string, string] => [name, url]),
    ["politeness", `at most ${rate} requests per second, ${atOnce} at once`],
  ];
  terminal.lines([
    `${bold("Archive")} of ${clean(hosts.join(", "))} in ${root}`,
    ...table({
      columns: [{ title: "" }, { title: "" }],
      rows: rows.map(([name, value]) => [{ text: clean(name), style: dim }, clean(value)]),
      width: Number.POSITIVE_INFINITY,
      indent: 2,
    }),
    "",
  ]);
}

/** Why an archive is paused, printed when a reason appears or the last one disappears. */
const TEXTS: Record<Exclude<PauseReason, "person">, string> = {
  file: "Paused by a pause.* file in the workspace; continue with `trawl archive unpause`.",
  spool: "Paused: the spool is full (spool.budget_gb). It continues when `trawl archive scrape` has made room.",
  disk: "Paused: the disk is full, or almost (storage.min_free_mb). It continues when there is room.",
};

/** Returns a function to call with the current reasons. After Ctrl-C, no reason is needed. */
export function pauseTeller(say: (text: string) => void): (reasons: readonly PauseReason[]) => void {
  let before: readonly PauseReason[] = [];
  return (reasons) => {
    for (const reason of reasons) if (reason !== "person" && !before.includes(reason)) say(TEXTS[reason]);
    if (reasons.length === 0) say("Continuing.");
    before = reasons;
  };
}

/** The progress of an archive or a scrape, in one line. */
export function archiveLine(facts: ProgressFacts<ArchiveProgress>, width: number): string {
  const { fetched, open, skipped, failed, requisites } = facts.progress;
  return joined(facts, width, [
    `${count(fetched)} fetched`,
    `${count(open)} open`,
    `${count(skipped)} refused`,
    `${count(failed)} failed`,
    ...(requisites === null
      ? []
      : [`requisites: ${count(requisites.fetched)} fetched, ${count(requisites.open)} open`]),
  ]);
}

export function scrapeLine(facts: ProgressFacts<ScrapeProgress>, width: number): string {
  const { fetched, open, read, stored, refused, damaged, failed } = facts.progress;
  return joined(facts, width, [
    `${count(fetched)} fetched`,
    `${count(open)} open`,
    `${count(read)} read`,
    `${count(stored)} in the store`,
    ...(refused > 0 ? [`${count(refused)} refused`] : []),
    ...(damaged > 0 ? [`${count(damaged)} damaged`] : []),
    `${count(failed)} failed`,
  ]);
}

interface Waiting {
  pauses: PauseReason[];
  resting: RestingHost[];
}

function joined(
  { progress: { pauses, resting }, perSecond, elapsedMs }: ProgressFacts<Waiting>,
  width: number,
  counts: string[],
): string {
  const paused = pauses.length === 0 ? [] : [`paused (${pauses.join(", ")})`];
  const [rests, more] = someRests(resting, 1);
  const resters = [...rests.map((text) => text.replace(/\.$/, "")), ...more];
  const parts = [
    ...paused,
    ...counts.slice(0, 2),
    ...resters,
    ...counts.slice(2),
    rateText(perSecond),
    stopwatch(elapsedMs),
  ];
  return cut(parts.join(" · "), width);
}
