/** Adds a workspace to the list of this machine's archives, so that REST and MCP can use it. */
import { resolve } from "node:path";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { clean } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import type { ReachOptions } from "./archive-options.ts";

/** `reach`: how this command reaches the host, which a run of the server then does too; null for a command that requests nothing. */
export async function makeKnown(
  { env, terminal }: Pick<Cli, "env" | "terminal">,
  { root, configFile }: Pick<Workspace, "root" | "configFile">,
  reach: ReachOptions | null,
): Promise<void> {
  const [{ openHome }, { KnownWorkspaces }] = await Promise.all([
    import("../../../../app/home.ts"),
    import("../../../../app/archive/known-workspaces.ts"),
  ]);
  try {
    const known = new KnownWorkspaces(openHome(env).registry, Date.now);
    try {
      const used = reach && {
        connectTo: reach.connectTo,
        ca: reach.ca === undefined ? null : resolve(reach.ca),
      };
      known.add({ root, configFile: resolve(configFile), reach: used });
    } finally {
      known.close();
    }
  } catch (error) {
    // An archive needs no data folder, so it must run even where that cannot be written.
    terminal.note(`note: the server and MCP cannot reach this archive. ${clean((error as Error).message)}`);
  }
}
