/** `--workspace` and `--config`: which archive a command is about. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Workspace } from "../../../../archive/workspace.ts";
import type { JsonOption } from "../../cli.ts";

export interface WorkspaceOptions extends JsonOption {
  workspace?: string;
  config?: string;
}

/** What `configure` makes, and what commands find when they are typed beside it. */
export const USUAL_FOLDER = "workspace";

export const addWorkspace = (command: Command): Command =>
  command
    .option("-w, --workspace <folder>", `The archive's folder; without it this one, or ./${USUAL_FOLDER}.`)
    .option("--config <file>", "Settings file; without it archive.yaml of the workspace.");

/** `overrides` are settings that were typed as flags, by section. */
export async function openTyped(
  { workspace, config }: WorkspaceOptions,
  overrides: Record<string, unknown> = {},
): Promise<Workspace> {
  const { openWorkspace } = await import("../../../../archive/workspace.ts");
  return openWorkspace(await typedFolder(workspace), Date.now(), config, overrides);
}

export async function typedFolder(typed: string | undefined): Promise<string> {
  if (typed !== undefined) return typed;
  const { CONFIG_FILE } = await import("../../../../archive/config/template.ts");
  return existsSync(CONFIG_FILE) || !existsSync(join(USUAL_FOLDER, CONFIG_FILE)) ? "." : USUAL_FOLDER;
}

/** What follows `trawl archive <command>` so that it is about the same archive again. */
export function sameArchive({ workspace, config }: WorkspaceOptions): string {
  const named = (flag: string, value: string | undefined) => (value === undefined ? "" : ` ${flag} ${quoted(value)}`);
  return named("-w", workspace) + named("--config", config);
}

const quoted = (value: string): string => (/^[\w./~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);
