/** Where Trawl keeps its data: TRAWL_HOME, or ~/.trawl. */
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { TrawlError } from "../errors.ts";

export interface Home {
  root: string;
  registry: string;
  crawlFolder(id: number): string;
  crawlDatabase(id: number): string;
  /** The URLs of a crawl in list mode, kept so that it can be resumed. */
  crawlList(id: number): string;
  /** The icon of a project's site. */
  favicon(projectId: number): string;
}

export function openHome(env: NodeJS.ProcessEnv = process.env): Home {
  const root = env["TRAWL_HOME"] || join(homedir(), ".trawl");
  const crawlFolder = (id: number) => join(root, "crawls", String(id));
  try {
    makeFolder(resolve(root, "crawls"));
  } catch (error) {
    throw new TrawlError("STORE_FAILED", `The data folder ${root} cannot be made: ${(error as Error).message}`);
  }
  return {
    root,
    registry: join(root, "registry.db"),
    crawlFolder,
    crawlDatabase: (id) => join(crawlFolder(id), "crawl.db"),
    crawlList: (id) => join(crawlFolder(id), "list.txt"),
    favicon: (projectId) => join(root, "favicons", String(projectId)),
  };
}

/** By hand, since Node's own `recursive` never comes back from where the system makes no folders, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    // Settings may hold passwords: nobody else on the machine needs to read them.
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another command may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
