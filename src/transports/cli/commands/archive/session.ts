/** An archive or a scrape from its banner to its statistics: progress, Ctrl-C, signals, metrics, and the exit code. */

import type { PauseReason, Reloaded } from "../../../../app/archive/control.ts";
import { listenToSignals } from "../../../../app/archive/control.ts";
import type { Metrics } from "../../../../app/archive/run.ts";
import type { ArchiveSettings } from "../../../../app/archive/workspace.ts";
import { type Half, lockWorkspace, readSettings, type Workspace } from "../../../../app/archive/workspace.ts";
import type { CrawlEnd } from "../../../../kernel/crawl.ts";
import { type MetricsServer, serveMetrics } from "../../../../net/metrics-server.ts";
import type { Cli } from "../../cli.ts";
import { Interrupts } from "../../interrupts.ts";
import type { Step } from "../../output/next-steps.ts";
import { flatFacts, type ProgressFacts } from "../../output/progress.ts";
import { ProgressReporter } from "../../progress-reporter.ts";
import { reportError } from "../../report-error.ts";
import { printBanner } from "./banner.ts";
import { conclude } from "./end.ts";
import { pauseTeller } from "./pause-texts.ts";
import { overridesOf, type RunOptions } from "./run-options.ts";
import { metricCounts, statisticsLines } from "./statistics.ts";

export interface SessionProgress {
  fetched: number;
  open: number;
  inFlight: number;
}

/** What runs: an archive or a scrape. */
export interface Running<Progress extends SessionProgress> {
  readonly ended: Promise<CrawlEnd>;
  readonly metrics: Metrics;
  progress(): Progress;
  pause(): Promise<void>;
  stop(): Promise<CrawlEnd>;
  reload(settings: ArchiveSettings): Reloaded;
}

export interface SessionEvents {
  onNotice: (text: string) => void;
  onPause: (reasons: PauseReason[]) => void;
  onRecord: () => void;
}

export interface Session<Progress extends SessionProgress, Run extends Running<Progress>> {
  workspace: Workspace;
  /** What no other process may work on in the meantime. */
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
  // Nobody reads the output any more: the same as Ctrl-C.
  terminal.onClosed = () => interrupts.press(1);
  let reporter: ProgressReporter<Progress> | null = null;
  let server: MetricsServer | null = null;
  let fetched = 0;
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
      onRecord: () => fetched++,
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
      counted: (progress) => progress.fetched,
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
      fetched,
      elapsedMs: performance.now() - began,
      progress: run.progress(),
      metrics: metricCounts(run.metrics),
      reasons: Object.fromEntries(session.reasons(run)),
      next: session.next,
      problem: session.problem(run, end),
    });
  } finally {
    interrupts.end();
    await server?.close();
    lock.release();
  }

  /** A bad file keeps the old settings. */
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
      reportError(error, { terminal, json, debug: Boolean(cli.env["TRAWL_DEBUG"]) });
    }
  }
}
