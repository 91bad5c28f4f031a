/**
 * `trawl archive verify`: compares the store, the metadata and the ledgers of a workspace, and makes them agree on
 * request.
 */
import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SeenTable } from "../kernel/seen.ts";
import { linkAside } from "../storage/durable.ts";
import type { Line } from "../storage/read-lines.ts";
import { isFromSpool, LOST_QUEUE } from "./archive-record.ts";
import { isFailure } from "./failed-urls.ts";
import { checkLedger, countedUrls, type DamagedLine } from "./ledger/check.ts";
import { readCommitted } from "./ledger/committed-lines.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";
import { committedRecords } from "./ledger/record-log.ts";
import { type LedgerRepair, type LedgerRepairOptions, type RecordedUrl, repairLedger } from "./ledger/repair.ts";
import { goodCommits } from "./ledger/repaired-commits.ts";
import { PageTypes } from "./policy/policy.ts";
import { REREAD_NOTE } from "./reread.ts";
import { TextIndex } from "./search/text-index.ts";
import { readBookmark } from "./spool/spool-files.ts";
import { checkSpool, forgetSums } from "./spool/spool-sums.ts";
import { hasLinesOf } from "./store/metadata.ts";
import { type MetadataRecord, readMetadata } from "./store/metadata-record.ts";
import { type Committed, checkMetadata, lastMark, sumsPath } from "./store/metadata-sums.ts";
import { type Repaired, repairArchive } from "./store/repair-store.ts";
import { type VerifyCounts, type VerifyOptions, verifyArchive } from "./store/verify-store.ts";
import { readChoice, writeChoice } from "./store/warc/warc-choice.ts";
import { workspaceBlobs } from "./stores.ts";
import type { Workspace, WorkspacePaths } from "./workspace.ts";

export type Watching = Pick<VerifyOptions, "onProblem" | "onProgress" | "signal">;

/** Changes nothing. */
export async function verifyWorkspace(workspace: Workspace, watching: Watching): Promise<VerifyCounts> {
  const counts = await verifyArchive(await verifyOptions(workspace, watching));
  checkSearch(workspace, counts, watching);
  return counts;
}

/** Whether words are found where they are. Returns whether the search index is damaged. */
function checkSearch({ paths }: Workspace, { problems }: VerifyCounts, { onProblem }: Watching): boolean {
  const file = paths.searchIndex;
  if (!existsSync(file) || TextIndex.isIntact(file)) return false;
  problems.damaged_search++;
  onProblem({ kind: "damaged_search", file });
  return true;
}

/** Damaged lines of the ledgers, and of the sums of the metadata. Changes nothing. */
export async function checkLedgers({ paths }: Workspace): Promise<DamagedLine[]> {
  const damaged = [...(await checkLedger(paths.ledger)), ...(await lostQueue(paths)), ...(await lostChoice(paths))];
  for (const [name, ledger] of otherLedgers(paths)) damaged.push(...inFolder(name, await checkLedger(ledger)));
  damaged.push(...(await damagedSpool(paths)));
  const sums = basename(sumsPath(paths.metadata));
  const { damaged: inMetadata } = await checkMetadata(paths.metadata, await writersOf(paths));
  return [...damaged, ...inMetadata.filter(({ file }) => file === sums)];
}

/** Lines that `run --discover` wrote, and that `scrape` would miss. */
async function damagedSpool(paths: WorkspacePaths): Promise<DamagedLine[]> {
  const damaged: DamagedLine[] = [];
  for await (const each of checkSpool(paths, await readBookmark(paths.bookmark, () => {}))) damaged.push(each);
  return damaged;
}

/** The files of a deleted queue show nothing; the metadata does. */
async function lostQueue({ ledger, scrapeLedger, metadata }: WorkspacePaths): Promise<DamagedLine[]> {
  const mayBeLost = isFilled(metadata) && isFilled(sumsPath(metadata)) && !isFilled(ledger.commits);
  const isLost =
    mayBeLost && (!isFilled(scrapeLedger.commits) || (await hasLinesOf(metadata, 0, (record) => !isFromSpool(record))));
  return isLost ? [{ file: basename(ledger.commits), line: 1, what: LOST_QUEUE }] : [];
}

