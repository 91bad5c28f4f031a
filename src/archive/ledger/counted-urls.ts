/**
 * The URLs that a ledger counts as fetched, read without opening it: lines of fetched_urls.txt that a commit names. Those
 * behind the last commit were written when the process died. Where commits are lost, their lines go on counting.
 */
import { align } from "./align.ts";
import { decodeFetched } from "./fetched-line.ts";
import { type FetchedLine, fetchedLines } from "./fetched-lines.ts";
import type { LedgerPaths } from "./ledger-paths.ts";
import { RepairedCommits } from "./repaired-commits.ts";

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
