/** A workspace of the real program, and the code host that it uses as github.com. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { AGENT, startHost, writeConfig } from "../archive/archiving.ts";
import type { CodeHost, CodeHostOptions } from "../servers/code-host.ts";
import { Trawl } from "./trawl.ts";

export interface Archiving {
  trawl: Trawl;
  host: CodeHost;
  /** The folder that `configure` creates. */
  root: string;
  /** The flags by which github.com is the code host. */
  reach: string[];
  /** Settings on top of quick ones, for the next command. */
  set: (settings: Parameters<typeof writeConfig>[1]) => void;
  read: (path: string) => string;
}

export async function startArchiving(
  t: TestContext,
  options: Omit<CodeHostOptions, "certificate"> = {},
): Promise<Archiving> {
  const host = await startHost(t, options);
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const root = join(trawl.folder, "workspace");
  const ca = join(trawl.folder, "ca.pem");
  writeFileSync(ca, host.reach.ca);
  await trawl.run("archive", "configure", "--user-agent", AGENT);
  writeConfig(root);
  return {
    trawl,
    host,
    root,
    reach: ["--connect-to", `github.com:443:127.0.0.1:${host.port}`, "--ca", ca],
    set: (settings) => writeConfig(root, settings),
    read: (path) => readFileSync(join(root, path), "utf8"),
  };
}

/** Pages that were requested more than once. */
export const askedTwice = (host: CodeHost): string[] =>
  [...host.counts()].filter(([path, count]) => count > 1 && path !== "/robots.txt").map(([path]) => path);
