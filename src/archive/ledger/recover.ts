/** Reads the files of a ledger back: what was committed is taken in, what a crash left behind the last commit is cut off. */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LaneState } from "../../kernel/lane.ts";
import { TEMPORARY_SUFFIX } from "../../storage/durable.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { type Commit, checkAt, decodeCommit, historyOf } from "./commit-line.ts";
import { damaged } from "./damage.ts";
import { checkOf } from "./fetched-line.ts";
import { decodeRow, type Row } from "./frontier-line.ts";
import type { KeptNote } from "./kept-note.ts";
import type { LedgerFiles } from "./ledger-files.ts";
import { linesAt } from "./lines-at.ts";
import { decodeRobots, type KeptRobots } from "./robots-line.ts";
import { checkCount, cut, scan } from "./scan.ts";
import { SettledFacts } from "./settled-facts.ts";
import { DONE, FAILED, REFUSED, TaskIndex, UNKNOWN } from "./task-index.ts";

export interface Recovery {
  index: TaskIndex;
  /** The last commit; -1 when there never was one. */
  commit: number;
  /** The length that the record log had then; null when there never was a commit. */
  records: number | null;
  lanes: Map<string, LaneState>;
  notes: Map<string, KeptNote>;
  settled: SettledFacts;
  /** Bytes of frontier.jsonl that are of no use any more. */
  dead: number;
  /** Bytes of commits.jsonl that are needed for ever. */
  history: number;
}

type Notice = (text: string) => void;

export async function recover(files: LedgerFiles, onNotice: Notice): Promise<Recovery> {
  const recovery: Recovery = {
    index: new TaskIndex(),
    commit: -1,
    records: null,
    lanes: new Map(),
    notes: new Map(),
    settled: new SettledFacts(),
    dead: 0,
    history: 0,
  };
  await removeLeftovers(files);
  const retries = new Map<number, { attempt: number; notBefore: number; commit: number }>();
  const last = await readCommits(files, recovery, onNotice, (commit) => {
    for (const [id, attempt, notBefore] of commit.retried ?? []) {
      retries.set(id, { attempt, notBefore, commit: commit.commit });
    }
  });
  if (last === null) {
    await refuseOrphans(files);
    return recovery;
  }
  await readRefused(files, recovery, last, onNotice);
  await readFrontier(files, recovery, last, onNotice, (row) => {
    const retry = retries.get(row.id);
    // A retry from before it was refused and admitted again is of no concern.
    if (retry !== undefined && retry.commit >= row.commit) recovery.index.retry(row.id, retry.attempt, retry.notBefore);
  });
  await readRobots(files, recovery, last, onNotice);
  return recovery;
}

/** A crash while a file was being rewritten leaves the unfinished copy. */
async function removeLeftovers(files: LedgerFiles): Promise<void> {
  for (const { path } of files.all()) {
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY_SUFFIX)) {
        await files.fs.rm(join(dirname(path), name));
      }
    }
  }
}

/** Without any commit all lines would count as unfinished: cutting them off would throw a whole workspace away. */
async function refuseOrphans(files: LedgerFiles): Promise<void> {
  if (files.all().some((file) => file !== files.commits && file.length > 0)) {
    throw damaged(files.commits.path, 1, "is missing, while the files beside it are not empty");
  }
}

