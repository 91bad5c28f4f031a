/**
 * `trawl archive export` and `replay`: the archive as CSV, as one WARC, or as a package that replay tools open; and
 * the table of pages rebuilt from the metadata.
 */

import { createWriteStream, statSync } from "node:fs";
import { basename, relative } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Argument, type Command } from "commander";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { notWritable, replaceFile } from "../../../../storage/durable.ts";
import { bytes, counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { liveLine } from "../../output/progress.ts";
import type { Terminal } from "../../output/terminal.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./archive-options.ts";
import { notInWarcs } from "./verify-warcs.ts";

const KINDS = ["pages", "warc", "wacz"] as const;

interface ExportOptions extends WorkspaceOptions {
  output?: string;
  raw?: true;
}

export function addExportArchiveCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("export")
    .summary("write the archive as CSV, WARC or WACZ")
    .description(
      "pages: a CSV with one row per fetch; cells that a spreadsheet would run as a formula are prefixed with '. warc: all " +
        "finished WARC files as one. wacz: a package that replay tools such as ReplayWeb.page open. WARC and WACZ need a run " +
        "with --warc.",
    )
    .addArgument(new Argument("<what>", "pages, warc or wacz").choices(KINDS))
    .option(
      "-o, --output <file>",
      "Output file; - for standard output (default: named after the workspace, in this folder).",
    )
    .option("--raw", "Do not escape formulas in the CSV.");
  addJson(addWorkspace(command), "Print what was written as JSON.");
  addExamples(command, [
    ["trawl archive export pages -o pages.csv", "for a spreadsheet"],
    ["trawl archive export pages -o - | head", "on standard output"],
    ["trawl archive export warc -o all.warc.gz", "one file, with every request and response"],
    ["trawl archive export wacz -o github.wacz", "for ReplayWeb.page and pywb"],
  ]);
  command.action(async (what: (typeof KINDS)[number], options: ExportOptions) => {
    const workspace = await openTyped(options);
    const { terminal } = cli;
    const output = options.output ?? `${basename(workspace.root)}${EXTENSIONS[what]}`;
    const toFile = output !== "-";
    const written = await WRITERS[what](cli, workspace, output, options);
    if (!toFile) return;
    if (options.json) terminal.json({ what, output, ...written });
    else terminal.lines([`Wrote ${told(written)} to ${output}.`]);
  });
}

type Written = Record<string, number>;
type Writer = (cli: Cli, workspace: Workspace, output: string, options: ExportOptions) => Promise<Written>;

const EXTENSIONS = { pages: ".csv", warc: ".warc.gz", wacz: ".wacz" } as const;

const WRITERS: Record<(typeof KINDS)[number], Writer> = {
  async pages({ terminal }, { paths }, output, { raw }) {
    const { writePages } = await import("../../../../app/archive/export.ts");
    let damaged = 0;
    const rows = await writing(terminal.stdout, output, (stream) =>
      writePages(stream, { metadataPath: paths.metadata, escapeFormulas: raw !== true, onDamaged: () => damaged++ }),
    );
    if (damaged > 0) terminal.note(`note: ${counted(damaged, "damaged line")} left out; see \`trawl archive verify\``);
    return { rows };
  },

  async warc({ terminal }, workspace, output) {
    const { joinWarcs } = await import("../../../../app/archive/export.ts");
    await finishWarcs(terminal, workspace);
    const joined = await writing(terminal.stdout, output, (stream) => joinWarcs(workspace.paths.warc, stream));
    return { ...joined, ...(await missingOf(terminal, workspace)) };
  },

  async wacz({ terminal }, workspace, output, { json }) {
    await finishWarcs(terminal, workspace);
    const { writeWacz } = await import("../../../../app/archive/export.ts");
    const { workspaceBlobs } = await import("../../../../app/archive/look.ts");
    const { workspaceSeeds } = await import("../../../../app/archive/workspace.ts");
    const { version } = await import("../../cli.ts");
    const { paths, settings, root } = workspace;
    const seeds = await workspaceSeeds(root).catch(() => []);
    const progress = liveLine(terminal, json === true);
    const written = await writeWacz({
      warcFolder: paths.warc,
      output,
      blobs: workspaceBlobs(workspace),
      title: `${settings.hosts.join(", ")}, archived in ${basename(root)}`,
      description: `Pages of ${settings.hosts.join(", ")}`,
      software: `trawl ${version()}`,
      mainPageUrl: seeds[0] ?? null,
      now: Date.now(),
      onProgress: ({ name, bytes: done }) => progress.show(() => `${name} · ${bytes(done)}`),
    });
    progress.end();
    return { ...written, ...(await missingOf(terminal, workspace)) };
  },
};

