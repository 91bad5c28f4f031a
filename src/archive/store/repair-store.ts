/**
 * `verify --repair`: moves corrupt pages to quarantine, moves damaged lines and lines without their page from the
 * metadata to a separate file, and returns their URLs to be fetched again. Nothing else changes, and nothing is
 * deleted except temporary files. Must not run during a crawl.
 */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { linkAside } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { dropLines, saveLines } from "./drop-lines.ts";
import { type RecordsEnd, sumsPath, writeSums } from "./metadata-sums.ts";
import { type Problem, type VerifyCounts, type VerifyOptions, verifyArchive } from "./verify-store.ts";

export interface RepairOptions extends VerifyOptions {
  /** Where `damaged-<time>.txt` goes. */
  stateFolder: string;
  /** Wall time in ms. */
  now: number;
  fs?: FileSystem;
}

export interface Repaired {
  /** What was found, before anything was changed. */
  counts: VerifyCounts;
  /** URLs to fetch again: they must become open in the ledger. */
  reopen: string[];
  /** Their depths, where a good line still states them. */
  depths: ReadonlyMap<string, number>;
  /** Holds the lines that were removed; null when there were none. */
  damagedFile: string | null;
  droppedLines: number;
  /** Where corrupt pages were moved to. */
  quarantined: string[];
  /** How far the metadata goes now, because what the ledger remembers may no longer be true. */
  records: RecordsEnd;
  /** The metadata as it was, if it was damaged. */
  kept: string | null;
}

export async function repairArchive(options: RepairOptions): Promise<Repaired> {
  const reopen = new Set<string>();
  const depths = new Map<string, number>();
  const drop = new Set<number>();
  const corrupt = new Set<string>();
  const leftovers: string[] = [];
  const onProblem = (problem: Problem): void => {
    options.onProblem(problem);
    if ("url" in problem && problem.url !== null && isLost(problem)) reopen.add(problem.url);
    // The line of a page is more reliable than what is guessed for a lost line.
    if ("depth" in problem && !depths.has(problem.url)) depths.set(problem.url, problem.depth);
    if ("line" in problem && problem.kind !== "missing_line") drop.add(problem.line);
    if (problem.kind === "corrupt_blob") corrupt.add(problem.sha256);
    if (problem.kind === "leftover") leftovers.push(problem.file);
  };
  // What was never settled is still open. A damaged line may have a good one next to it: the ledger knows which URLs
  // are lost.
  const isLost = ({ kind }: Problem): boolean =>
    kind !== "unsettled_line" && (kind !== "damaged_line" || options.fetchedUrls === undefined);
  const counts = await verifyArchive({ ...options, onProblem });

  const { metadataPath, blobs, check, fs = realFileSystem } = options;
  const kept = check === undefined || check.damaged.length === 0 ? null : await keep(options, fs);
  const damagedFile =
    drop.size === 0 ? null : join(options.stateFolder, `damaged-${Math.floor(options.now / 1000)}.txt`);
  // First come copies of what will be removed, then the pages, and the metadata last: after a crash in between,
  // repairing again is enough.
  if (damagedFile !== null) await saveLines(metadataPath, drop, damagedFile, fs);
  const quarantined: string[] = [];
  for (const sha256 of corrupt) {
    const target = await blobs.quarantine(sha256);
    if (target !== null) quarantined.push(target);
  }
  for (const file of leftovers) await fs.rm(file, { force: true });
  if (drop.size > 0) await dropLines(metadataPath, drop, fs);
  const isUnchanged = check !== undefined && check.damaged.length === 0 && drop.size === 0;
  const records =
    isUnchanged && existsSync(sumsPath(metadataPath))
      ? { bytes: check.bytes, sum: check.running }
      : await writeSums(metadataPath, fs);
  return { counts, reopen: [...reopen], depths, damagedFile, droppedLines: drop.size, quarantined, records, kept };
}

/** The metadata gets a second name before it is replaced. */
async function keep({ metadataPath, stateFolder, now }: RepairOptions, fs: FileSystem): Promise<string | null> {
  if (!existsSync(metadataPath)) return null;
  const target = join(stateFolder, `damaged-${Math.floor(now / 1000)}`, basename(metadataPath));
  await linkAside(metadataPath, target, fs);
  return target;
}
