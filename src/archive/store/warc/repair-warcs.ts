/**
 * `verify --repair` for WARCs: finishes what a crash left open, sets damaged bytes aside in `quarantine/`, keeps every
 * good record, and rebuilds the indexes from the records. Must not run while anything is written to the folder.
 */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, replaceFile, TEMPORARY_SUFFIX } from "../../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../../storage/file-system.ts";
import { readRange } from "../../../storage/read-lines.ts";
import { type VerifyWarcsOptions, verifyWarcs, type WarcCounts, type WarcPair, warcPairs } from "./verify-warcs.ts";
import { warcsBeganAt, warcsBeginNow, writeChoice } from "./warc-choice.ts";
import { CDXJ_SUFFIX, namesIn, recoverWarcs, WARC_SUFFIX, writeIndex } from "./warc-file.ts";
import { type Damage, readWarc } from "./warc-index.ts";

export interface RepairWarcsOptions extends VerifyWarcsOptions {
  fs?: FileSystem;
}

export interface RepairedWarcs {
  /** What was found, before anything was changed. */
  counts: WarcCounts;
  /** Files whose index was rebuilt. */
  reindexed: string[];
  /** Where damaged bytes, and indexes without a WARC, were moved to. */
  setAside: string[];
}

const QUARANTINE = "quarantine";

export async function repairWarcs(options: RepairWarcsOptions): Promise<RepairedWarcs> {
  const { folder, of, signal, fs = realFileSystem } = options;
  const bad = new Set<string>();
  let isUndecided = false;
  let isLacking = false;
  const counts = await verifyWarcs({
    ...options,
    onProblem: (problem) => {
      options.onProblem(problem);
      if (problem.kind === "damaged_state") isUndecided = true;
      else if (problem.kind === "missing_capture") isLacking = true;
      else if (problem.kind !== "torn_warc") bad.add(/^(.+?)\.(?:warc\.gz|cdxj)/.exec(problem.file)![1]!);
    },
  });
  signal?.throwIfAborted();
  // As a run does: a capture too many does no harm.
  if (isUndecided) await writeChoice(of!.warcChoice, true);
  const repaired: RepairedWarcs = { counts, reindexed: [], setAside: [] };
  for (const name of await namesIn(folder)) {
    if (name.endsWith(TEMPORARY_SUFFIX)) await fs.rm(join(folder, name), { force: true });
  }
  // Notices say what was dropped; `verify` has already reported it.
  await recoverWarcs(folder, () => {}, fs);
  for (const pair of await warcPairs(folder)) {
    if (!bad.has(pair.base)) continue;
    if (pair.warc === null) repaired.setAside.push(await moveAside(folder, pair.index!, fs));
    else await repairPair(folder, pair, repaired, fs);
  }
  // What the WARCs lack now, they will lack until it is fetched again: no longer damage, but counted.
  const lacks = isLacking || repaired.setAside.length > 0;
  if (of !== undefined && lacks && (await warcsBeganAt(of)) !== null) await warcsBeginNow(of);
  return repaired;
}

async function repairPair(folder: string, { base }: WarcPair, repaired: RepairedWarcs, fs: FileSystem): Promise<void> {
  const [warc, index] = [base + WARC_SUFFIX, base + CDXJ_SUFFIX];
  const path = join(folder, warc);
  const { records, damaged } = await readWarc(path, warc);
  if (records.length === 0) {
    repaired.setAside.push(await moveAside(folder, warc, fs));
    if ((await namesIn(folder)).includes(index)) repaired.setAside.push(await moveAside(folder, index, fs));
    return;
  }
  if (damaged.length > 0) {
    // First a copy of what is cut, then the WARC, and the index last: after a crash in between, repairing again is enough.
    for (const damage of damaged) repaired.setAside.push(await copyAside(folder, warc, damage, fs));
    await cutOut(path, damaged, fs);
  }
  const whole = damaged.length === 0 ? records : (await readWarc(path, warc)).records;
  await writeIndex(
    join(folder, index),
    whole.map(({ line }) => line),
    fs,
  );
  repaired.reindexed.push(index);
}

async function copyAside(folder: string, name: string, { offset, length }: Damage, fs: FileSystem): Promise<string> {
  const target = await freeName(folder, `${name}-${offset}`, fs);
  const source = await open(join(folder, name), "r");
  try {
    await replaceFile(
      target,
      async (handle) => {
        for await (const part of readRange(source, offset, length)) await handle.writeFile(part);
      },
      { fs },
    );
  } finally {
    await source.close();
  }
  return target;
}

async function cutOut(path: string, damaged: readonly Damage[], fs: FileSystem): Promise<void> {
  const source = await open(path, "r");
  try {
    const { size, mode } = await source.stat();
    await replaceFile(
      path,
      async (handle) => {
        let from = 0;
        for (const { offset, length } of [...damaged, { offset: size, length: 0 }]) {
          for await (const part of readRange(source, from, offset - from)) await handle.writeFile(part);
          from = offset + length;
        }
      },
      { permissions: mode & 0o777, fs },
    );
  } finally {
    await source.close();
  }
}

async function moveAside(folder: string, name: string, fs: FileSystem): Promise<string> {
  const target = await freeName(folder, name, fs);
  await fs.rename(join(folder, name), target);
  await fs.syncFolder(folder);
  await fs.syncFolder(join(folder, QUARANTINE));
  return target;
}

/** A name in quarantine that no earlier repair has used. */
async function freeName(folder: string, name: string, fs: FileSystem): Promise<string> {
  const quarantine = join(folder, QUARANTINE);
  await makeFolder(quarantine, fs);
  const taken = new Set(await namesIn(quarantine));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return join(quarantine, free);
}
