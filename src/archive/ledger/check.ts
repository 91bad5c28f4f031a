/**
 * Finds the damaged lines of a ledger without changing it. A bad line is damage when a good one follows. At the end of
 * a file it is something that a crash interrupted, or that a run is writing at this moment.
 */
import { basename } from "node:path";
import { readLines } from "../../storage/read-lines.ts";
import { decodeCommit, decodeFetched, type FetchedLine, fetchedLines } from "./commit-line.ts";
import { decodeRow } from "./frontier-line.ts";
import type { LedgerPaths } from "./ledger-files.ts";
import { align, RepairedCommits } from "./repaired-commits.ts";
import { decodeRobots } from "./robots-line.ts";

export interface DamagedLine {
  file: string;
  line: number;
}

export async function checkLedger(paths: LedgerPaths): Promise<DamagedLine[]> {
  const commits = new RepairedCommits(paths.commits);
  await commits.read(async () => {});
  const { last } = commits;
  // Nothing says which lines count. A first commit that was cut short explains that; a missing one does not.
  if (commits.isEmpty) return (await isWithoutCommits(paths)) ? [{ file: basename(paths.commits), line: 1 }] : [];
  const [inFrontier, inRefused] = commits.lastLines;
  return [
    ...(await badLines(paths.commits, (bytes) => decodeCommit(bytes) !== null)),
    ...(await badFetched(paths.fetched, commits)),
    ...(await badRows(paths.frontier, last, inFrontier)),
    ...(await badRows(paths.refused, last, inRefused)),
    ...(await badLines(paths.robots, (bytes) => (decodeRobots(bytes)?.commit ?? Number.POSITIVE_INFINITY) <= last)),
  ];
}

/**
 * The last commit says how many lines it added: otherwise a file that was cut off between two lines would look intact.
 */
async function badRows(path: string, last: number, written: number): Promise<DamagedLine[]> {
  let ofLast = 0;
  let lines = 0;
  const bad = await badLines(path, (bytes) => {
    const row = decodeRow(bytes);
    if (row === null || row.commit > last) return false;
    if (row.commit === last) ofLast++;
    lines++;
    return true;
  });
  return ofLast < written && bad.length === 0 ? [{ file: basename(path), line: lines + 1 }] : bad;
}

async function isWithoutCommits({ commits, fetched, frontier }: LedgerPaths): Promise<boolean> {
  for await (const { flaw } of readLines(commits)) return flaw !== "torn";
  for (const path of [fetched, frontier]) for await (const _ of readLines(path)) return true;
  return false;
}

async function badLines(path: string, isGood: (bytes: Buffer) => boolean): Promise<DamagedLine[]> {
  const bad: DamagedLine[] = [];
  const unfinished: DamagedLine[] = [];
  for await (const { number, bytes, flaw } of readLines(path)) {
    if (flaw !== null || !isGood(bytes)) unfinished.push({ file: basename(path), line: number });
    else bad.push(...unfinished.splice(0));
  }
  return bad;
}

/** Lines that a commit remembers must be there; other lines may only be at the end. */
async function badFetched(path: string, commits: RepairedCommits): Promise<DamagedLine[]> {
  const file = basename(path);
  const bad: DamagedLine[] = [];
  const unfinished: DamagedLine[] = [];
  let before = 0;
  for await (const { entry, line } of align(commits.entries(), fetchedLines(path))) {
    // A lost line is reported at the position where it should be.
    if (line === null) bad.push({ file, line: before + 1 });
    else {
      before = line.number;
      if (entry === null) unfinished.push({ file, line: before });
      else bad.push(...unfinished.splice(0));
    }
  }
  return bad;
}

/**
 * The URLs that a ledger counts as fetched, read without opening it: the lines of fetched_urls.txt that a commit names.
 * Lines behind the last commit were being written when the process died. Where commits are lost, their lines still count.
 */
export async function* countedUrls(paths: LedgerPaths): AsyncGenerator<string> {
  const commits = new RepairedCommits(paths.commits);
  await commits.read(async () => {});
  const withoutCommit: FetchedLine[] = [];
  for await (const { entry, line, isSpoilt } of align(commits.entries(), fetchedLines(paths.fetched))) {
    if (line === null || isSpoilt) continue;
    withoutCommit.push(line);
    if (entry !== null || commits.isEmpty) yield* urlsOf(withoutCommit.splice(0));
  }
}

function* urlsOf(lines: FetchedLine[]): Generator<string> {
  for (const { bytes } of lines) {
    const url = decodeFetched(bytes.toString());
    if (url !== null) yield url;
  }
}
