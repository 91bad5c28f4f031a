/** `trawl atproto reset`: forgets the state of a crawl and deletes its segments. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { TrawlError } from "../../../../errors.ts";
import { addJson, type Cli } from "../../cli.ts";
import { confirmed } from "../../confirm.ts";
import { addExamples } from "../../help.ts";
import { counted } from "../../output/numbers.ts";
import { addState, type StateOptions, stateName, withState } from "./state-option.ts";

interface ResetOptions extends StateOptions {
  yes?: true;
}

/** What a crawl and the commands over its archive keep beside the segments. */
const BESIDE = ["plc.db", "since.db", "query.chdb"];

export function addResetCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("reset")
    .summary("forget the state and delete all segments")
    .description(
      "Clears the state of the crawl, in Redis or in its file, and deletes the .rca segments of the folder with what belongs to " +
        "them. Asks first. Refuses while a crawl runs.",
    )
    .option("--yes", "Do not ask.");
  addJson(addState(command));
  addExamples(command, [
    ["trawl atproto reset", "./rca and its state; asks, then deletes"],
    ["trawl atproto reset --redis-address db:6379 --output-dir /data/rca --yes", "does not ask"],
  ]);
  command.action(async (options: ResetOptions) => {
    const { segmentNames } = await import("../../../../atproto/rca/segment-names.ts");
    const { outputDir } = options;
    await withState(options, async (state) => {
      // Held until the files are gone, so that no crawl begins among them.
      await state.take();
      const segments = await segmentNames(outputDir);
      if (!options.yes) {
        if (options.json || !terminal.canAsk) {
          throw new TrawlError("BAD_USAGE", "Nobody is there to be asked: add --yes to delete without a question.");
        }
        const what = `the state in ${stateName(options)} and ${counted(segments.length, "segment file")} of ${outputDir}`;
        if (!(await confirmed(terminal, `Delete ${what}? [y/N] `))) {
          terminal.note("Nothing was deleted.");
          return;
        }
      }
      // Segments first: state without segments is found out by no one, segments without state by the next crawl.
      for (const { path } of segments) await rm(path, { force: true });
      for (const name of BESIDE) {
        for (const suffix of ["", "-wal", "-shm"])
          await rm(join(outputDir, name + suffix), { recursive: true, force: true });
      }
      await state.reset();
      if (options.json) terminal.json({ removed: segments.map(({ path }) => path) });
      else terminal.lines([`Deleted ${counted(segments.length, "segment file")}, and the state.`]);
    });
  });
}
