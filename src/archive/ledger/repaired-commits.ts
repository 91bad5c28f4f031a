/** The commits of a ledger under repair: what the good ones said, and the new ones that repeat it. */
import type { LaneState } from "../../kernel/lane.ts";
import { CRAWL } from "../../kernel/task.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import {
  type Commit,
  checkAt,
  decodeCommit,
  encodeCommit,
  encodeSettled,
  isOldCommit,
  type SettledTask,
} from "./commit-line.ts";
import { claims } from "./committed-lines.ts";
import type { LedgerPaths } from "./ledger-files.ts";
import { Refetches } from "./refetches.ts";
import type { KeptRobots } from "./robots-line.ts";
import { readSeal, type StoredSeal, sealSince } from "./seal.ts";

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
  readonly #paths: LedgerPaths;
  /** The last good commit; 0 if there isn't one. */
  last = 0;
  isEmpty = true;
  /** Commits are, or may be, missing at the end: lines after the last good commit may belong to them, and count. */
  isEndLost = true;
  /** Written before lines had sums. */
  isOld = false;
  /** How far the record log went after the last good commit; null when no commit says. */
  records: NonNullable<Commit["records"]> | null = null;
  readonly refetches = new Refetches();
  readonly #bad = new Set<number>();
  readonly #lanes = new Map<string, LaneState>();
  readonly #notes = new Map<string, { value: string; commit: number }>();
  readonly #retried = new Map<number, [id: number, attempt: number, notBefore: number]>();
  #tasks: SettledTask[] = [];
  readonly #lines: string[] = [];

  constructor(paths: LedgerPaths) {
    this.#paths = paths;
  }

  async read(onBad: (line: Line) => Promise<void>): Promise<void> {
    const before = await readSeal(this.#paths.seal);
    let badAtEnd: Line[] = [];
    for await (const line of readLines(this.#paths.commits)) {
      const commit = line.flaw === null ? decodeCommit(line.bytes) : null;
      if (commit === null || (!this.isEmpty && commit.commit <= this.last)) {
        badAtEnd.push(line);
        this.#bad.add(line.number);
        await onBad(line);
        continue;
      }
      badAtEnd = [];
      if (this.isEmpty) this.isOld = isOldCommit(line.bytes);
      this.isEmpty = false;
      this.last = commit.commit;
      this.records = commit.records ?? this.records;
      this.refetches.take(commit);
      for (const [lane, state] of commit.lanes ?? []) this.#lanes.set(lane, state);
      for (const [key, value] of commit.notes ?? []) this.#notes.set(key, { value, commit: commit.commit });
      for (const retry of commit.retried ?? []) this.#retried.set(retry[0], retry);
    }
    this.isEndLost =
      this.isEmpty || (!this.isOld && this.#hasLostItsEnd(badAtEnd, await sealSince(this.#paths.seal, before)));
  }

  /** A crash cuts short one commit at most, and none of a ledger that was closed. */
  #hasLostItsEnd(badAtEnd: readonly Line[], seal: StoredSeal): boolean {
    if (seal === "missing" || seal === "damaged") return true;
    if (this.last < seal.commit || (seal.closed && badAtEnd.length > 0)) return true;
    return badAtEnd.some((line) => claims(line) > this.last + 1);
  }

  /** What the good commits say has ended, in the order of fetched_urls.txt. */
  async *entries(): AsyncGenerator<Entry> {
    for await (const { number, bytes } of readLines(this.#paths.commits)) {
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

  /** Sets a note that the good commits do not know. */
  setNote(key: string, value: string): void {
    this.#notes.set(key, { value, commit: this.last });
  }

  /** All commits, rewritten, and the number of the last one. */
  rewritten(vouched: Pick<Commit, "sums" | "records">): { commits: string[]; last: number } {
    this.#write();
    const last = Math.max(this.last, this.#lines.length) + 1;
    const now = encodeCommit({
      commit: last,
      ...vouched,
      retried: [...this.#retried.values()],
      lanes: [...this.#lanes],
      notes: [...this.#notes].map(([key, { value }]) => [key, value]),
    });
    return { commits: [...this.#lines, now], last };
  }

  #write(): void {
    if (this.#tasks.length === 0) return;
    const { settled, checks } = encodeSettled(this.#tasks);
    this.#lines.push(encodeCommit({ commit: this.#lines.length, settled, checks }));
    this.#tasks = [];
  }
}

/** What the good commits say, read without changing anything. */
export async function goodCommits(paths: LedgerPaths): Promise<RepairedCommits> {
  const commits = new RepairedCommits(paths);
  await commits.read(async () => {});
  return commits;
}
