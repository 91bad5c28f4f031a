/**
 * `trawl archive verify`: compares the store, the metadata and the ledgers of a workspace, and makes them agree on
 * request.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { SeenTable } from "../kernel/seen.ts";
import { isFromSpool } from "./archive-record.ts";
import { checkLedger, countedUrls, type DamagedLine } from "./ledger/check.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { type LedgerRepair, repairLedger } from "./ledger/repair.ts";
import { committedRecords } from "./ledger/repaired-commits.ts";
import { PageTypes } from "./policy/policy.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";
import { type Repaired, repairArchive } from "./store/repair-store.ts";
import { type VerifyCounts, type VerifyOptions, verifyArchive } from "./store/verify-store.ts";
import { workspaceBlobs } from "./stores.ts";
import type { Workspace, WorkspacePaths } from "./workspace.ts";

export type Watching = Pick<VerifyOptions, "onProblem" | "onProgress" | "signal">;

/** Changes nothing. */
export const verifyWorkspace = async (workspace: Workspace, watching: Watching): Promise<VerifyCounts> =>
  verifyArchive(await verifyOptions(workspace, watching));

/** Damaged lines of the ledgers. Changes nothing. */
export async function checkLedgers({ paths }: Workspace): Promise<DamagedLine[]> {
  return [...(await checkLedger(paths.ledger)), ...(await checkLedger(paths.scrapeLedger))];
}

export interface WorkspaceRepair {
  archive: Repaired;
  ledger: LedgerRepair;
}

/**
 * Must not run while anything works in the workspace. What was lost is open again: the next run or scrape fetches it.
 */
export async function repairWorkspace(workspace: Workspace, watching: Watching, now: number): Promise<WorkspaceRepair> {
  const { paths, settings } = workspace;
  const types = new PageTypes(settings.profile);
  const stateFolder = dirname(paths.ledger.commits);
  const archive = await repairArchive({ ...(await verifyOptions(workspace, watching)), stateFolder, now });
  const repair = (ledger: LedgerPaths): Promise<LedgerRepair> =>
    repairLedger({
      paths: ledger,
      stateFolder,
      now,
      recordsLength: archive.metadataLength,
      reopen: archive.reopen.map((url) => ({ url, depth: archive.depths.get(url) })),
      kindOf: (url) => types.numberOf(url),
      pageType: (kind) => types.nameOf(kind),
    });
  const ledger = await repair(paths.ledger);
  if (!existsSync(paths.scrapeLedger.commits)) return { archive, ledger };
  const scrape = await repair(paths.scrapeLedger);
  return {
    archive,
    ledger: {
      damaged: [...ledger.damaged, ...scrape.damaged],
      damagedFile: ledger.damagedFile ?? scrape.damagedFile,
      reopened: ledger.reopened + scrape.reopened,
    },
  };
}

const verifyOptions = async (workspace: Workspace, watching: Watching): Promise<VerifyOptions> => ({
  ...watching,
  metadataPath: workspace.paths.metadata,
  blobs: workspaceBlobs(workspace),
  fetchedUrls: allFetched(workspace.paths),
  isUnsettled: await unsettled(workspace.paths),
});

async function* allFetched({ ledger, scrapeLedger }: WorkspacePaths): AsyncGenerator<string> {
  yield* countedUrls(ledger);
  yield* countedUrls(scrapeLedger);
}

/**
 * Lines after the last commit of the ledger that wrote them, for URLs that it does not count as fetched. If a repair
 * made them count, their pages, which are open, would be recorded twice. The offset alone is not enough: someone who
 * edited the file by hand may have moved them.
 */
async function unsettled(paths: WorkspacePaths): Promise<(record: MetadataRecord, offset: number) => boolean> {
  const known = async (ledger: LedgerPaths) => {
    const urls = new SeenTable();
    for await (const url of countedUrls(ledger)) urls.set(url, 1);
    return { committed: (await committedRecords(ledger.commits)) ?? Number.POSITIVE_INFINITY, urls };
  };
  const [run, scrape] = [await known(paths.ledger), await known(paths.scrapeLedger)];
  return (record, offset) => {
    const { committed, urls } = isFromSpool(record) ? scrape : run;
    return offset >= committed && urls.get(record.url) === 0;
  };
}
