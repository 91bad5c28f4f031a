/** `trawl atproto status` and `reset`: shows how far a crawl is, or deletes its state and its segments. */

import type { Command } from "commander";
import { ERROR_CLASSES, isErrorClass } from "../../../../app/atproto/settings.ts";
import type { StateSummary } from "../../../../app/atproto/state.ts";
import { TrawlError } from "../../../../errors.ts";
import { bytes, clean, count, counted } from "../../../texts.ts";
import { addJson, type Cli, confirmed } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { addState, type StateOptions, stateConfig, stateName } from "./atproto-options.ts";

export function addStatusCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("status")
    .summary("show how far the crawl is, even while it runs")
    .description(
      "Shows what the crawl has stored, what failed and why, and how far each source was read. It reads the state, in the file " +
        "next to the segments or in Redis, and works while a crawl is running.",
    );
  addJson(addState(command));
  addExamples(command, [
    ["trawl atproto status", "the crawl in ./rca"],
    ["trawl atproto status --redis-address localhost:6379 --json | jq .failed", "failures by class"],
  ]);
  command.action(async (options: StateOptions) => {
    const { atprotoStatus } = await import("../../../../app/atproto/state.ts");
    const summary = await atprotoStatus(stateConfig(options));
    if (options.json) terminal.json(summary);
    else if (isUnbegun(summary)) terminal.lines([`There is no crawl in ${stateName(options)} yet.`]);
    else terminal.lines([`Crawl in ${stateName(options)}`, "", ...statusLines(terminal, summary)]);
  });
}

const isUnbegun = ({ completed, failed, cursors, segmentNumber, isRunning }: StateSummary): boolean =>
  completed + segmentNumber + Object.keys(failed).length + Object.keys(cursors).length === 0 && !isRunning;

function statusLines({ style, width }: Terminal, summary: StateSummary): string[] {
  const { completed, failed, cursors, stats, segmentNumber, isRunning } = summary;
  const facts: [string, string][] = [
    ["running", isRunning ? "yes" : "no"],
    ["stored", `${counted(stats.total_crawled, "repo")}, ${bytes(stats.bytes_written)}`],
    ["settled", `${counted(completed, "DID")} stored, or gone and not yet to be asked for again`],
    ["segment", segmentNumber === 0 ? "none yet" : `number ${segmentNumber}`],
  ];
  const list = (title: string, rows: string[][]): string[] =>
    rows.length === 0
      ? []
      : [
          "",
          style.bold(title),
          ...table({
            columns: rows[0]!.map(() => ({ title: "", least: 12 })),
            rows,
            width,
            indent: 2,
          }),
        ];
  return [
    ...table({
      columns: [{ title: "" }, { title: "" }],
      rows: facts.map(([name, value]) => [{ text: name, style: style.dim }, value]),
      width: Number.POSITIVE_INFINITY,
      indent: 2,
    }),
    ...list(
      "Failed",
      Object.entries(failed)
        .filter(([, many]) => many > 0)
        .sort(([, a], [, b]) => b - a)
        .map(([name, many]) => [clean(name), count(many), isErrorClass(name) ? ERROR_CLASSES[name].meaning : ""]),
    ),
    ...list(
      "Read up to",
      Object.entries(cursors).map(([source, cursor]) => [clean(source), clean(cursor === "*" ? "the end" : cursor)]),
    ),
  ];
}

/** `trawl atproto reset`: forgets the state of a crawl and deletes its segments. */
interface ResetOptions extends StateOptions {
  yes?: true;
}

export function addResetCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("reset")
    .summary("forget the state and delete all segments")
    .description(
      "Clears the state of the crawl, in Redis or in its file, and deletes the .rca segments of the folder with everything that belongs to " +
        "them. Asks first. Refuses while a crawl is running.",
    )
    .option("--yes", "Do not ask.");
  addJson(addState(command));
  addExamples(command, [
    ["trawl atproto reset", "./rca and its state; asks, then deletes"],
    ["trawl atproto reset --redis-address db:6379 --output-dir /data/rca --yes", "does not ask"],
  ]);
  command.action(async (options: ResetOptions) => {
    const { resetAtproto } = await import("../../../../app/atproto/state.ts");
    const { outputDir } = options;
    const removed = await resetAtproto(stateConfig(options), async (segments) => {
      if (options.yes) return true;
      if (options.json || !terminal.canAsk) {
        throw new TrawlError("BAD_USAGE", "There is no terminal to ask on; pass --yes to delete without asking.");
      }
      const what = `the state in ${stateName(options)} and ${counted(segments, "segment file")} of ${outputDir}`;
      return confirmed(terminal, `Delete ${what}? [y/N] `);
    });
    if (options.json) terminal.json({ removed: removed ?? [] });
    else if (removed === null) terminal.note("Nothing was deleted.");
    else terminal.lines([`Deleted ${counted(removed.length, "segment file")}, and the state.`]);
  });
}
