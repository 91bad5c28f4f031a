/** A crawl of the network from its first line to its last: the progress line, Ctrl-C, and the exit code. */

import { AtprotoCrawl, type AtprotoProgress } from "../../../../app/atproto/crawl.ts";
import { hostReports } from "../../../../app/atproto/failures.ts";
import type { AtprotoConfig } from "../../../../app/atproto/settings.ts";
import { clean, count, counted, duration, roundCount, stopwatch } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { Interrupts } from "../../interrupts.ts";
import { flatFacts, type ProgressFacts, ProgressReporter } from "../../output/progress.ts";
import { cut, widthOf } from "../../output/table.ts";
import { concludeCrawl } from "./crawl-end.ts";
import { makeKnown } from "./make-known.ts";

/** Returns the exit code. */
export async function crawlSession(cli: Cli, config: AtprotoConfig, json: boolean): Promise<number> {
  const { terminal } = cli;
  const interrupts = new Interrupts();
  // Nobody reads the output any more: treated like Ctrl-C.
  terminal.onClosed = () => interrupts.press(1);
  let reporter: ProgressReporter<AtprotoProgress> | null = null;
  const say = (text: string, event = "notice"): void => {
    if (json) terminal.json({ event, text });
    else if (reporter === null) terminal.note(clean(text));
    else reporter.say(clean(text));
  };
  const began = performance.now();
  const startedAt = Date.now();
  try {
    if (json) terminal.json({ event: "start", source: config.source, outputDir: config.outputDir });
    else terminal.lines([`Crawling ${clean(config.source.join(", "))} into ${config.outputDir}`]);
    const crawl = await AtprotoCrawl.start({ config, events: { onNotice: (text) => say(text) } });
    await makeKnown(cli, config.outputDir, config.redisAddress);
    if (crawl.metricsPort !== null) say(`Metrics at http://127.0.0.1:${crawl.metricsPort}/metrics`, "metrics");
    reporter = new ProgressReporter<AtprotoProgress>(terminal, json, {
      progress: () => crawl.progress(),
      counted: ({ stored }) => stored,
      earlierMs: 0,
      line: crawlLine,
      event: (facts) => ({ event: "progress", ...flatFacts(facts) }),
    });
    interrupts.obey(crawl, say);
    const end = await crawl.ended;
    reporter.end();
    const hosts = config.redisAddress === null ? hostReports(config.outputDir, { since: startedAt }) : [];
    const elapsedMs = performance.now() - began;
    return concludeCrawl(cli, { end, progress: crawl.progress(), config, json, elapsedMs, hosts });
  } finally {
    interrupts.end();
  }
}

/** The progress of a network crawl in one line: repos by result, records, speed, hosts, and the time left. */
const MEGABYTE = 1_000_000;

/** The long and the short form; empty when there is nothing to say. */
type Part = [long: string, short: string];

export function crawlLine(facts: ProgressFacts<AtprotoProgress>, width: number): string {
  const parts = lineParts(facts).filter(([long]) => long !== "");
  const brief = parts.map(([, short]) => short);
  const fits = (line: string): boolean => widthOf(line) <= width;
  const whole = [parts.map(([long]) => long).join(" · "), brief.join(" · ")].find(fits);
  if (whole !== undefined) return whole;
  // The most important part comes first, so parts are dropped from the end.
  while (brief.length > 1 && !fits(brief.join(" "))) brief.pop();
  return cut(brief.join(" "), width);
}

function lineParts({ progress, perSecond, elapsedMs }: ProgressFacts<AtprotoProgress>): Part[] {
  const { state, stored, failed, records, open, hosts, etaSeconds } = progress;
  const ending = state === "pausing" || state === "stopping" ? state : "";
  // The most common first.
  const failures = Object.entries(failed).sort(([, a], [, b]) => b - a);
  const failedCount = failures.reduce((total, [, many]) => total + many, 0);
  const classes = (number: (value: number) => string) =>
    failures.map(([name, many]) => `${name} ${number(many)}`).join(", ");
  const megabytes = progress.bytesPerSecond / MEGABYTE;
  const known = hosts.active + hosts.waiting + hosts.blocked;
  return [
    [ending, ending],
    [counted(stored, "repo"), rounded(stored, "repo")],
    failedCount === 0 ? ["", ""] : [`${count(failedCount)} failed`, `${roundCount(failedCount)} failed`],
    [`${count(open)} open`, `${roundCount(open)} open`],
    [`${perSecond.toFixed(1)} repos/s`, `${roundRate(perSecond)}/s`],
    etaSeconds === null || etaSeconds === 0
      ? ["", ""]
      : [`${etaText(etaSeconds)} left`, `${roundEta(etaSeconds)} left`],
    [
      `hosts ${count(hosts.active)} active, ${count(hosts.waiting)} waiting, ${count(hosts.blocked)} blocked`,
      `${roundCount(hosts.active)}/${roundCount(known)} hosts${hosts.blocked === 0 ? "" : `, ${roundCount(hosts.blocked)} blocked`}`,
    ],
    [`${megabytes.toFixed(1)} MB/s`, `${roundRate(megabytes)} MB/s`],
    [counted(records, "record"), rounded(records, "record")],
    [stopwatch(elapsedMs), stopwatch(elapsedMs)],
    [classes(count), classes(roundCount)],
  ];
}

const rounded = (value: number, one: string): string => `${roundCount(value)} ${value === 1 ? one : `${one}s`}`;

/** A slow crawl must not look as if it had stalled. */
const roundRate = (perSecond: number): string => (perSecond < 9.95 ? perSecond.toFixed(1) : roundCount(perSecond));

/** It is an estimate, so tenths of a second would be false precision. */
const etaText = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : duration(Math.round(seconds) * 1_000);

/** `45s`, `99m`, `12h`. */
function roundEta(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)}s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes}m` : `${roundCount(Math.ceil(minutes / 60))}h`;
}