/** Whether what pages need is fetched. The choice about WARCs is checked together with them. */
const lostChoice = async ({ requisitesChoice }: WorkspacePaths): Promise<DamagedLine[]> =>
  (await readChoice(requisitesChoice, "requisites")) === "damaged"
    ? [{ file: basename(requisitesChoice), line: 1, what: "does not say whether what pages need is fetched" }]
    : [];

const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

const otherLedgers = ({ discoverLedger, scrapeLedger, requisiteLedger }: WorkspacePaths): [string, LedgerPaths][] => [
  ["discover", discoverLedger],
  ["scrape", scrapeLedger],
  ["requisites", requisiteLedger],
];

/** Files of the other ledgers have the same names. */
const inFolder = (name: string, damaged: DamagedLine[]): DamagedLine[] =>
  damaged.map(({ file, ...rest }) => ({ file: `${name}/${file}`, ...rest }));

export interface WorkspaceRepair {
  archive: Repaired;
  /** All ledgers together. */
  ledger: LedgerRepair;
  /** Some of what `run --discover` had read was lost, so it starts from the seeds again. */
  discoversAgain: boolean;
}

/**
 * Must not run while anything works in the workspace. What was lost becomes open again, or the next run finds it again:
 * in the pages of the store (`run`), in the spool (`scrape`), or from the start (`run --discover` and requisites, which
 * store no pages).
 */
export async function repairWorkspace(workspace: Workspace, watching: Watching, now: number): Promise<WorkspaceRepair> {
  const { paths, settings } = workspace;
  const types = new PageTypes(settings.profile);
  const stateFolder = dirname(paths.ledger.commits);
  const known = await lostQueue(paths);
  const choice = await lostChoice(paths);
  // As in a run: a superfluous file does no harm.
  if (choice.length > 0) await writeChoice(paths.requisitesChoice, true, "requisites");
  const archive = await repairArchive({ ...(await verifyOptions(workspace, watching)), stateFolder, now });
  if (checkSearch(workspace, archive.counts, watching)) TextIndex.remove(paths.searchIndex);
  const common: Omit<LedgerRepairOptions, "paths"> = {
    stateFolder,
    now,
    records: archive.records,
    reopen: archive.reopen.map((url) => ({ url, depth: archive.depths.get(url) })),
    kindOf: (url) => types.numberOf(url),
    pageType: (kind) => types.nameOf(kind),
  };
  const repairs = [
    await repairLedger({
      ...common,
      paths: paths.ledger,
      recorded: () => recordedUrls(paths.metadata, false),
      whenUrlsAreLost: { key: REREAD_NOTE, value: "1" },
      known,
    }),
  ];
  // Nothing that these have read is stored, so only reading it again shows what was lost.
  const startOver = async (name: string, ledger: LedgerPaths, isOutdated: boolean): Promise<boolean> => {
    if (!isThere(ledger)) return false;
    const repair = await repairLedger({ ...common, paths: ledger, records: null, reopen: [] });
    repairs.push({ ...repair, mayLackUrls: false, damaged: inFolder(name, repair.damaged) });
    if (!repair.mayLackUrls && !isOutdated) return false;
    await setAside(Object.values(ledger), stateFolder, now);
    return true;
  };
  const spool = await damagedSpool(paths);
  const discoversAgain = await startOver("discover", paths.discoverLedger, spool.length > 0);
  // Not before it is certain that what was lost will be found again. The good lines stay where they are; `scrape` names
  // the others.
  await forgetSums(paths, spool);
  // It knows how far it has read the metadata by its length.
  await startOver("requisites", paths.requisiteLedger, archive.droppedLines > 0);
  if (isThere(paths.scrapeLedger)) {
    const recorded = () => recordedUrls(paths.metadata, true);
    const scrape = await repairLedger({ ...common, paths: paths.scrapeLedger, recorded });
    // Without a bookmark, the spool is read from its start. What is stored is not fetched again.
    if (scrape.mayLackUrls) await setAside([paths.bookmark], stateFolder, now);
    repairs.push({ ...scrape, mayLackUrls: false, damaged: inFolder("scrape", scrape.damaged) });
  }
  const ledger = together(repairs);
  return { archive, ledger: { ...ledger, damaged: [...choice, ...spool, ...ledger.damaged] }, discoversAgain };
}

