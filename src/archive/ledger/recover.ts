/**
 * Reads the files of a ledger back: takes in what was committed, and cuts off what a crash left after the last commit.
 */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LaneState } from "../../kernel/lane.ts";
import type { Known } from "../../kernel/ledger.ts";
import type { AppendFile } from "../../storage/append-file.ts";
import { TEMPORARY_SUFFIX } from "../../storage/durable.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { type Commit, checkAt, checkOf, decodeCommit, decodeFetched, historyOf } from "./commit-line.ts";
import { decodeRow, type Row } from "./frontier-line.ts";
import { checkCount, cut, damaged, type LedgerFiles, linesAt, scan } from "./ledger-files.ts";
import { decodeRobots, type KeptNote, type KeptRobots } from "./robots-line.ts";
import { Column, DONE, FAILED, OPEN, REFUSED, TaskIndex, UNKNOWN } from "./task-index.ts";

export interface Recovery {
  index: TaskIndex;
  /** The last commit; -1 when there has never been one. */
  commit: number;
  /** The length of the record log at that commit; null when there has never been one. */
  records: number | null;
  lanes: Map<string, LaneState>;
  notes: Map<string, KeptNote>;
  settled: SettledFacts;
  /** Bytes of frontier.jsonl that are dead. */
  dead: number;
  /** Bytes of commits.jsonl that are needed forever. */
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
    // A retry from before the URL was refused and admitted again no longer matters.
    if (retry !== undefined && retry.commit >= row.commit) recovery.index.retry(row.id, retry.attempt, retry.notBefore);
  });
  await readRobots(files, recovery, last, onNotice);
  return recovery;
}

/** A crash while a file is being rewritten leaves an unfinished copy. */
async function removeLeftovers(files: LedgerFiles): Promise<void> {
  for (const { path } of files.all()) {
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(`${basename(path)}.`) && name.endsWith(TEMPORARY_SUFFIX)) {
        await files.fs.rm(join(dirname(path), name));
      }
    }
  }
}

/** Without any commit, all lines would count as unfinished: cutting them off would discard a whole workspace. */
async function refuseOrphans(files: LedgerFiles): Promise<void> {
  if (files.all().some((file) => file !== files.commits && file.length > 0)) {
    throw damaged(files.commits.path, 1, "is missing, but the files beside it are not empty");
  }
}

/** Takes in the commits, each with its lines of fetched_urls.txt. Returns the last one. */
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
          throw damaged(files.fetched.path, lines, "does not match what was written");
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

/** The commit that refused a key. The later line counts: this one or the one in the frontier. */
async function refusedBy(files: LedgerFiles, index: TaskIndex, id: number): Promise<number> {
  const [line] = await linesAt(files.refused, [index.offset(id)]);
  return decodeRow(line!)!.commit;
}

async function readRobots(files: LedgerFiles, { notes }: Recovery, last: Commit, onNotice: Notice): Promise<void> {
  const { end } = await scan<KeptRobots>(files.robots, decodeRobots, isCommitted(last), ({ note, commit }, line) => {
    // The same key may have been stored in the commits, earlier or later.
    if ((notes.get(note.key)?.commit ?? -1) > commit) return;
    notes.set(note.key, { value: note.value, commit, line: { offset: line.offset, bytes: line.length + 1 } });
  });
  await cut(files.robots, end, onNotice);
}

const isCommitted =
  (last: Commit) =>
  ({ commit }: { commit: number }): boolean =>
    commit <= last.commit;

/** Few enough to be collected while young: opening a ledger needs no more memory than keeping it open. */
const BLOCK = 1_024;

/**
 * Reports everything a ledger knows, oldest first. The files are in other orders, so a block of ids is read at a time.
 */
export async function tellKnown(
  files: LedgerFiles,
  { index, settled }: Recovery,
  onKnown: (known: Known) => void,
): Promise<void> {
  for (let first = 1; first <= index.highest; first += BLOCK) {
    const known = new Array<Known | undefined>(BLOCK);
    const read = async (file: AppendFile, states: number[], make: (id: number, line: Buffer) => Known) => {
      const ids = idsOf(index, first, states);
      const lines = await linesAt(
        file,
        ids.map((id) => index.offset(id)),
      );
      for (const [at, id] of ids.entries()) known[id - first] = make(id, lines[at]!);
    };
    await read(files.frontier, [OPEN], (_, line) => ofRow(line, "open"));
    await read(files.refused, [REFUSED], (_, line) => ofRow(line, null));
    await read(files.fetched, [DONE, FAILED], (id, line) => {
      const state = index.state(id) === DONE ? "done" : "failed";
      const { place, lane, reason } = settled.get(id);
      return { id, place, key: decodeFetched(line.toString())!, lane, action: "crawl", reason, state };
    });
    for (const each of known) if (each !== undefined) onKnown(each);
    // From here on, only lines of open tasks are needed.
    for (const id of idsOf(index, first, [REFUSED, DONE, FAILED])) index.unlocate(id);
  }
}

function idsOf(index: TaskIndex, first: number, states: readonly number[]): number[] {
  const ids: number[] = [];
  for (let id = first; id < first + BLOCK; id++) if (states.includes(index.state(id))) ids.push(id);
  return ids;
}

function ofRow(line: Buffer, state: "open" | null): Known {
  const { id, place, key, lane, verdict } = decodeRow(line)!;
  return { id, place, key, lane, action: verdict.action, reason: verdict.reason, state };
}

interface Facts {
  lane: string;
  reason: string | null;
}

/** How many kinds of facts a cell can name; usually there is one kind per lane. */
const MOST_KINDS = 0xffff;

/** Lane, reason and place of ended tasks, needed only while a ledger opens. */
class SettledFacts {
  readonly #kindOf = new Column(Uint16Array);
  readonly #kinds: Facts[] = [];
  readonly #numbers = new Map<string, number>();
  /** For the kinds that no longer fit into a cell. */
  readonly #more = new Map<number, Facts>();
  /** Only for tasks whose place is not their id. */
  readonly #places = new Map<number, number>();

  add(id: number, place: number, lane: string, reason: string | null): void {
    if (place !== id) this.#places.set(id, place);
    const name = JSON.stringify([lane, reason]);
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#kinds.push({ lane, reason });
      this.#numbers.set(name, number);
    }
    if (number <= MOST_KINDS) this.#kindOf.set(id, number);
    else this.#more.set(id, this.#kinds[number - 1]!);
  }

  get(id: number): Facts & { place: number } {
    const facts = this.#more.get(id) ?? this.#kinds[this.#kindOf.get(id) - 1]!;
    return { ...facts, place: this.#places.get(id) ?? id };
  }
}
