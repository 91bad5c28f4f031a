/** `trawl archive status`: what a workspace holds, read from its files alone, so it works during a run. */
import { SeenTable } from "../kernel/seen.ts";
import { readLines } from "../storage/read-lines.ts";
import { readFlags } from "./control/watch.ts";
import { decodeFetched } from "./ledger/commit-line.ts";
import { decodeRow } from "./ledger/frontier-line.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { spoolBytes, spoolFiles } from "./spool/spool-files.ts";
import { readMetadata } from "./store/metadata-record.ts";
import { workspaceBlobs } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

export interface ArchiveStatus {
  /** URLs waiting to be fetched, by depth. */
  frontier: number;
  frontierByDepth: Record<number, number>;
  fetched: number;
  /** Lines of the metadata: by status, by page type, and damaged ones. */
  records: number;
  byStatus: Record<number, number>;
  byPageType: Record<string, number>;
  damaged: number;
  lastFetchAt: number | null;
  blobs: number;
  refused: number;
  refusedByReason: Record<string, number>;
  spool: { files: number; bytes: number };
  /** URLs that `run --discover` has read for their links, and URLs that `scrape` has fetched. */
  discovered: number;
  scraped: number;
  flags: string[];
}

export async function archiveStatus(workspace: Workspace): Promise<ArchiveStatus> {
  const { root, paths } = workspace;
  const status: ArchiveStatus = {
    frontier: 0,
    frontierByDepth: {},
    fetched: 0,
    records: 0,
    byStatus: {},
    byPageType: {},
    damaged: 0,
    lastFetchAt: null,
    blobs: 0,
    refused: 0,
    refusedByReason: {},
    spool: { files: (await spoolFiles(paths.spool)).length, bytes: await spoolBytes(paths.spool) },
    discovered: await countFetched(paths.discoverLedger),
    scraped: await countFetched(paths.scrapeLedger),
    flags: Object.values(await readFlags(root)).flat(),
  };
  const ended = new SeenTable();
  for await (const { bytes } of readLines(paths.ledger.fetched)) {
    const url = decodeFetched(bytes.toString("utf8"));
    if (url === null) continue;
    ended.set(url, 1);
    status.fetched++;
  }
  for await (const { bytes } of readLines(paths.ledger.refused)) {
    const row = decodeRow(bytes);
    if (row === null) continue;
    ended.set(row.key, 2);
    status.refused++;
    count(status.refusedByReason, row.verdict.reason ?? "");
  }
  for await (const { bytes } of readLines(paths.ledger.frontier)) {
    const row = decodeRow(bytes);
    if (row === null || ended.get(row.key) === 1) continue;
    status.frontier++;
    count(status.frontierByDepth, row.depth);
  }
  for await (const { record } of readMetadata(paths.metadata, () => status.damaged++)) {
    status.records++;
    status.lastFetchAt = record.timestamp;
    count(status.byStatus, record.http_status);
    count(status.byPageType, record.page_type);
  }
  for await (const { kind } of workspaceBlobs(workspace).each()) if (kind === "blob") status.blobs++;
  return status;
}

async function countFetched({ fetched }: LedgerPaths): Promise<number> {
  let lines = 0;
  for await (const _ of readLines(fetched)) lines++;
  return lines;
}

function count<Key extends string | number>(counts: Record<Key, number>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
