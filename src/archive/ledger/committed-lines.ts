/**
 * Reads what counts in the files of a ledger, and reports what is not as it was committed. Opening a ledger stops at
 * the first report; `verify` collects them all. This file changes nothing.
 *
 * What a crash leaves is not damage: one unfinished commit, and lines of the commit that should have followed. A closed
 * ledger has neither.
 */
import { basename } from "node:path";
import { follows, readSum } from "../../storage/line-sums.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { type Commit, decodeCommit, isOldCommit, type Marked } from "./commit-line.ts";
import type { LedgerPaths } from "./ledger-files.ts";
import { readSeal, type StoredSeal, sealSince } from "./seal.ts";

/** Throws to stop reading. */
export type OnDamage = (path: string, line: number, what: string) => void;

export interface ReadCommits {
  last: Commit | null;
  /** Where the last good line ends, its number, and the running sum there. */
  end: number;
  lines: number;
  running: number;
  /** Written before there were sums, so only a few kinds of damage can be noticed. */
  isOld: boolean;
  /** The ledger was closed after the last commit. */
  isClosed: boolean;
  /** The running sums that each file may have now. */
  sums: Record<Marked, number[]>;
  records: NonNullable<Commit["records"]> | null;
}

/** The running sums that are certain. */
export function certainSums({ sums }: ReadCommits): Record<Marked, number | null> {
  const only = (name: Marked): number | null => (sums[name].length === 1 ? sums[name][0]! : null);
  return { frontier: only("frontier"), refused: only("refused"), robots: only("robots") };
}

const IS_DAMAGED = "is damaged";

export async function readCommitted(
  paths: LedgerPaths,
  onDamage: OnDamage,
  take: (commit: Commit, line: Line) => void | Promise<void>,
): Promise<ReadCommits> {
  const read: ReadCommits = {
    last: null,
    end: 0,
    lines: 0,
    running: 0,
    isOld: false,
    isClosed: false,
    sums: { frontier: [0], refused: [0], robots: [0] },
    records: null,
  };
  const seal = await readSeal(paths.seal);
  let unfinished: Line[] = [];
  for await (const line of readLines(paths.commits)) {
    const commit = line.flaw === null ? decodeCommit(line.bytes) : null;
    if (commit === null) {
      unfinished.push(line);
      continue;
    }
    for (const { number } of unfinished) onDamage(paths.commits, number, IS_DAMAGED);
    unfinished = [];
    if (read.last === null) read.isOld = isOldCommit(line.bytes);
    const before = read.last?.commit ?? -1;
    if (commit.commit <= before) onDamage(paths.commits, line.number, "is out of order");
    else {
      const sum = read.isOld ? null : readSum(line.bytes);
      if (!read.isOld && (sum === null || !follows(sum, read.running))) {
        onDamage(paths.commits, line.number, "does not follow the line before it");
      }
      read.running = sum?.running ?? 0;
      addSums(read, commit);
      const taken = take(commit, line);
      if (taken !== undefined) await taken;
      read.last = commit;
    }
    read.end = line.offset + line.length + 1;
    read.lines = line.number;
  }
  if (!read.isOld) checkEnd(paths, { read, unfinished, seal: await sealSince(paths.seal, seal) }, onDamage);
  return read;
}

function addSums(read: ReadCommits, { sums = {}, rewrites = {}, records }: Commit): void {
  for (const [name, sum] of Object.entries(sums)) read.sums[name as Marked] = [sum];
  for (const [name, sum] of Object.entries(rewrites)) read.sums[name as Marked].push(sum);
  read.records = records ?? read.records;
}

/** Whether commits are missing at the end, or were added. */
function checkEnd(
  paths: LedgerPaths,
  { read, unfinished, seal }: { read: ReadCommits; unfinished: readonly Line[]; seal: StoredSeal },
  onDamage: OnDamage,
): void {
  const last = read.last?.commit ?? -1;
  if (seal === "missing") {
    // The seal comes first. Without any commit, this ledger is new, or was cut short before there were seals.
    if (last >= 0 || unfinished.length > 1) onDamage(paths.seal, 1, "is missing");
    return;
  }
  if (seal === "damaged") {
    onDamage(paths.seal, 1, IS_DAMAGED);
    return;
  }
  read.isClosed = seal.closed;
  const isTorn = !seal.closed && last >= seal.commit && !unfinished.some((line) => claims(line) > last + 1);
  if (!isTorn) for (const { number } of unfinished) onDamage(paths.commits, number, IS_DAMAGED);
  if (last < seal.commit && unfinished.length === 0) onDamage(paths.commits, read.lines + 1, "is missing");
  if (seal.closed && last > seal.commit) onDamage(paths.commits, read.lines, "was added after the ledger was closed");
}

/** The number that a bad line of commits.jsonl begins with: commits are written one by one, so a crash cuts short one only. */
export function claims({ bytes }: Line): number {
  const [, number = "-1"] = /^\{"commit":(\d{1,15}),/.exec(bytes.subarray(0, 30).toString("latin1")) ?? [];
  return Number(number);
}

export interface LinesToRead<T> {
  name: Marked;
  commits: ReadCommits;
  decode: (bytes: Buffer) => T | null;
}

/** Returns where the last line that counts ends, and its number. What follows it was left by a crash. */
export async function readLinesOf<T extends { commit: number }>(
  paths: LedgerPaths,
  { name, commits, decode }: LinesToRead<T>,
  onDamage: OnDamage,
  take: (decoded: T, line: Line) => void | Promise<void>,
): Promise<{ end: number; running: number; isUnfinished: boolean }> {
  const path = paths[name];
  const { isOld, isClosed, sums } = commits;
  const last = commits.last?.commit ?? -1;
  let unfinished: number[] = [];
  let isMissing = false;
  let [end, running, lines, ofLast] = [0, 0, 0, 0];
  for await (const line of readLines(path)) {
    const sum = line.flaw === null ? readSum(line.bytes) : null;
    const decoded = line.flaw === null && (sum !== null || isOld) ? decode(line.bytes) : null;
    if (decoded === null || decoded.commit > last) {
      unfinished.push(line.number);
      isMissing ||= decoded !== null && decoded.commit > last + 1;
      continue;
    }
    for (const number of unfinished) onDamage(path, number, IS_DAMAGED);
    const isNext = isOld || follows(sum!, running) || unfinished.length > 0;
    if (!isNext) onDamage(path, line.number, "does not follow the line before it");
    unfinished = [];
    running = sum?.running ?? 0;
    if (decoded.commit === last) ofLast++;
    const taken = take(decoded, line);
    if (taken !== undefined) await taken;
    end = line.offset + line.length + 1;
    lines = line.number;
  }
  const written = name === "robots" ? 0 : (commits.last?.lines?.[name === "frontier" ? 0 : 1] ?? 0);
  // A file that was being replaced may be the old one or the new one; once the ledger was closed, it is the new one.
  const isExpected = isClosed ? sums[name].at(-1) === running : sums[name].includes(running);
  const isShort = isOld ? ofLast < written : !isExpected;
  if (isShort || (isClosed && unfinished.length > 0)) {
    for (const number of unfinished) onDamage(path, number, IS_DAMAGED);
    if (unfinished.length === 0) onDamage(path, lines + 1, "is missing");
  } else if (isMissing && !isOld) {
    onDamage(paths.commits, commits.lines + 1, `is missing, although ${basename(path)} has lines of a later one`);
  }
  return { end, running, isUnfinished: unfinished.length > 0 };
}
