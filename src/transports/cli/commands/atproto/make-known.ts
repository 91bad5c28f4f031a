/** Adds a folder to the list of this machine's AT Protocol archives, so that the web app, REST and MCP can read it. */
import { clean } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";

/** `redisAddress`: where this command keeps the state; undefined for a command that has none. The folder must exist. */
export async function makeKnown(
  { env, terminal }: Pick<Cli, "env" | "terminal">,
  folder: string,
  redisAddress?: string | null,
): Promise<void> {
  const [{ openHome }, { KnownArchives }] = await Promise.all([
    import("../../../../app/home.ts"),
    import("../../../../app/atproto/known-archives.ts"),
  ]);
  try {
    const known = new KnownArchives(openHome(env).registry, Date.now);
    try {
      known.add(folder, redisAddress);
    } finally {
      known.close();
    }
  } catch (error) {
    // An archive needs no data folder, so it must run even where that cannot be written.
    terminal.note(`note: the server and MCP cannot reach this archive. ${clean((error as Error).message)}`);
  }
}
