/** `trawl atproto reset`: forgets the state of a crawl and deletes its segments. */
import type { Command } from "commander";
import { TrawlError } from "../../../../errors.ts";
import { counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { confirmed } from "../../safety.ts";
import { addState, type StateOptions, stateConfig, stateName } from "./state-option.ts";

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
