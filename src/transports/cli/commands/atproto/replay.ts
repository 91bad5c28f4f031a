/** `trawl atproto replay` and `schema`: loads the archive's records into ClickHouse; prints or creates the tables. */

import type { Command } from "commander";
import type { ReplayProgress, ReplaySummary } from "../../../../app/atproto/database.ts";
import { bytes, count, counted, duration, stopwatch } from "../../../texts.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { type ProgressFacts, ProgressReporter } from "../../output/progress.ts";
import { cut } from "../../output/table.ts";
import {
  addInputDir,
  addRecordOptions,
  addTarget,
  DamageTeller,
  type InputOptions,
  openTarget,
  type RecordOptions,
  readNames,
  recordOptions,
  type TargetOptions,
  targetName,
} from "./atproto-options.ts";

interface ReplayOptions extends InputOptions, TargetOptions, RecordOptions {
  collections?: string[];
}

export function addReplayCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("replay")
    .summary("load the archive into ClickHouse")
    .description(
      "Loads every record into the table `repo_records`, which it creates when it is missing: the newest crawl of each repo, then what " +
        "`follow` recorded. Each record has one row; for a deleted record, its operation is `delete`. Accounts that are not active " +
        "are left out, and listed in `repo_accounts`. It continues where it stopped. Ctrl-C stops after the current batch of 50,000 rows.",
    )
    .option(
      "--collections <list>",
      "Only these collections, such as app.bsky.feed.post or app.bsky.graph.*; separated by commas.",
      readNames,
    );
  addJson(addTarget(addRecordOptions(addInputDir(command))), "Print JSON lines: progress every second, totals last.");
  addExamples(command, [
    ["trawl atproto replay", "./rca into the ClickHouse on this machine"],
    ["trawl atproto replay --collections 'app.bsky.feed.*'", "posts, likes and reposts only"],
    ["trawl atproto replay --chdb ./db", "without a server: `trawl atproto query` reads it too"],
  ]);
  command.action((options: ReplayOptions) => replay(cli, options));
}

async function replay(cli: Cli, options: ReplayOptions): Promise<void> {
  const { replayArchive } = await import("../../../../app/atproto/database.ts");
  const { collectionFilter } = await import("../../../../app/atproto/database.ts");
  const { terminal } = cli;
  const json = options.json === true;
  const collections = collectionFilter(options.collections ?? []);
  const damage = new DamageTeller(cli, options);
  const stopping = new AbortController();
  await using target = await openTarget(options);
  let progress: ReplayProgress = { segment: "", bytesRead: 0, bytesTotal: 0, repos: 0, records: 0 };
  const reporter = new ProgressReporter<ReplayProgress>(terminal, json, {
    progress: () => progress,
    counted: ({ records }) => records,
    earlierMs: 0,
    line: replayLine,
    event: ({ progress: now, perSecond, elapsedMs }) => ({
      event: "progress",
      ...now,
      perSecond: Math.round(perSecond),
      elapsedMs: Math.round(elapsedMs),
    }),
  });
  const stopListening = listenForInterrupts((presses) => {
    if (presses > 2) process.exit(3);
    reporter.say("Stopping after this batch. What is loaded stays; the next replay continues from there.");
    stopping.abort();
  });
  const began = performance.now();
  let summary: ReplaySummary;
  try {
    summary = await replayArchive({
      folder: options.inputDir,
      target,
      collections,
      ...recordOptions(options),
      now: Date.now,
      onDamage: damage.tell,
      onProgress: (now) => {
        progress = now;
      },
      signal: stopping.signal,
    });
  } finally {
    stopListening();
    reporter.end();
  }
  const took = performance.now() - began;
  if (json) terminal.json({ event: "end", ...summary, damaged: damage.count, elapsedMs: Math.round(took) });
  else terminal.lines(endLines(summary, took, options));
  if (summary.stopped) cli.exitCode = 3;
  else if (damage.count > 0) cli.exitCode = 1;
}

function replayLine({ progress, perSecond, elapsedMs }: ProgressFacts<ReplayProgress>, width: number): string {
  const { segment, bytesRead, bytesTotal, repos, records } = progress;
  const share = bytesTotal === 0 ? 0 : Math.floor((bytesRead / bytesTotal) * 100);
  const parts = [
    `${share}%`,
    segment,
    `${count(repos)} repos`,
    `${count(records)} records`,
    `${count(Math.round(perSecond))} rows/s`,
    `${bytes(bytesRead)} of ${bytes(bytesTotal)}`,
    stopwatch(elapsedMs),
  ];
  return cut(parts.filter((part) => part !== "").join(" · "), width);
}

function endLines(
  { segments, segmentsSkipped, repos, records, changes, removedAccounts, stopped }: ReplaySummary,
  took: number,
  options: ReplayOptions,
): string[] {
  const head = stopped ? `Stopped after ${duration(took)}` : `Done in ${duration(took)}`;
  const earlier =
    segmentsSkipped === 0 ? "" : `; ${counted(segmentsSkipped, "segment")} of ${count(segments)} loaded before`;
  const lines = [
    `${head}: ${counted(records, "record")} of ${counted(repos, "repo")} into ${targetName(options)}${earlier}.`,
  ];
  if (changes > 0) lines.push(`${counted(changes, "recorded change")} applied.`);
  if (removedAccounts > 0) lines.push(`${counted(removedAccounts, "account")} removed: no longer active.`);
  return lines;
}

/** `trawl atproto schema`: the tables of records and DIDs, printed or created. */
interface SchemaOptions extends TargetOptions, JsonOption {
  apply?: true;
}

export function addSchemaCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("schema")
    .summary("print or create the ClickHouse tables")
    .description(
      "Prints the SQL of the tables `repo_records`, which `replay` fills, and `plc_did_state`, which `crawl --source " +
        "clickhouse` reads. With --apply it creates those that are missing; servers before 20.1 get times without fractions of a second.",
    )
    .option("--apply", "Create the tables. Existing ones are not changed.");
  addJson(addTarget(command));
  addExamples(command, [
    ["trawl atproto schema", "the SQL, for a new server"],
    ["trawl atproto schema --apply --clickhouse-address http://127.0.0.1:8123", "creates the tables"],
    ["trawl atproto schema --apply --chdb ./db", "without a server"],
  ]);
  command.action(async (options: SchemaOptions) => {
    const { applySchema, schemaOf, schemaStatements } = await import("../../../../app/atproto/database.ts");
    const named = options.apply || options.chdb !== undefined || options.clickhouseAddress !== undefined;
    if (!named) {
      const statements = schemaStatements("DateTime64(6)");
      if (options.json) terminal.json({ applied: false, statements });
      else terminal.lines(statements.map((statement) => `${statement};\n`));
      return;
    }
    await using target = await openTarget(options);
    const statements = await schemaOf(target);
    if (options.apply) await applySchema(target);
    if (options.json) terminal.json({ applied: options.apply === true, statements });
    else if (options.apply) terminal.lines([`The tables are in ${targetName(options)}.`]);
    else terminal.lines(statements.map((statement) => `${statement};\n`));
  });
}
