/** `trawl archive status`: what a workspace holds, read from its files alone so that it works during a run. */
import { SeenTable } from "../kernel/seen.ts";
import { readLines } from "../storage/read-lines.ts";
import { readFlags } from "./control/watch.ts";
import { countedUrls } from "./ledger/check.ts";
import { decodeRow, type Row } from "./ledger/frontier-line.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { goodCommits } from "./ledger/repaired-commits.ts";
import { type RestingHost, storedRests } from "./resting-hosts.ts";
import { spoolBytes, spoolFiles } from "./spool/spool-files.ts";
import { readMetadata } from "./store/metadata-record.ts";
import { spoolLimits, workspaceBlobs } from "./stores.ts";
import type { Workspace } from "./workspace.ts";

export interface ArchiveStatus {
  /** URLs waiting to be fetched, or to be fetched again, by depth. */
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
  /** `isFull`: `run` waits until `scrape` has made room. */
  spool: { files: number; bytes: number; isFull: boolean };
  /** URLs that `run --discover` has read for their links, those that wait for it, and URLs that `scrape` has fetched. */
  discovered: number;
  discovering: number;
  scraped: number;
  /** Files that pages need, which were fetched or could not be; they are not pages. */
  requisites: number;
  flags: string[];
  /** Hosts that rest, from any run. */
  resting: RestingHost[];
}

export async function archiveStatus(workspace: Workspace, now = Date.now()): Promise<ArchiveStatus> {
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
    spool: await spoolStatus(workspace),
    discovered: 0,
    discovering: 0,
    scraped: await countFetched(paths.scrapeLedger),
    requisites: await countFetched(paths.requisiteLedger),
    flags: Object.values(await readFlags(root)).flat(),
    resting: await restingHosts(paths, now),
  };
  await readQueue(paths.ledger, {
    onFetched: () => status.fetched++,
    onRefused: ({ verdict }) => {
      status.refused++;
      count(status.refusedByReason, verdict.reason ?? "");
    },
    onWaiting: ({ depth }) => {
      status.frontier++;
      count(status.frontierByDepth, depth);
    },
  });
  await readQueue(paths.discoverLedger, {
    onFetched: () => status.discovered++,
    onRefused: () => {},
    onWaiting: () => status.discovering++,
  });
  for await (const { record } of readMetadata(paths.metadata, () => status.damaged++)) {
    status.records++;
    status.lastFetchAt = record.timestamp;
    count(status.byStatus, record.http_status);
    count(status.byPageType, record.page_type);
  }
  for await (const { kind } of workspaceBlobs(workspace).each()) if (kind === "blob") status.blobs++;
  return status;
}

interface QueueReader {
  onFetched: () => void;
  onRefused: (row: Row) => void;
  onWaiting: (row: Row) => void;
}

async function readQueue(ledger: LedgerPaths, { onFetched, onRefused, onWaiting }: QueueReader): Promise<void> {
  const latest = new SeenTable();
  for await (const url of countedUrls(ledger)) {
    latest.set(url, FETCHED);
    onFetched();
  }
  const { last, isEndLost, refetches } = await goodCommits(ledger);
  // Lines of a commit that never ended do not count: their URLs are found again.
  const rowsOf = (path: string) => committedRows(path, isEndLost ? Number.POSITIVE_INFINITY : last);
  // A URL may have been queued and then refused, or refused and then queued: its later line counts.
  for (const path of [ledger.refused, ledger.frontier]) {
    for await (const row of rowsOf(path)) {
      if (latest.get(row.key) < momentOf(row)) latest.set(row.key, momentOf(row));
    }
  }
  for await (const row of rowsOf(ledger.refused)) if (latest.get(row.key) === momentOf(row)) onRefused(row);
  for await (const row of rowsOf(ledger.frontier)) {
    if (latest.get(row.key) === momentOf(row) || refetches.isOpenAgain(row)) onWaiting(row);
  }
}

async function spoolStatus({ paths, settings }: Workspace): Promise<ArchiveStatus["spool"]> {
  const bytes = await spoolBytes(paths.spool);
  return {
    files: (await spoolFiles(paths.spool)).length,
    bytes,
    isFull: bytes >= spoolLimits(settings.config).budgetBytes,
  };
}

/** Later than any other: what was fetched stays fetched. */
const FETCHED = 0xffff_ffff;

/** When a line was written, as a number above 0. A commit leaves a URL either queued or refused. */
const momentOf = ({ commit }: Row): number => commit + 1;

async function restingHosts({ ledger, discoverLedger, scrapeLedger }: Workspace["paths"], now: number) {
  const all = [ledger, discoverLedger, scrapeLedger].map(({ commits }) => storedRests(commits, now));
  return (await Promise.all(all)).flat();
}

async function* committedRows(path: string, last: number): AsyncGenerator<Row> {
  for await (const { bytes } of readLines(path)) {
    const row = decodeRow(bytes);
    if (row !== null && row.commit <= last) yield row;
  }
}

async function countFetched(ledger: LedgerPaths): Promise<number> {
  let urls = 0;
  for await (const _ of countedUrls(ledger)) urls++;
  return urls;
}

function count<Key extends string | number>(counts: Record<Key, number>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
