/** Control by files in the workspace: `pause.<anything>` makes the archive rest, `stop.<anything>` ends it. */
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../storage/durable.ts";

export const PAUSE_FILE = "pause.archive";
export const STOP_FILE = "stop.archive";

export interface Flags {
  pause: string[];
  stop: string[];
}

export async function readFlags(workspace: string): Promise<Flags> {
  const names = await readdir(workspace).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return {
    pause: names.filter((name) => name.startsWith("pause.")),
    stop: names.filter((name) => name.startsWith("stop.")),
  };
}

/** `trawl archive pause`. */
export const requestPause = (workspace: string): Promise<void> => writeFile(join(workspace, PAUSE_FILE), "");

/** `trawl archive unpause`: whoever asked for the pause. */
export async function withdrawPause(workspace: string): Promise<string[]> {
  const { pause } = await readFlags(workspace);
  for (const name of pause) await rm(join(workspace, name), { force: true });
  return pause;
}

/** `trawl archive stop`. */
export const requestStop = (workspace: string): Promise<void> => writeFile(join(workspace, STOP_FILE), "");

/** A stop that was obeyed, or was left from an earlier run, must not end the next one. */
export async function clearStop(workspace: string): Promise<string[]> {
  const { stop } = await readFlags(workspace);
  for (const name of stop) await rm(join(workspace, name), { force: true });
  return stop;
}
