/** Reads the files of a ledger back: takes in what was committed, and finds what a crash left after the last commit. */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LaneState } from "../../kernel/lane.ts";
import type { Known } from "../../kernel/ledger.ts";
import type { AppendFile } from "../../storage/append-file.ts";
import { TEMPORARY_SUFFIX } from "../../storage/durable.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { type Commit, checkAt, checkOf, decodeFetched, historyBytes, type Marked } from "./commit-line.ts";
import { type ReadCommits, readCommitted, readLinesOf } from "./committed-lines.ts";
import { decodeRow, type Row } from "./frontier-line.ts";
import { damaged, type LedgerFiles, linesAt, refuseDamage } from "./ledger-files.ts";
import { Refetches } from "./refetches.ts";
import { decodeRobots, type KeptNote } from "./robots-line.ts";
import { Column, DONE, FAILED, OPEN, REFUSED, TaskIndex, UNKNOWN } from "./task-index.ts";

export interface Recovery {
  index: TaskIndex;
  /** What the commits say: the last commit, and what the commits vouch for. */
  commits: ReadCommits;
  lanes: Map<string, LaneState>;
  notes: Map<string, KeptNote>;
  settled: SettledFacts;
  refetches: Refetches;
  /** Bytes of frontier.jsonl that are dead. */
  dead: number;
  /** Lines of refused.jsonl that no longer count: the URL was admitted after all, or refused for another reason. */
  outdated: number;
  /** Bytes of commits.jsonl that are needed forever. */
  history: number;
  /** Where the lines that count end in each file. Nothing is cut off until everything is known to be intact. */
  ends: Map<AppendFile, number>;
}

export async function recover(files: LedgerFiles): Promise<Recovery> {
  const retries = new Map<number, { attempt: number; notBefore: number; commit: number }>();
  const recovery = await readCommits(files, (commit) => {
    for (const [id, attempt, notBefore] of commit.retried ?? []) {
      retries.set(id, { attempt, notBefore, commit: commit.commit });
    }
  });
  if (recovery.commits.last === null) {
    await refuseOrphans(files);
    return recovery;
  }
  await readRefused(files, recovery);
  await readFrontier(files, recovery, (row) => {
    const retry = retries.get(row.id);
    // A retry from before the URL was refused and admitted again no longer matters.
    if (retry !== undefined && retry.commit >= row.commit) recovery.index.retry(row.id, retry.attempt, retry.notBefore);
  });
  await readRobots(files, recovery);
  return recovery;
}

/** A crash while a file is being rewritten leaves an unfinished copy. */
export async function removeLeftovers(files: LedgerFiles): Promise<void> {
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
    throw damaged(files.commits.path, 1, "is missing, but the files next to it are not empty");
  }
}

/** Takes in the commits, each with its lines of fetched_urls.txt. */
async function readCommits(files: LedgerFiles, onCommit: (commit: Commit) => void): Promise<Recovery> {
  const recovery: Omit<Recovery, "commits"> = {
    index: new TaskIndex(),
    lanes: new Map(),
    notes: new Map(),
    settled: new SettledFacts(),
    refetches: new Refetches(),
    dead: 0,
    outdated: 0,
    history: 0,
    ends: new Map(),
  };
  const { path } = files.fetched;
  const fetched = readLines(path);
  let lines = 0;
  let fetchedEnd = 0;
  const takeFetched = async (commit: Commit): Promise<void> => {
    let index = 0;
    for (const [lane, state, tasks, reason] of commit.settled ?? []) {
      for (const task of tasks) {
        const [id, place] = typeof task === "number" ? [task, task] : task;
        const line = (await fetched.next()).value as Line | undefined;
        lines++;
        if (line === undefined) throw damaged(path, lines, "is missing");
        if (line.flaw !== null || checkOf(line.bytes) !== checkAt(commit.checks!, index++)) {
          throw damaged(path, lines, "does not match what was written");
        }
        recovery.index.setState(id, state === "done" ? DONE : FAILED);
        recovery.index.locate(id, line.offset);
        recovery.settled.add(id, place, lane, reason);
        fetchedEnd = line.offset + line.length + 1;
      }
    }
  };
  const take = async (commit: Commit): Promise<void> => {
    await takeFetched(commit);
    takeRefetched(recovery, commit);
    recovery.history += historyBytes(commit);
    for (const [lane, state] of commit.lanes ?? []) recovery.lanes.set(lane, state);
    for (const [key, value] of commit.notes ?? []) {
      recovery.notes.set(key, { value, commit: commit.commit, line: null });
    }
    onCommit(commit);
  };
  try {
    const commits = await readCommitted(files.paths, refuseDamage, take);
    if (commits.isClosed && files.fetched.length > fetchedEnd) throw damaged(path, lines + 1, "was added");
    recovery.ends.set(files.commits, commits.end);
    if (commits.last !== null) recovery.ends.set(files.fetched, fetchedEnd);
    files.setRunning("commits", commits.running);
    return { ...recovery, commits };
  } finally {
    await fetched.return(undefined);
  }
}

