/** `trawl atproto index`: builds the catalogue of an archive, or updates it. */
import type { Command } from "commander";
import { counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { liveLine } from "../../output/progress.ts";
import { addConnections, addInputDir, DamageTeller, type InputOptions } from "./atproto-options.ts";
import { makeKnown } from "./make-known.ts";

export function addIndexCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("index")
    .summary("build the catalogue, which finds repos instantly")
    .description(
      "Reads the segments that the catalogue of the archive lacks, and adds their repos to it. `crawl` keeps the catalogue itself; use this " +
        "command for archives that another program or an older version made, or when the catalogue was deleted. Only the beginning of " +
        "each block is read: `verify` checks whether blocks are intact. Refuses while `compact` or `forget` is running.",
    )
    .option("--rebuild", "Rebuild it from all segments.");
  addJson(addConnections(addInputDir(command)));
  addExamples(command, [
    ["trawl atproto index", "what is new in ./rca"],
    ["trawl atproto index -i /data/rca --rebuild", "from the beginning"],
  ]);
  command.action(async (options: InputOptions & { rebuild?: true }) => {
    const { assertSegments, catalogueFolder, indexArchive } = await import("../../../../app/atproto/segments.ts");
    const { terminal } = cli;
    const { inputDir: folder } = options;
    await assertSegments(folder);
    await makeKnown(cli, folder);
    const damage = new DamageTeller(cli, options);
    const progress = liveLine(terminal, options.json === true);
    const stopping = new AbortController();
    const stopListening = listenForInterrupts(() => stopping.abort());
    try {
      const result = await indexArchive({
        folder,
        catalogue: catalogueFolder(folder),
        rebuild: options.rebuild === true,
        onDamage: damage.tell,
        onSegment: (path, done, of) => progress.show(() => `${path} · ${done} of ${counted(of, "segment")}`),
        signal: stopping.signal,
      });
      progress.end();
      if (options.json) terminal.json(result);
      else if (result.segments === 0) terminal.lines(["The catalogue is up to date."]);
      else {
        const how = result.rebuilt ? "Rebuilt the catalogue from" : "Added to the catalogue:";
        terminal.lines([`${how} ${counted(result.segments, "segment")}, ${counted(result.blocks, "repo")}.`]);
      }
      if (damage.count > 0) cli.exitCode = 1;
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
      progress.end();
      terminal.note("Not finished. The catalogue is unchanged.");
      cli.exitCode = 3;
    } finally {
      stopListening();
    }
  });
}