/** WARCs that a crash left open are finished; the one that a run is writing is left out. */
async function finishWarcs(terminal: Terminal, { root, paths }: Workspace): Promise<void> {
  const { recoverWarcs } = await import("../../../../app/archive/export.ts");
  const { lockedHalves, lockWorkspace } = await import("../../../../app/archive/workspace.ts");
  if (lockedHalves(root).includes("store")) {
    terminal.note("note: a run is writing to this workspace; the WARC that it is writing is left out.");
    return;
  }
  const lock = lockWorkspace(root, ["store"]);
  try {
    await recoverWarcs(paths.warc, (text) => terminal.note(`note: ${text}`));
  } finally {
    lock.release();
  }
}

/** Says so when an export lacks stored pages. */
async function missingOf(terminal: Terminal, { paths }: Workspace): Promise<Written> {
  const { missingPages } = await import("../../../../app/archive/export.ts");
  const missing = await missingPages(paths.warc, paths.metadata);
  if (missing > 0) {
    terminal.note(`note: ${notInWarcs(missing)}`);
  }
  return { missingPages: missing };
}

/** Writes to the file, or to standard output when it is `-`, which stays open. */
async function writing<T>(
  stdout: Writable,
  output: string,
  write: (target: (pieces: AsyncIterable<Buffer>) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (output === "-") {
    return write(async (pieces) => {
      for await (const piece of pieces) {
        if (!stdout.write(piece)) await new Promise<void>((resolve) => stdout.once("drain", resolve));
      }
    });
  }
  try {
    // A device or a pipe cannot be replaced.
    const isFile = statSync(output, { throwIfNoEntry: false })?.isFile() ?? true;
    if (!isFile) return await write((pieces) => pipeline(pieces, createWriteStream(output)));
    // An export that fails or is interrupted leaves nothing behind, and does not touch an earlier one.
    return await write((pieces) => replaceFile(output, (handle) => handle.writeFile(pieces)));
  } catch (error) {
    throw notWritable(output, error);
  }
}

const NAMES: Record<string, string> = { warcs: "WARC" };

const told = ({ missingPages: _, ...written }: Written): string =>
  Object.entries(written)
    .map(([name, number]) => (name === "bytes" ? bytes(number) : counted(number, NAMES[name] ?? name.slice(0, -1))))
    .join(", ");

/** `trawl archive replay`: the table of pages, rebuilt from the metadata without the network. */
export function addReplayCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("replay")
    .summary("rebuild logs/pages-<run>.csv from the metadata")
    .description(
      "Rebuilds the table of pages, one row per fetch, from the metadata alone, without any request. It is written to " +
        "storage.pages_csv. Cells match the metadata byte for byte; for a spreadsheet, use `export pages`.",
    );
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive replay", "writes logs/pages-<time>.csv"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { replayPages } = await import("../../../../app/archive/export.ts");
    const { paths } = await openTyped(options);
    let damaged = 0;
    const rows = await replayPages(paths.pagesCsv, { metadataPath: paths.metadata, onDamaged: () => damaged++ });
    if (damaged > 0) terminal.note(`note: ${counted(damaged, "damaged line")} left out; see \`trawl archive verify\``);
    if (options.json) terminal.json({ output: paths.pagesCsv, rows, damaged });
    else terminal.lines([`Wrote ${counted(rows, "row")} to ${relative("", paths.pagesCsv)}.`]);
  });
}
