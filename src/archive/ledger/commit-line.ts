/**
 * The formats of commits.jsonl and fetched_urls.txt, which belong together: the tasks that a commit ended, and their
 * URLs in the same order.
 *
 * A line of commits.jsonl is one commit. It is written last and synced; without it, nothing in its batch counts. It
 * holds what has no file of its own: which tasks ended, when to retry, the clocks of lanes, and notes.
 */
import { crc32 } from "node:zlib";
import type { LaneState } from "../../kernel/lane.ts";
import { hexOf, readSum, SUM_BYTES } from "../../storage/line-sums.ts";
import { readLines } from "../../storage/read-lines.ts";
import type { Row } from "./frontier-line.ts";

/** Tasks that ended one after another in the same way. A task whose place is not its id is a pair. */
export type Run = [
  lane: string,
  state: "done" | "failed",
  tasks: (number | [id: number, place: number])[],
  reason: string | null,
];

/** The files whose running sums a commit states. */
export const MARKED = ["frontier", "refused", "robots"] as const;
export type Marked = (typeof MARKED)[number];

export interface Commit {
  commit: number;
  /** The running sums of the files that have changed, as they are after the commit. */
  sums?: Partial<Record<Marked, number>>;
  /** The running sums of files that are about to replace these: until the next `sums`, either may be there. */
  rewrites?: Partial<Record<Marked, number>>;
  /**
   * How far the record log goes after its records. A plain number is its length, in ledgers from before there were
   * sums.
   */
  records?: [bytes: number, sum: number] | number;
  /** Lines it added to frontier.jsonl and refused.jsonl, in ledgers from before there were sums. */
  lines?: [frontier: number, refused: number];
  settled?: Run[];
  /** A check for each line it added to fetched_urls.txt: eight hexadecimal digits each. */
  checks?: string;
  /** Tasks that were fetched again: they already have their lines in fetched_urls.txt. */
  refetched?: Run[];
  retried?: [id: number, attempt: number, notBefore: number][];
  lanes?: [lane: string, state: LaneState][];
  notes?: [key: string, value: string][];
}

/** As a JSON object; its sum is added when it is written. */
export const encodeCommit = (commit: Commit): string => JSON.stringify(commit);

/** Null when the line is not intact: it was torn, or changed by hand. */
export function decodeCommit(bytes: Buffer): Commit | null {
  const text = readSum(bytes)?.text ?? oldText(bytes);
  return text === null ? null : (JSON.parse(`${text}}`) as Commit);
}

const OLD_SUM_LENGTH = ',"sum":"00000000"}'.length;

/** Lines used to have only a sum of their own. */
function oldText(bytes: Buffer): Buffer | null {
  const text = bytes.subarray(0, -OLD_SUM_LENGTH);
  const end = bytes.subarray(text.length).toString("latin1");
  return text.length > 0 && end === `,"sum":"${hexOf(crc32(text))}"}` ? text : null;
}

/** Whether a line was written before sums covered the lines before it. */
export const isOldCommit = (bytes: Buffer): boolean => readSum(bytes) === null && oldText(bytes) !== null;

/** The part of a commit that is needed forever; null if there isn't one. Later commits repeat the rest. */
export const historyOf = ({ commit, settled, checks, refetched }: Commit): string | null =>
  settled === undefined && refetched === undefined ? null : encodeCommit({ commit, settled, checks, refetched });

/** How many bytes of the file that part takes up. */
export const historyBytes = (commit: Commit): number => {
  const history = historyOf(commit);
  return history === null ? 0 : Buffer.byteLength(history) + SUM_BYTES;
};

/** The check of the nth line of a commit. */
export const checkAt = (checks: string, index: number): number =>
  Number.parseInt(checks.slice(index * 8, index * 8 + 8), 16);

export interface SettledTask {
  row: Pick<Row, "id" | "place" | "lane" | "key" | "verdict">;
  state: "done" | "failed";
}

export interface SettledLines {
  fetched: string[];
  settled: Run[];
  checks: string;
}

/** Ended tasks, as lines of fetched_urls.txt and as the runs of the commit that ends them. */
export function encodeSettled(tasks: readonly SettledTask[]): SettledLines {
  const fetched = tasks.map(({ row }) => encodeFetched(row.key));
  const settled: Run[] = [];
  for (const { row, state } of tasks) {
    const { id, place, lane, verdict } = row;
    let run = settled.at(-1);
    if (run === undefined || run[0] !== lane || run[1] !== state || run[3] !== verdict.reason) {
      run = [lane, state, [], verdict.reason];
      settled.push(run);
    }
    run[2].push(place === id ? id : [id, place]);
  }
  return { fetched, settled, checks: fetched.map((line) => hexOf(checkOf(line.slice(0, -1)))).join("") };
}

/** URLs are written to fetched_urls.txt as they are, or as a JSON string where they would not survive as a line. */
const PLAIN = /^[^"\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$/;

export const encodeFetched = (url: string): string =>
  // A lone surrogate has no UTF-8 form; JSON writes it as an escape.
  `${PLAIN.test(url) && url.isWellFormed() ? url : JSON.stringify(url)}\n`;

/** Null when the line cannot have been written by `encodeFetched`. */
export function decodeFetched(line: string): string | null {
  if (!line.startsWith('"')) return PLAIN.test(line) ? line : null;
  try {
    const url: unknown = JSON.parse(line);
    return typeof url === "string" ? url : null;
  } catch {
    return null;
  }
}

/** What the commit remembers of a line, to notice a line that was changed, lost or added by hand. */
export const checkOf = (line: string | Buffer): number => crc32(line);

export interface FetchedLine {
  number: number;
  bytes: Buffer;
  check: number;
}

/** The lines of fetched_urls.txt with their checks, to be compared with those that commits remember. */
export async function* fetchedLines(path: string): AsyncGenerator<FetchedLine> {
  for await (const { number, bytes, flaw } of readLines(path)) {
    // A torn line matches nothing: no intact line has this check.
    yield { number, bytes, check: flaw === null ? checkOf(bytes) : -1 };
  }
}
