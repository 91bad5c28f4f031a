/** Where Trawl stores its data: TRAWL_HOME, or ~/.trawl. */
import { homedir } from "node:os";
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { keepFolderPrivate, PRIVATE_FOLDER } from "../kernel/sqlite/private-files.ts";
import { ensureFolder } from "../storage/ensure-folder.ts";

export interface Home {
  root: string;
  registry: string;
  crawlFolder(id: number): string;
  crawlDatabase(id: number): string;
  /** The URLs of a crawl in list mode, stored so that it can be resumed. */
  crawlList(id: number): string;
  /** Held by the process that works on a crawl of the project. */
  projectLock(projectId: number): string;
  /** The accepted and ignored findings of a project. */
  acceptedFindings(domain: string): string;
  /** Held by the process that changes such a file, wherever that is. */
  acceptedFindingsLock: string;
  /** The icon of a project's site. */
  favicon(projectId: number): string;
}

export function openHome(env: NodeJS.ProcessEnv = process.env): Home {
  const root = env["TRAWL_HOME"] || join(homedir(), ".trawl");
  const crawlFolder = (id: number) => join(root, "crawls", String(id));
  try {
    // Settings may contain passwords, so other users of the machine must not read them.
    ensureFolder(join(root, "crawls"), PRIVATE_FOLDER);
    // If an older version created it, it may be open to others, with everything in it.
    keepFolderPrivate(join(root, "crawls"));
  } catch (error) {
    throw new TrawlError("STORE_FAILED", `The data folder ${root} cannot be used. ${(error as Error).message}`);
  }
  return {
    root,
    registry: join(root, "registry.db"),
    crawlFolder,
    crawlDatabase: (id) => join(crawlFolder(id), "crawl.db"),
    crawlList: (id) => join(crawlFolder(id), "list.txt"),
    projectLock: (projectId) => join(root, "projects", `${projectId}.lock`),
    acceptedFindings: (domain) => join(root, "projects", `${domain.replaceAll(/[^a-zA-Z0-9.-]/g, "_")}.findings.yaml`),
    acceptedFindingsLock: join(root, "accepted-findings.lock"),
    favicon: (projectId) => join(root, "favicons", String(projectId)),
  };
}
