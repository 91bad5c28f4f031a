/**
 * Options that archive commands share: the workspace, how the host is reached, and those of the commands that fetch.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Reach } from "../../../../app/archive/run.ts";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { addJson, type JsonOption } from "../../cli.ts";
import { readPort } from "../../selection.ts";

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

/** Those that make another command that fetches reach the host the same way. */
export const sameReach = ({ connectTo, ca }: ReachOptions): string =>
  connectTo.map((route) => ` --connect-to ${quoted(route)}`).join("") + (ca === undefined ? "" : ` --ca ${quoted(ca)}`);

const quoted = (value: string): string => (/^[\w./~:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** `--connect-to` and `--ca`: reaching the host in an unusual way. */
export interface ReachOptions {
  connectTo: string[];
  ca?: string;
}

export const addReach = (command: Command): Command =>
  command
    .option(
      "--connect-to <h:p:a:p>",
      "Connect to another address for a host, as curl does: host:port:address:port. Repeatable.",
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option("--ca <file>", "Trust the certificates in this PEM file too.");

export async function readReach({ connectTo, ca }: ReachOptions): Promise<Reach> {
  const [{ parseConnectTo }, { readCertificates }] = await Promise.all([
    import("../../../../net/connection/route.ts"),
    import("../../../../net/connection/tls-client.ts"),
  ]);
  return { connectTo: connectTo.map(parseConnectTo), ca: ca === undefined ? null : readCertificates(ca) };
}

/** The options of the commands that fetch: run, resume and scrape. */
export interface RunOptions extends WorkspaceOptions, ReachOptions {
  warc?: boolean;
  requisites?: boolean;
  metricsPort?: number;
}

export function addRunOptions(command: Command): Command {
  addWorkspace(command)
    .option("--warc", "Write WARC files next to the store, with every request and response; later runs do so too.")
    .option("--no-warc", "Stop writing WARC files.")
    .option(
      "--requisites",
      "Fetch the style sheets, images, fonts and scripts of the pages into the WARC files, now and in later runs.",
    )
    .option("--no-requisites", "Stop fetching requisites; fetch only pages.")
    .option("--metrics-port <n>", "Serve Prometheus metrics on this port of 127.0.0.1; 0 picks a free port.", readPort);
  addReach(command);
  return addJson(command, "Print JSON lines: progress every second, the statistics last.");
}

/** The flags that are settings. */
export const overridesOf = ({ warc, requisites }: RunOptions): Record<string, unknown> => ({
  ...(warc !== undefined && { storage: { warc } }),
  ...(requisites !== undefined && { requisites: { enabled: requisites } }),
});
