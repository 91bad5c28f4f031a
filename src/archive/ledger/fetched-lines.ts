/** The lines of fetched_urls.txt with their checks, to be held against what commits remember of them. */
import { readLines } from "../../storage/read-lines.ts";
import { checkOf } from "./fetched-line.ts";

export interface FetchedLine {
  number: number;
  bytes: Buffer;
  check: number;
}

export async function* fetchedLines(path: string): AsyncGenerator<FetchedLine> {
  for await (const { number, bytes, flaw } of readLines(path)) {
    // A torn line matches nothing: its check is that of no whole line.
    yield { number, bytes, check: flaw === null ? checkOf(bytes) : -1 };
  }
}