/** Takes in the lines of a file that count. */
async function readLinesInto<T extends { commit: number }>(
  files: LedgerFiles,
  { commits, ends }: Recovery,
  name: Marked,
  decode: (bytes: Buffer) => T | null,
  take: (decoded: T, line: Line) => void | Promise<void>,
): Promise<void> {
  const { end, running } = await readLinesOf(files.paths, { name, commits, decode }, refuseDamage, take);
  ends.set(files[name], end);
  files.setRunning(name, running);
}

async function readRefused(files: LedgerFiles, recovery: Recovery): Promise<void> {
  const { index } = recovery;
  await readLinesInto(files, recovery, "refused", decodeRow, (row, { offset }) => {
    const before = index.state(row.id);
    if (before === DONE || before === FAILED) {
      recovery.outdated++;
      return;
    }
    if (before === REFUSED) recovery.outdated++;
    index.setState(row.id, REFUSED);
    if (before === UNKNOWN) index.locate(row.id, offset);
    else index.moveTo(row.id, offset);
  });
}

/** Tasks that were fetched again: their lines of fetched_urls.txt are those of the first fetch. */
function takeRefetched({ index, settled, refetches }: Omit<Recovery, "commits">, commit: Commit): void {
  refetches.take(commit);
  for (const [lane, state, tasks, reason] of commit.refetched ?? []) {
    for (const task of tasks) {
      const [id, place] = typeof task === "number" ? [task, task] : task;
      index.setState(id, state === "done" ? DONE : FAILED);
      settled.add(id, place, lane, reason);
    }
  }
}

async function readFrontier(files: LedgerFiles, recovery: Recovery, onOpen: (row: Row) => void): Promise<void> {
  const { index } = recovery;
  await readLinesInto(files, recovery, "frontier", decodeRow, async (row, { offset, length }) => {
    const before = index.state(row.id);
    const isRefetched = (before === DONE || before === FAILED) && recovery.refetches.isOpenAgain(row);
    const isOpen =
      before === UNKNOWN || isRefetched || (before === REFUSED && (await refusedBy(files, index, row.id)) < row.commit);
    if (!isOpen) {
      recovery.dead += length + 1;
      return;
    }
    if (before === REFUSED || isRefetched) index.unlocate(row.id);
    if (before === REFUSED) recovery.outdated++;
    index.enter(row.id, row.lane, row.place, offset);
    onOpen(row);
  });
}

/** The commit that refused a key. The later line counts: this one or the one in the frontier. */
async function refusedBy(files: LedgerFiles, index: TaskIndex, id: number): Promise<number> {
  const [line] = await linesAt(files.refused, [index.offset(id)]);
  return decodeRow(line!)!.commit;
}

async function readRobots(files: LedgerFiles, recovery: Recovery): Promise<void> {
  const { notes } = recovery;
  await readLinesInto(files, recovery, "robots", decodeRobots, ({ note, commit }, line) => {
    // The same key may have been stored in the commits, earlier or later.
    if ((notes.get(note.key)?.commit ?? -1) > commit) return;
    notes.set(note.key, { value: note.value, commit, line: { offset: line.offset, bytes: line.length + 1 } });
  });
}

/** Few enough to be collected while young, so that opening a ledger needs no more memory than keeping it open. */
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
  const { id, place, key, lane, verdict, refetch } = decodeRow(line)!;
  return {
    id,
    place,
    key,
    lane,
    action: verdict.action,
    reason: verdict.reason,
    state,
    ...(refetch && { again: true }),
  };
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