const isThere = (ledger: LedgerPaths): boolean => Object.values(ledger).some((path) => existsSync(path));

/** Files that are no longer used stay where someone may look at them. */
async function setAside(paths: string[], stateFolder: string, now: number): Promise<void> {
  for (const path of paths) {
    if (!existsSync(path)) continue;
    const name = `${basename(dirname(path))}-${basename(path)}`;
    await linkAside(path, join(stateFolder, `damaged-${Math.floor(now / 1_000)}`, "unused", name));
    await rm(path);
  }
}

const together = (repairs: LedgerRepair[]): LedgerRepair => ({
  damaged: repairs.flatMap(({ damaged }) => damaged),
  damagedFile: repairs.find(({ damagedFile }) => damagedFile !== null)?.damagedFile ?? null,
  kept: repairs.flatMap(({ kept }) => kept),
  reopened: repairs.reduce((sum, { reopened }) => sum + reopened, 0),
  restored: repairs.reduce((sum, { restored }) => sum + restored, 0),
  mayLackUrls: repairs.some(({ mayLackUrls }) => mayLackUrls),
});

/** Whatever the metadata has was fetched, by `scrape` or by a run. */
async function* recordedUrls(metadataPath: string, bySpool: boolean): AsyncGenerator<RecordedUrl> {
  for await (const { record } of readMetadata(metadataPath, () => {})) {
    if (isFromSpool(record) === bySpool) yield { url: record.url, state: isFailure(record) ? "failed" : "done" };
  }
}

const verifyOptions = async (workspace: Workspace, watching: Watching): Promise<VerifyOptions> => {
  const { paths } = workspace;
  const writers = await writersOf(paths);
  const check = await checkMetadata(paths.metadata, writers);
  return {
    ...watching,
    metadataPath: paths.metadata,
    blobs: workspaceBlobs(workspace),
    fetchedUrls: allFetched(paths),
    check,
    isUnsettled: lastMark(writers) === null ? await unsettled(paths, writers) : (_, { number }) => number >= check.tail,
  };
};

/** What the ledgers that write to the metadata have committed, as far as it can still be read. */
async function writersOf({ ledger, scrapeLedger, metadata }: WorkspacePaths): Promise<Committed[]> {
  const writers: Committed[] = [];
  for (const [paths, bySpool] of [
    [ledger, false],
    [scrapeLedger, true],
  ] as const) {
    const isOwn = (record: MetadataRecord): boolean => isFromSpool(record) === bySpool;
    if (!isThere(paths)) {
      // A ledger that was deleted has left its lines.
      const isLost = await hasLinesOf(metadata, 0, isOwn);
      if (isLost) writers.push({ mark: null, isClosed: true, isEndLost: true, isOwn });
      continue;
    }
    const committed = committedRecords(
      await readCommitted(
        paths,
        () => {},
        () => {},
      ),
    );
    const { isEndLost } = await goodCommits(paths);
    writers.push({ ...committed, isEndLost, isOwn });
  }
  return writers;
}

async function* allFetched({ ledger, scrapeLedger }: WorkspacePaths): AsyncGenerator<string> {
  yield* countedUrls(ledger);
  yield* countedUrls(scrapeLedger);
}

/**
 * For ledgers from before there were sums: lines after the last commit of the ledger that wrote them, for URLs that it does
 * not count as fetched. If a repair made them count, their pages, which are open, would be recorded twice. The offset alone
 * is not enough: someone who edited the file by hand may have moved them.
 */
async function unsettled(paths: WorkspacePaths, writers: readonly Committed[]): Promise<VerifyOptions["isUnsettled"]> {
  const counted = new SeenTable();
  for await (const url of allFetched(paths)) counted.set(url, 1);
  return (record: MetadataRecord | null, { offset }: Line) => {
    if (record === null) return false;
    const mark = writers.find(({ isOwn }) => isOwn(record))?.mark;
    return mark !== null && mark !== undefined && offset >= mark.bytes && counted.get(record.url) === 0;
  };
}
