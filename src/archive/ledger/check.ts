/** Finds the damaged lines of a ledger without changing it, and reads which URLs it has fetched. */
import { basename } from "node:path";
import { align } from "../../storage/align.ts";
import { readLines } from "../../storage/read-lines.ts";
import { decodeFetched, type FetchedLine, fetchedLines, type Marked } from "./commit-line.ts";
import { type OnDamage, readCommitted, readLinesOf } from "./committed-lines.ts";
import { decodeRow } from "./frontier-line.ts";
import type { LedgerPaths } from "./ledger-files.ts";
import { goodCommits } from "./repaired-commits.ts";
import { decodeRobots } from "./robots-line.ts";

export interface DamagedLine {
  file: string;
  line: number;
  what: string;
}

export async function checkLedger(paths: LedgerPaths): Promise<DamagedLine[]> {
  const damaged: DamagedLine[] = [];
  const onDamage: OnDamage = (path, line, what) => damaged.push({ file: basename(path), line, what });
  const commits = await readCommitted(paths, onDamage, () => {});
  // Nothing says which lines count. A first commit that was cut short explains that; a missing commit does not.
  if (commits.last === null) {
    if (await isWithoutCommits(paths)) onDamage(paths.commits, 1, "is missing, but the files next to it are not empty");
    return damaged;
  }
  await checkFetched(paths, commits.isClosed, onDamage);
  for (const [name, decode] of DECODERS) await readLinesOf(paths, { name, commits, decode }, onDamage, () => {});
  return damaged;
}

const DECODERS: [Marked, (bytes: Buffer) => { commit: number } | null][] = [
  ["frontier", decodeRow],
  ["refused", decodeRow],
  ["robots", decodeRobots],
];

async function isWithoutCommits({ fetched, frontier, refused, robots }: LedgerPaths): Promise<boolean> {
  for (const path of [fetched, frontier, refused, robots]) for await (const _ of readLines(path)) return true;
  return false;
}

/** Lines that a commit remembers must be there. Other lines may only be at the end, where a crash left them. */
async function checkFetched(paths: LedgerPaths, isClosed: boolean, onDamage: OnDamage): Promise<void> {
  const { fetched } = paths;
  const commits = await goodCommits(paths);
  const unfinished: number[] = [];
  let before = 0;
  for await (const { entry, line } of align(commits.entries(), fetchedLines(fetched))) {
    // A lost line is reported at the position where it should be.
    if (line === null) onDamage(fetched, before + 1, "is missing");
    else {
      before = line.number;
      if (entry === null) unfinished.push(before);
      else for (const number of unfinished.splice(0)) onDamage(fetched, number, "does not match what was written");
    }
  }
  if (isClosed) for (const number of unfinished) onDamage(fetched, number, "was added");
}

/**
 * The URLs that a ledger counts as fetched, read without opening it: the lines of fetched_urls.txt that a commit names.
 * Lines after the last commit were being written when the process died. Where commits are lost, their lines still
 * count.
 */
export async function* countedUrls(paths: LedgerPaths): AsyncGenerator<string> {
  const commits = await goodCommits(paths);
  const withoutCommit: FetchedLine[] = [];
  for await (const { entry, line, isSpoilt } of align(commits.entries(), fetchedLines(paths.fetched))) {
    if (line === null || isSpoilt) continue;
    withoutCommit.push(line);
    if (entry !== null || commits.isEndLost) yield* urlsOf(withoutCommit.splice(0));
  }
}

/** The URLs that a ledger gave up on, in the order in which they ended. */
export async function* failedUrls(paths: LedgerPaths): AsyncGenerator<string> {
  const commits = await goodCommits(paths);
  for await (const { entry, line } of align(commits.entries(), fetchedLines(paths.fetched))) {
    if (entry?.state === "failed" && line !== null) yield* urlsOf([line]);
  }
}

function* urlsOf(lines: FetchedLine[]): Generator<string> {
  for (const { bytes } of lines) {
    const url = decodeFetched(bytes.toString());
    if (url !== null) yield url;
  }
}
