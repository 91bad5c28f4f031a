/** `trawl archive pause`, `unpause` and `stop`: through files in the workspace that running processes obey. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./archive-options.ts";

/** How often `stop` checks whether the run has ended; a run checks for the file once a second. */
const LOOK_MS = 200;

export function addControlCommands(parent: Command, cli: Cli): void {
  addPause(parent, cli);
  addUnpause(parent, cli);
  addStop(parent, cli);
}

function addPause(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("pause")
    .summary("pause what is running in the workspace")
    .description("Pauses what is running in the workspace, and anything started there later, until `unpause`.");
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive pause -w ~/github", "from another terminal"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { PAUSE_FILE, requestPause } = await import("../../../../app/archive/control.ts");
    const { lockedHalves } = await import("../../../../app/archive/workspace.ts");
    const { root } = await openTyped(options);
    await requestPause(root);
    const isRunning = lockedHalves(root).length > 0;
    if (options.json) terminal.json({ file: PAUSE_FILE, running: isRunning });
    else {
      terminal.lines([
        isRunning
          ? "It pauses within a second or two."
          : `Nothing is running in ${root}; whatever you start there will be paused.`,
        "To continue: `trawl archive unpause`.",
      ]);
    }
  });
}

function addUnpause(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("unpause")
    .summary("continue after a pause")
    .description("Removes every pause.* file from the workspace, whoever created it.");
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive unpause", "it continues within a second or two"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { withdrawPause } = await import("../../../../app/archive/control.ts");
    const { root } = await openTyped(options);
    const removed = await withdrawPause(root);
    if (options.json) terminal.json({ removed });
    else terminal.lines([removed.length > 0 ? `Removed ${removed.join(", ")}.` : "Nothing was paused."]);
  });
}

function addStop(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("stop")
    .summary("stop what is running in the workspace")
    .description("Stops what is running in the workspace, and waits until it has ended. `resume` continues it later.");
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive stop && trawl archive reset", "from another terminal"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { clearStop, readFlags, requestStop } = await import("../../../../app/archive/control.ts");
    const { lockedHalves } = await import("../../../../app/archive/workspace.ts");
    const { root } = await openTyped(options);
    const wasRunning = lockedHalves(root).length > 0;
    while (lockedHalves(root).length > 0) {
      // Two runs may be active at once, and each removes the file when it obeys.
      if ((await readFlags(root)).stop.length === 0) await requestStop(root);
      await sleep(LOOK_MS);
    }
    await clearStop(root);
    if (options.json) terminal.json({ stopped: wasRunning });
    else terminal.lines([wasRunning ? "Stopped. Nothing is lost." : `Nothing is running in ${root}.`]);
  });
}
