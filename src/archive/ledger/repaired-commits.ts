/** The commits of a ledger under repair: what the good ones said, and the new ones that repeat it. */
import type { LaneState } from "../../kernel/lane.ts";
import { CRAWL } from "../../kernel/task.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { checkAt, decodeCommit, encodeCommit, encodeSettled, type SettledTask } from "./commit-line.ts";
import type { KeptRobots } from "./robots-line.ts";

/** A task that a commit says has ended, with the check of its line in fetched_urls.txt. */
export interface Entry {
  id: number;
  place: number;
  lane: string;
  state: "done" | "failed";
  reason: string | null;
  check: number;
}

/** Ended tasks that share a line of the new commits. */
const TASKS_PER_LINE = 1_000;

export class RepairedCommits {
  readonly #path: string;
  /** The last good commit; 0 if there isn't one. */
  last = 0;
  isEmpty = true;
  /** Lines that the last good commit added to frontier.jsonl and refused.jsonl. */
  lastLines: [frontier: number, refused: number] = [0, 0];
  /** The length of the record log after the last good commit; null when no commit says. */
  records: number | null = null;
  readonly #bad = new Set<number>();
  readonly #lanes = new Map<string, LaneState>();
  readonly #notes = new Map<string, { value: string; commit: number }>();
  readonly #retried = new Map<number, [id: number, attempt: number, notBefore: number]>();
  #tasks: SettledTask[] = [];
  readonly #lines: string[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async read(onBad: (line: Line) => Promise<void>): Promise<void> {
    for await (const line of readLines(this.#path)) {
      const commit = line.flaw === null ? decodeCommit(line.bytes) : null;
      if (commit === null || (!this.isEmpty && commit.commit <= this.last)) {
        this.#bad.add(line.number);
        await onBad(line);
        continue;
      }
      this.isEmpty = false;
      this.last = commit.commit;
      this.lastLines = commit.lines ?? [0, 0];
      this.records = commit.records ?? this.records;
      for (const [lane, state] of commit.lanes ?? []) this.#lanes.set(lane, state);
      for (const [key, value] of commit.notes ?? []) this.#notes.set(key, { value, commit: commit.commit });
      for (const retry of commit.retried ?? []) this.#retried.set(retry[0], retry);
    }
  }

