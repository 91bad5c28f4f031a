/** `--workspace` and `--config`: which archive a command works on. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import type { JsonOption } from "../../cli.ts";

export interface WorkspaceOptions extends JsonOption {
  workspace?: string;
  config?: string;
}

/** The folder that `configure` creates, and that commands find when run next to it. */
export const USUAL_FOLDER = "workspace";

export const addWorkspace = (command: Command): Command =>
  command
    .option("-w, --workspace <folder>", `The archive's folder (default: this folder, or ./${USUAL_FOLDER}).`)
    .option("--config <file>", "Settings file (default: archive.yaml in the workspace).");

/** `overrides` are settings given as flags, by section. */
export async function openTyped(
  { workspace, config }: WorkspaceOptions,
  overrides: Record<string, unknown> = {},
): Promise<Workspace> {
  const { openWorkspace } = await import("../../../../app/archive/workspace.ts");
  return openWorkspace(await typedFolder(workspace), Date.now(), config, overrides);
}

export async function typedFolder(typed: string | undefined): Promise<string> {
  if (typed !== undefined) return typed;
  const { CONFIG_FILE } = await import("../../../../app/archive/workspace.ts");
  return existsSync(CONFIG_FILE) || !existsSync(join(USUAL_FOLDER, CONFIG_FILE)) ? "." : USUAL_FOLDER;
}

/** The flags that make another command work on the same archive. */
export function sameArchive({ workspace, config }: WorkspaceOptions): string {
  const named = (flag: string, value: string | undefined) => (value === undefined ? "" : ` ${flag} ${quoted(value)}`);
  return named("-w", workspace) + named("--config", config);
}

const quoted = (value: string): string => (/^[\w./~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);
