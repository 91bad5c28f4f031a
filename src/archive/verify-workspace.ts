/** `trawl archive verify`: store, metadata and ledger of a workspace held against each other, and made to agree. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { decodeFetched } from "./ledger/fetched-line.ts";
import { type LedgerRepair, repairLedger } from "./ledger/repair.ts";
import { PageTypes } from "./policy/page-types.ts";
import { readLines } from "./store/read-lines.ts";
import { type Repaired, repairArchive } from "./store/repair.ts";
import { type VerifyCounts, type VerifyOptions, verifyArchive } from "./store/verify.ts";
import { workspaceBlobs } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

export type Watching = Pick<VerifyOptions, "onProblem" | "onProgress" | "signal">;

/** Changes nothing. */
export const verifyWorkspace = (workspace: Workspace, watching: Watching): Promise<VerifyCounts> =>
  verifyArchive(verifyOptions(workspace, watching));

export interface WorkspaceRepair {
  archive: Repaired;
  ledger: LedgerRepair;
}

/** Not while anything runs in the workspace. What was lost is open again: the next run fetches it. */
export async function repairWorkspace(workspace: Workspace, watching: Watching, now: number): Promise<WorkspaceRepair> {
  const { paths, settings } = workspace;
  const types = new PageTypes(settings.profile);
  const stateFolder = dirname(paths.ledger.commits);
  const archive = await repairArchive({ ...verifyOptions(workspace, watching), stateFolder, now });
  const shared = {
    stateFolder,
    now,
    recordsLength: archive.metadataLength,
    kindOf: (url: string) => types.numberOf(url),
    pageType: (kind: number) => types.nameOf(kind),
  };
  const reopen = archive.reopen.map((url) => ({ url }));
  const ledger = await repairLedger({ ...shared, paths: paths.ledger, reopen });
  // Pages that `scrape` had are fetched by the run; its own ledger only has to agree with the new length.
  if (existsSync(paths.scrapeLedger.commits)) await repairLedger({ ...shared, paths: paths.scrapeLedger, reopen: [] });
  return { archive, ledger };
}

const verifyOptions = (workspace: Workspace, watching: Watching): VerifyOptions => ({
  ...watching,
  metadataPath: workspace.paths.metadata,
  blobs: workspaceBlobs(workspace),
  fetchedUrls: fetchedUrls(workspace.paths.ledger.fetched),
});

async function* fetchedUrls(path: string): AsyncGenerator<string> {
  for await (const { bytes } of readLines(path)) {
    const url = decodeFetched(bytes.toString("utf8"));
    if (url !== null) yield url;
  }
}