  /** What the good commits say has ended, in the order of fetched_urls.txt. */
  async *entries(): AsyncGenerator<Entry> {
    for await (const { number, bytes } of readLines(this.#path)) {
      if (this.#bad.has(number)) continue;
      const { settled = [], checks = "" } = decodeCommit(bytes)!;
      let at = 0;
      for (const [lane, state, tasks, reason] of settled) {
        for (const task of tasks) {
          const [id, place] = typeof task === "number" ? [task, task] : task;
          yield { id, place, lane, state, reason, check: checkAt(checks, at++) };
        }
      }
    }
  }

  keep({ id, place, lane, state, reason }: Entry, key: string): void {
    this.#tasks.push({ row: { id, place, lane, key, verdict: { ...CRAWL, reason } }, state });
    if (this.#tasks.length >= TASKS_PER_LINE) this.#write();
  }

  /** A note that has a line of its own by now must not come back from an old commit. */
  supersede(robots: KeptRobots | null): KeptRobots | null {
    if (robots !== null && (this.#notes.get(robots.note.key)?.commit ?? robots.commit) < robots.commit) {
      this.#notes.delete(robots.note.key);
    }
    return robots;
  }

  /** URLs that count as fetched although no commit says so. Their lines come last. */
  adopt(tasks: { id: number; place: number; lane: string; key: string }[]): void {
    for (const { id, place, lane, key } of tasks) {
      this.keep({ id, place, lane, state: "done", reason: null, check: 0 }, key);
    }
  }

  /** All commits, rewritten. `recordsLength` is that of a record log that was repaired as well. */
  text(recordsLength: number | null): string {
    this.#write();
    const records = recordsLength ?? this.records;
    const now = encodeCommit({
      commit: Math.max(this.last, this.#lines.length) + 1,
      lines: [0, 0],
      ...(records !== null && { records }),
      retried: [...this.#retried.values()],
      lanes: [...this.#lanes],
      notes: [...this.#notes].map(([key, { value }]) => [key, value]),
    });
    return this.#lines.join("") + now;
  }

  #write(): void {
    if (this.#tasks.length === 0) return;
    const { settled, checks } = encodeSettled(this.#tasks);
    this.#lines.push(encodeCommit({ commit: this.#lines.length, settled, checks }));
    this.#tasks = [];
  }
}

/**
 * The length of the record log after the last good commit; null if there isn't one. Later records never counted:
 * whoever repairs the log must cut them off first, or their pages, which are open, would be recorded twice.
 */
export async function committedRecords(commitsPath: string): Promise<number | null> {
  const commits = new RepairedCommits(commitsPath);
  await commits.read(async () => {});
  return commits.records;
}

interface Checked {
  check: number;
}

/**
 * Both: they belong together. Only one: the other is lost, or never existed. `isSpoilt`: a line in place of a lost one.
 */
interface Pair<Entry, Line> {
  entry: Entry | null;
  line: Line | null;
  isSpoilt: boolean;
}

/** How far to look first for a point where both sides agree again; doubled each time that is not enough. */
const FIRST_LOOK = 64;

/** Pairs what commits say was fetched with the lines that are there, even where lines were lost, added or changed. */
export async function* align<Entry extends Checked, Line extends Checked>(
  entries: AsyncIterable<Entry>,
  lines: AsyncIterable<Line>,
): AsyncGenerator<Pair<Entry, Line>> {
  const left = new LookAhead(entries);
  const right = new LookAhead(lines);
  for (;;) {
    const [entry] = await left.see(1);
    const [line] = await right.see(1);
    if (entry === undefined && line === undefined) return;
    const isPair = entry !== undefined && line !== undefined && entry.check === line.check;
    const [lost, extra] = isPair ? [0, 0] : await meeting(left, right);
    for (let at = 0; at < lost; at++) yield { entry: left.shift(), line: null, isSpoilt: false };
    for (let at = 0; at < extra; at++) yield { entry: null, line: right.shift(), isSpoilt: at < lost };
    if (isPair) yield { entry: left.shift(), line: right.shift(), isSpoilt: false };
  }
}

/** How many of each to skip until both sides agree again; all of them when they never do. */
async function meeting(left: LookAhead<Checked>, right: LookAhead<Checked>): Promise<[lost: number, extra: number]> {
  for (let look = FIRST_LOOK; ; look *= 2) {
    const entries = await left.see(look);
    const lines = await right.see(look);
    const places = new Map<number, number>();
    for (const [at, { check }] of entries.entries()) if (!places.has(check)) places.set(check, at);
    let best: [number, number] | null = null;
    for (const [extra, { check }] of lines.entries()) {
      const lost = places.get(check);
      if (lost !== undefined && (best === null || lost + extra < best[0] + best[1])) best = [lost, extra];
    }
    if (best !== null) return best;
    if (entries.length < look && lines.length < look) return [entries.length, lines.length];
  }
}

class LookAhead<T> {
  readonly #source: AsyncIterator<T>;
  #seen: T[] = [];
  #isDone = false;

  constructor(source: AsyncIterable<T>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next items, at most `count`. */
  async see(count: number): Promise<T[]> {
    while (this.#seen.length < count && !this.#isDone) {
      const { value, done } = await this.#source.next();
      if (done) this.#isDone = true;
      else this.#seen.push(value);
    }
    return this.#seen.length <= count ? this.#seen : this.#seen.slice(0, count);
  }

  shift(): T {
    return this.#seen.shift()!;
  }
}
