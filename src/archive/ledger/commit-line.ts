/**
 * A line of commits.jsonl: one commit. It is written last and synced; while it is not there, nothing of its batch counts.
 *
 * It holds what has no file of its own: which tasks ended (their URLs are in fetched_urls.txt, in the same order), when
 * to try again, the clocks of lanes, and notes.
 */
import { crc32 } from "node:zlib";
import type { LaneState } from "../../kernel/lane.ts";

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

/** Null when the line is not whole: it was torn, or changed by hand. */
export function decodeCommit(bytes: Buffer): Commit | null {
  const text = bytes.subarray(0, -SUM_LENGTH);
  const end = bytes.subarray(-SUM_LENGTH).toString("latin1");
  if (text.length === 0 || end !== `,"sum":"${hexOf(crc32(text))}"}`) return null;
  return JSON.parse(`${text}}`) as Commit;
}

/** What of a commit is needed for ever, as a line; empty when there is nothing. The next commits say the rest anew. */
export const historyOf = ({ commit, settled, checks }: Commit): string =>
  settled === undefined ? "" : encodeCommit({ commit, settled, checks });

export const hexOf = (check: number): string => check.toString(16).padStart(8, "0");

/** The check of the nth line of a commit. */
export const checkAt = (checks: string, index: number): number =>
  Number.parseInt(checks.slice(index * 8, index * 8 + 8), 16);
