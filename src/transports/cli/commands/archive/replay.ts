/** `trawl archive replay`: the table of pages, rebuilt from the metadata without the network. */
import { relative } from "node:path";
import type { Command } from "commander";
import { counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./workspace-option.ts";

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
