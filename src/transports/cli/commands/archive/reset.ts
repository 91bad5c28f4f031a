/** `trawl archive reset`: deletes what was archived; settings, seeds and folders stay. */
import type { Command } from "commander";
import { TrawlError } from "../../../../errors.ts";
import { counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { confirmed } from "../../safety.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./workspace-option.ts";

interface ResetOptions extends WorkspaceOptions {
  yes?: true;
}

export function addResetCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("reset")
    .summary("delete everything that was archived")
    .description("Deletes pages, metadata, queue, spool, WARCs and logs. Settings and seeds stay. Asks first.")
    .option("--yes", "Do not ask.");
  addJson(addWorkspace(command));
  addExamples(command, [
    ["trawl archive reset", "asks, then deletes"],
    ["trawl archive reset -w ~/github --yes", "does not ask"],
  ]);
  command.action(async (options: ResetOptions) => {
    const { resetWorkspace } = await import("../../../../app/archive/workspace.ts");
    const { HALVES, lockWorkspace } = await import("../../../../app/archive/workspace.ts");
    const workspace = await openTyped(options);
    const lock = lockWorkspace(workspace.root, HALVES);
    try {
      if (!options.yes) {
        if (options.json || !terminal.canAsk) {
          throw new TrawlError("BAD_USAGE", "There is no terminal to ask on; pass --yes to delete without asking.");
        }
        if (!(await confirmed(terminal, `Delete everything that was archived in ${workspace.root}? [y/N] `))) {
          terminal.note("Nothing was deleted.");
          return;
        }
      }
      const removed = await resetWorkspace(workspace);
      if (options.json) terminal.json({ removed });
      else terminal.lines([`Deleted ${counted(removed.length, "file or folder", "files and folders")}.`]);
    } finally {
      lock.release();
    }
  });
}
