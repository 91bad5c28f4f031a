/**
 * The formats of commits.jsonl and fetched_urls.txt, which belong together: the tasks that a commit ended, and their
 * URLs in the same order.
 *
 * A line of commits.jsonl is one commit. It is written last and synced; without it, nothing in its batch counts. It
 * holds what has no file of its own: which tasks ended, when to retry, the clocks of lanes, and notes.
 */
import { crc32 } from "node:zlib";
import type { LaneState } from "../../kernel/lane.ts";
import { readLines } from "../../storage/read-lines.ts";
import type { Row } from "./frontier-line.ts";

/** Tasks that ended one after another in the same way. A task whose place is not its id is a pair. */
export type Run = [
  lane: string,
  state: "done" | "failed",
  tasks: (number | [id: number, place: number])[],
  reason: string | null,
];

export interface Commit {
  commit: number;
  /** Lines it added to frontier.jsonl and refused.jsonl. */
  lines?: [frontier: number, refused: number];
  /** The length of the record log, in bytes, after its records. */
  records?: number;
  settled?: Run[];
  /** A check for each line it added to fetched_urls.txt: eight hexadecimal digits each. */
  checks?: string;
  retried?: [id: number, attempt: number, notBefore: number][];
  lanes?: [lane: string, state: LaneState][];
  notes?: [key: string, value: string][];
}

const SUM_LENGTH = ',"sum":"00000000"}'.length;

export function encodeCommit(commit: Commit): string {
  const text = JSON.stringify(commit).slice(0, -1);
  return `${text},"sum":"${hexOf(crc32(text))}"}\n`;
}

/** Null when the line is not intact: it was torn, or changed by hand. */
export function decodeCommit(bytes: Buffer): Commit | null {
  const text = bytes.subarray(0, -SUM_LENGTH);
  const end = bytes.subarray(-SUM_LENGTH).toString("latin1");
  if (text.length === 0 || end !== `,"sum":"${hexOf(crc32(text))}"}`) return null;
  return JSON.parse(`${text}}`) as Commit;
}

/** The part of a commit that is needed forever, as a line; empty if there isn't one. Later commits repeat the rest. */
export const historyOf = ({ commit, settled, checks }: Commit): string =>
  settled === undefined ? "" : encodeCommit({ commit, settled, checks });

export const hexOf = (check: number): string => check.toString(16).padStart(8, "0");

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

/** Tasks that ended, as lines of fetched_urls.txt and as the runs of the commit that ends them. */
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

/** What the commit remembers of a line, to notice one that was changed, lost or added by hand. */
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
