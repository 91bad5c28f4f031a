/** Rewrites a file of the ledger without its dead parts. A crash leaves the old file or the new one. */
import { readLines } from "../../storage/read-lines.ts";
import { type Commit, decodeCommit, encodeCommit, historyOf } from "./commit-line.ts";
import { decodeRow, idAtEnd } from "./frontier-line.ts";
import type { LedgerFiles } from "./ledger-files.ts";
import type { KeptNote } from "./robots-line.ts";
import { OPEN, type TaskIndex } from "./task-index.ts";

/** A smaller file is not worth rewriting while a crawl runs. */
const LEAST_BYTES = 1 << 20;

/** More than half is dead. So a file is at most twice as long as necessary, and each byte is copied once or twice. */
export const isMostlyDead = (length: number, dead: number, least = LEAST_BYTES): boolean =>
  dead >= least && dead * 2 > length;

/** Tasks that ended leave the frontier. */
export async function compactFrontier(files: LedgerFiles, index: TaskIndex): Promise<void> {
  await files.rewrite("frontier", ({ bytes, offset }) => {
    const id = idOf(bytes);
    return index.state(id) === OPEN && index.offset(id) === offset ? bytes : null;
  });
  for await (const { bytes, offset } of readLines(files.frontier.path)) index.moveTo(idOf(bytes), offset);
}

/** Of past commits only the ended tasks are kept; `now` repeats everything else. */
export function compactCommits(files: LedgerFiles, now: Commit): Promise<void> {
  const keep = (bytes: Buffer): Buffer | null => {
    const history = historyOf(decodeCommit(bytes)!);
    return history === "" ? null : Buffer.from(history.slice(0, -1));
  };
  return files.rewrite("commits", ({ bytes }) => keep(bytes), encodeCommit(now));
}

/** Only the last answer of each origin is kept. */
export async function compactRobots(files: LedgerFiles, notes: ReadonlyMap<string, KeptNote>): Promise<void> {
  const live = new Map<number, KeptNote>();
  for (const note of notes.values()) if (note.line !== null) live.set(note.line.offset, note);
  const moved: KeptNote[] = [];
  await files.rewrite("robots", ({ bytes, offset }) => {
    const note = live.get(offset);
    if (note === undefined) return null;
    moved.push(note);
    return bytes;
  });
  let offset = 0;
  for (const note of moved) {
    note.line = { offset, bytes: note.line!.bytes };
    offset += note.line.bytes;
  }
}

/** A line may have been edited by hand, with its keys in another order. */
const idOf = (bytes: Buffer): number => idAtEnd(bytes) || (decodeRow(bytes)?.id ?? 0);
