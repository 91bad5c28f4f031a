/**
 * `verify --repair`: moves corrupt pages to quarantine, moves damaged lines and lines without their page from the
 * metadata to a separate file, and returns their URLs to be fetched again. Nothing else changes, and nothing is
 * deleted except temporary files. Must not run during a crawl.
 */
import { open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, missingAsNull, replaceFile } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { readLines, readRange } from "../../storage/read-lines.ts";
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
  /** Their depths, where a good line still said. */
  depths: ReadonlyMap<string, number>;
  /** Holds the lines that were removed; null when there were none. */
  damagedFile: string | null;
  droppedLines: number;
  /** Where corrupt pages were moved to. */
  quarantined: string[];
  /** The length of the metadata now: what the ledger remembers is no longer true. */
  metadataLength: number;
}

export async function repairArchive(options: RepairOptions): Promise<Repaired> {
  const reopen = new Set<string>();
  const depths = new Map<string, number>();
  const drop = new Set<number>();
  const corrupt = new Set<string>();
  const leftovers: string[] = [];
  const onProblem = (problem: Problem): void => {
    options.onProblem(problem);
    // What was never settled is still open.
    if ("url" in problem && problem.url !== null && problem.kind !== "unsettled_line") reopen.add(problem.url);
    if ("depth" in problem) depths.set(problem.url, problem.depth);
    if ("line" in problem) drop.add(problem.line);
    if (problem.kind === "corrupt_blob") corrupt.add(problem.sha256);
    if (problem.kind === "leftover") leftovers.push(problem.file);
  };
  const counts = await verifyArchive({ ...options, onProblem });

  const { metadataPath, blobs, fs = realFileSystem } = options;
  const damagedFile =
    drop.size === 0 ? null : join(options.stateFolder, `damaged-${Math.floor(options.now / 1000)}.txt`);
  // First copies of what will be removed, then the pages, and the metadata last: after a crash in between, repairing
  // again is enough.
  if (damagedFile !== null) await saveLines(metadataPath, drop, damagedFile, fs);
  const quarantined: string[] = [];
  for (const sha256 of corrupt) {
    const target = await blobs.quarantine(sha256);
    if (target !== null) quarantined.push(target);
  }
  for (const file of leftovers) await fs.rm(file, { force: true });
  if (drop.size > 0) await dropLines(metadataPath, drop, fs);
  const metadataLength = (await stat(metadataPath).catch(missingAsNull(metadataPath)))?.size ?? 0;
  return { counts, reopen: [...reopen], depths, damagedFile, droppedLines: drop.size, quarantined, metadataLength };
}

/** Appends, because the ledger's repair may have written to the same file in the same second. */
async function saveLines(path: string, numbers: Set<number>, target: string, fs: FileSystem): Promise<void> {
  await makeFolder(dirname(target), fs);
  const source = await open(path, "r");
  const file = await fs.open(target, "a");
  try {
    for await (const line of readLines(path)) {
      if (!numbers.has(line.number)) continue;
      for await (const part of readRange(source, line.offset, line.length)) await file.writeFile(part);
      await file.writeFile("\n");
    }
    await file.sync();
  } finally {
    await source.close();
    await file.close();
  }
  await fs.syncFolder(dirname(target));
}

async function dropLines(path: string, numbers: Set<number>, fs: FileSystem): Promise<void> {
  const source = await open(path, "r");
  try {
    const { mode } = await source.stat();
    await replaceFile(
      path,
      async (handle) => {
        // Neighbouring lines are copied together.
        let from = 0;
        let end = 0;
        const copy = async (): Promise<void> => {
          for await (const part of readRange(source, from, end - from)) await handle.writeFile(part);
        };
        for await (const line of readLines(path)) {
          const next = line.offset + line.length + 1;
          if (numbers.has(line.number)) {
            await copy();
            from = next;
          }
          end = next;
        }
        await copy();
      },
      { permissions: mode & 0o777, fs },
    );
  } finally {
    await source.close();
  }
}
