/** `trawl atproto export`: the records as Parquet or JSON lines, a file for each collection. */
import { type Command, Option } from "commander";
import type { ExportFormat } from "../../../../app/atproto/database.ts";
import { bytes, clean, count, counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { liveLine } from "../../output/progress.ts";
import { table } from "../../output/table.ts";
import {
  addConnections,
  addInputDir,
  addRecordOptions,
  DamageTeller,
  type InputOptions,
  type RecordOptions,
  readNames,
  recordOptions,
} from "./atproto-options.ts";

interface ExportOptions extends InputOptions, RecordOptions {
  output: string;
  format: ExportFormat;
  collections?: string[];
}

export function addExportCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("export")
    .summary("write Parquet or JSON lines, one file per collection")
    .description(
      "Writes the records of the archive into a folder, one file per collection: the newest crawl of each repo, and what `follow` recorded " +
        "since. Deleted records and accounts that are not active are left out. " +
        "Files of the same name are replaced.",
    )
    .addOption(new Option("-o, --output <folder>", "The folder to write to.").default("export", "export"))
    .addOption(
      new Option("--format <format>", "The format of the files.")
        .choices(["parquet", "jsonl"])
        .default("parquet", "parquet"),
    )
    .option(
      "--collections <list>",
      "Only these collections, such as app.bsky.feed.post or app.bsky.graph.*; separated by commas.",
      readNames,
    );
  addJson(addConnections(addRecordOptions(addInputDir(command))), "Print what was written as JSON.");
  addExamples(command, [
    ["trawl atproto export", "./rca as Parquet files in ./export"],
    ["trawl atproto export --format jsonl --collections app.bsky.feed.post -o posts", "only posts, as JSON lines"],
  ]);
  command.action((options: ExportOptions) => exportRecords(cli, options));
}

async function exportRecords(cli: Cli, options: ExportOptions): Promise<void> {
  const { exportArchive } = await import("../../../../app/atproto/database.ts");
  const { collectionFilter } = await import("../../../../app/atproto/database.ts");
  const { terminal } = cli;
  const progress = liveLine(terminal, options.json === true);
  const damage = new DamageTeller(cli, options);
  const stopping = new AbortController();
  const stopListening = listenForInterrupts(() => stopping.abort());
  try {
    const { files, repos, records } = await exportArchive({
      folder: options.inputDir,
      output: options.output,
      format: options.format,
      collections: collectionFilter(options.collections ?? []),
      ...recordOptions(options),
      onDamage: damage.tell,
      onProgress: (now) =>
        progress.show(
          () =>
            `${Math.floor((now.bytesRead / now.bytesTotal) * 100)}% · ${counted(now.repos, "repo")} · ${counted(now.records, "record")}`,
        ),
      signal: stopping.signal,
    });
    progress.end();
    if (options.json) terminal.json({ output: options.output, format: options.format, repos, records, files });
    else {
      const rows = files.map(({ path, records: many, bytes: size }) => [clean(path), count(many), bytes(size)]);
      terminal.lines([
        ...table({
          columns: [
            { title: "", least: 16 },
            { title: "", align: "right" },
            { title: "", align: "right" },
          ],
          rows,
          width: terminal.width,
          indent: 2,
        }),
        `Wrote ${counted(records, "record")} of ${counted(repos, "repo")} into ${counted(files.length, "file")} of ${options.output}.`,
      ]);
    }
    if (damage.count > 0) cli.exitCode = 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    progress.end();
    terminal.note("Stopped. Nothing was written.");
    cli.exitCode = 3;
  } finally {
    stopListening();
  }
}