/** Takes in the commits, each with its lines of fetched_urls.txt. Gives the last of them. */
async function readCommits(
  files: LedgerFiles,
  recovery: Recovery,
  onNotice: Notice,
  onCommit: (commit: Commit) => void,
): Promise<Commit | null> {
  const fetched = readLines(files.fetched.path);
  let lines = 0;
  let fetchedEnd = 0;
  let last: Commit | null = null;
  const takeFetched = async (commit: Commit): Promise<void> => {
    let index = 0;
    for (const [lane, state, tasks, reason] of commit.settled ?? []) {
      for (const task of tasks) {
        const [id, place] = typeof task === "number" ? [task, task] : task;
        const line = (await fetched.next()).value as Line | undefined;
        lines++;
        if (line === undefined) throw damaged(files.fetched.path, lines, "is missing");
        if (line.flaw !== null || checkOf(line.bytes) !== checkAt(commit.checks!, index++)) {
          throw damaged(files.fetched.path, lines, "is not what was written there");
        }
        recovery.index.setState(id, state === "done" ? DONE : FAILED);
        recovery.index.locate(id, line.offset);
        recovery.settled.add(id, place, lane, reason);
        fetchedEnd = line.offset + line.length + 1;
      }
    }
  };
  const take = async (commit: Commit, { number }: Line): Promise<void> => {
    if (commit.commit <= recovery.commit) throw damaged(files.commits.path, number, "is out of order");
    await takeFetched(commit);
    recovery.commit = commit.commit;
    recovery.records = commit.records ?? recovery.records;
    recovery.history += historyOf(commit).length;
    for (const [lane, state] of commit.lanes ?? []) recovery.lanes.set(lane, state);
    for (const [key, value] of commit.notes ?? []) {
      recovery.notes.set(key, { value, commit: commit.commit, line: null });
    }
    onCommit(commit);
    last = commit;
  };
  try {
    const { end } = await scan(files.commits, decodeCommit, () => true, take);
    await cut(files.commits, end, onNotice);
  } finally {
    await fetched.return(undefined);
  }
  if (last !== null) await cut(files.fetched, fetchedEnd, onNotice);
  return last;
}

async function readRefused(files: LedgerFiles, { index }: Recovery, last: Commit, onNotice: Notice): Promise<void> {
  let ofLast = 0;
  const { end, last: lastLine } = await scan(files.refused, decodeRow, isCommitted(last), (row, { offset }) => {
    if (row.commit === last.commit) ofLast++;
    const before = index.state(row.id);
    if (before === DONE || before === FAILED) return;
    index.setState(row.id, REFUSED);
    if (before === UNKNOWN) index.locate(row.id, offset);
    else index.moveTo(row.id, offset);
  });
  checkCount(files.refused, lastLine, ofLast, last.lines?.[1] ?? 0);
  await cut(files.refused, end, onNotice);
}

async function readFrontier(
  files: LedgerFiles,
  recovery: Recovery,
  last: Commit,
  onNotice: Notice,
  onOpen: (row: Row) => void,
): Promise<void> {
  const { index } = recovery;
  let ofLast = 0;
  const { end, last: lastLine } = await scan(
    files.frontier,
    decodeRow,
    isCommitted(last),
    async (row, { offset, length }) => {
      if (row.commit === last.commit) ofLast++;
      const before = index.state(row.id);
      const isOpen = before === UNKNOWN || (before === REFUSED && (await refusedBy(files, index, row.id)) < row.commit);
      if (!isOpen) {
        recovery.dead += length + 1;
        return;
      }
      if (before === REFUSED) index.unlocate(row.id);
      index.enter(row.id, row.lane, row.place, offset);
      onOpen(row);
    },
  );
  checkCount(files.frontier, lastLine, ofLast, last.lines?.[0] ?? 0);
  await cut(files.frontier, end, onNotice);
}

/** The commit that refused a key: what came later counts, its line there or the one in the frontier. */
async function refusedBy(files: LedgerFiles, index: TaskIndex, id: number): Promise<number> {
  const [line] = await linesAt(files.refused, [index.offset(id)]);
  return decodeRow(line!)!.commit;
}

async function readRobots(files: LedgerFiles, { notes }: Recovery, last: Commit, onNotice: Notice): Promise<void> {
  const { end } = await scan<KeptRobots>(files.robots, decodeRobots, isCommitted(last), ({ note, commit }, line) => {
    // The same key may have been kept in the commits before or since.
    if ((notes.get(note.key)?.commit ?? -1) > commit) return;
    notes.set(note.key, { value: note.value, commit, line: { offset: line.offset, bytes: line.length + 1 } });
  });
  await cut(files.robots, end, onNotice);
}

const isCommitted =
  (last: Commit) =>
  ({ commit }: { commit: number }): boolean =>
    commit <= last.commit;
