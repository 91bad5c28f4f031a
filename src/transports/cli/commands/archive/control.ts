/** `trawl archive pause`, `unpause` and `stop`: files in the workspace that whatever runs there obeys. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./workspace-option.ts";

/** How often `stop` looks whether it has happened; what runs looks once a second. */
const LOOK_MS = 200;

export function addControlCommands(parent: Command, cli: Cli): void {
  addPause(parent, cli);
  addUnpause(parent, cli);
  addStop(parent, cli);
}

function addPause(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("pause")
    .summary("make what runs in the workspace rest")
    .description("Makes what runs in the workspace rest, and what is started there later, until `unpause`.");
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive pause -w ~/github", "from another terminal"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { PAUSE_FILE, requestPause } = await import("../../../../archive/control/watch.ts");
    const { lockedHalves } = await import("../../../../archive/workspace-lock.ts");
    const { root } = await openTyped(options);
    await requestPause(root);
    const isRunning = lockedHalves(root).length > 0;
    if (options.json) terminal.json({ file: PAUSE_FILE, running: isRunning });
    else {
      terminal.lines([
        isRunning ? "It rests within a second or two." : `Nothing runs in ${root} now; what is started will rest.`,
        "`trawl archive unpause` lets it go on.",
      ]);
    }
  });
}

function addUnpause(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("unpause")
    .summary("let it go on")
    .description("Takes back every pause.* file in the workspace, whoever made it.");
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive unpause", "it goes on within a second or two"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { withdrawPause } = await import("../../../../archive/control/watch.ts");
    const { root } = await openTyped(options);
    const removed = await withdrawPause(root);
    if (options.json) terminal.json({ removed });
    else terminal.lines([removed.length > 0 ? `Removed ${removed.join(", ")}.` : "Nothing was paused."]);
  });
}

function addStop(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("stop")
    .summary("end what runs in the workspace")
    .description("Ends what runs in the workspace, and waits until it has ended. `resume` goes on later.");
  addJson(addWorkspace(command));
  addExamples(command, [["trawl archive stop && trawl archive reset", "from another terminal"]]);
  command.action(async (options: WorkspaceOptions) => {
    const { clearStop, readFlags, requestStop } = await import("../../../../archive/control/watch.ts");
    const { lockedHalves } = await import("../../../../archive/workspace-lock.ts");
    const { root } = await openTyped(options);
    const wasRunning = lockedHalves(root).length > 0;
    while (lockedHalves(root).length > 0) {
      // Two may run side by side, and each takes the file away when it obeys.
      if ((await readFlags(root)).stop.length === 0) await requestStop(root);
      await sleep(LOOK_MS);
    }
    await clearStop(root);
    if (options.json) terminal.json({ stopped: wasRunning });
    else terminal.lines([wasRunning ? "Stopped. Nothing is lost." : `Nothing runs in ${root}.`]);
  });
}
