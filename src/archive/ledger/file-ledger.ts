/** The ledger on plain files. */

import type { Clock } from "../../kernel/clock.ts";
import type { LaneState } from "../../kernel/lane.ts";
import type { Batch, Known, Ledger, MetaCodec, Note, Recovered } from "../../kernel/ledger.ts";
import { SerialQueue } from "../../kernel/serial-queue.ts";
import type { Task } from "../../kernel/task.ts";
import type { AppendFile } from "../../storage/append-file.ts";
import { type FileSystem, isDiskFull } from "../../storage/file-system.ts";
import { type Commit, encodeCommit, historyOf } from "./commit-line.ts";
import { decodeRow, type Row, type StoredRow } from "./frontier-line.ts";
import {
  compactCommits,
  compactFrontier,
  compactRobots,
  isMostlyDead,
  LedgerFiles,
  type LedgerPaths,
  linesAt,
} from "./ledger-files.ts";
import { type BatchLines, encodeBatch, type Plan, planCommit, rowsNeeded } from "./plan.ts";
import { type Recovery, recover, tellKnown } from "./recover.ts";
import type { KeptNote } from "./robots-line.ts";
import { DONE, FAILED, REFUSED, type TaskIndex } from "./task-index.ts";

export class FileLedger<Rec, Meta> implements Ledger<Rec, Meta> {
  readonly #options: FileLedgerOptions<Rec, Meta>;
  readonly #queue = new SerialQueue();
  #store: FileStore<Rec, Meta> | null = null;

  constructor(options: FileLedgerOptions<Rec, Meta>) {
    this.#options = options;
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    const { store, recovered } = await FileStore.open(this.#options, onKnown);
    this.#store = store;
    this.#queue.open();
    return recovered;
  }

  commit(batch: Batch<Rec, Meta>): Promise<void> {
    return this.#queue.commit(batch, (own) => this.#store!.commit(own));
  }

  take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    return this.#queue.run(() => this.#store!.take(lane, after, max));
  }

  async close(): Promise<void> {
    if (this.#queue.isOpen) await this.#queue.close(() => this.#store!.close(!this.#queue.hasFailed));
  }
}

// A commit adds its records and its lines to the files, waits until they are on the disk, and then adds one line to
// commits.jsonl. That line is the commit: without it nothing in the batch counts, and the next `open` cuts it off.

/** Where the records go: a log that grows, and that can be cut back to what the ledger has committed. */
export interface RecordLog<Rec> {
  /** Its length in bytes. */
  readonly length: number;
  /** Adds records in this order. Resolves to the new length once they are durable. */
  append(records: readonly Rec[]): Promise<number>;
  /** Drops everything after `length`: records of a commit that never ended, whose tasks will be fetched again. */
  truncateTo(length: number): Promise<void>;
}

export interface FileLedgerOptions<Rec, Meta> {
  paths: LedgerPaths;
  records: RecordLog<Rec>;
  codec: MetaCodec<Meta>;
  /** The name of a page type, for people, from the number that the codec gave a find. */
  pageType: (kind: number) => string;
  /** Adds to a record what only the ledger knows about its task: the page that led to it. */
  complete?: (record: Rec, row: Row) => Rec;
  clock: Clock;
  /** Called with a text about what a crash left and was dropped. */
  onNotice: (text: string) => void;
  fs?: FileSystem;
}

/** At the end, even short files are rewritten: a workspace at rest is tidy. */
const LEAST_AT_CLOSE = 1 << 16;

class FileStore<Rec, Meta> {
  readonly #options: FileLedgerOptions<Rec, Meta>;
  readonly #files: LedgerFiles;
  readonly #index: TaskIndex;
  readonly #lanes: Map<string, LaneState>;
  readonly #notes: Map<string, KeptNote>;
  #commit: number;
  /** Bytes of frontier.jsonl that are dead. */
  #dead: number;
  /** Bytes of commits.jsonl that are needed forever, */
  #history: number;
  /** and those of the line that repeated everything else when it was last rewritten. */
  #snapshot = 0;

  private constructor(options: FileLedgerOptions<Rec, Meta>, files: LedgerFiles, recovery: Recovery) {
    this.#options = options;
    this.#files = files;
    this.#index = recovery.index;
    this.#lanes = recovery.lanes;
    this.#notes = recovery.notes;
    this.#commit = recovery.commit;
    this.#dead = recovery.dead;
    this.#history = recovery.history;
  }

  /** Reads the files back, reports what they know, and makes the record log agree with them. */
  static async open<Rec, Meta>(
    options: FileLedgerOptions<Rec, Meta>,
    onKnown: (known: Known) => void,
  ): Promise<{ store: FileStore<Rec, Meta>; recovered: Recovered }> {
    const files = await LedgerFiles.open(options.paths, options.fs);
    try {
      const recovery = await recover(files, options.onNotice);
      await tellKnown(files, recovery, onKnown);
      const store = new FileStore(options, files, recovery);
      if (recovery.records !== null) await options.records.truncateTo(recovery.records);
      // From here on the length counts: records from before the first commit are not ours.
      else await store.#writeCommit({ lines: [0, 0], records: options.records.length });
      return { store, recovered: store.#recovered() };
    } catch (error) {
      await files.close();
      throw error;
    }
  }

  #recovered(): Recovered {
    const notes = new Map<string, Note>();
    for (const [key, note] of this.#notes) {
      notes.set(key, { key, value: note.value });
      if (note.line !== null) note.value = "";
    }
    return { lanes: new Map(this.#lanes), notes, open: this.#index.openByLane() };
  }

  async commit(batch: Batch<Rec, Meta>): Promise<void> {
    const { records, codec, pageType, complete, clock } = this.#options;
    const stored = await this.#rows(rowsNeeded(batch, this.#index));
    const context = {
      commit: this.#commit + 1,
      now: clock.now(),
      index: this.#index,
      stored,
      codec,
      pageType,
      complete,
    };
    const plan = planCommit(batch, context);
    const lines = encodeBatch(batch, plan, context);
    const [length, frontierAt, robotsAt] = await all([
      plan.records.length === 0 ? Promise.resolve(records.length) : records.append(plan.records),
      append(this.#files.frontier, lines.frontier),
      append(this.#files.robots, lines.robots),
      append(this.#files.refused, lines.refused),
      append(this.#files.fetched, lines.fetched),
    ]);
    await this.#writeCommit({ ...lines.commit, records: length });
    // Durable: from here on it is true.
    this.#applyTasks(plan, stored, lines.frontier, frontierAt);
    this.#applyNotes(lines, robotsAt);
    for (const [lane, state] of batch.lanes) this.#lanes.set(lane, state);
    await this.#tidy();
  }

  async take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    const ids = this.#index.take(lane, after, max);
    const rows = await this.#rows(ids);
    return ids.map((id) => {
      const { key, depth, parent, via, kind, hops, place } = rows.get(id)!;
      const meta = this.#options.codec.metaOf(via, kind);
      return { id, place, key, lane, depth, parent, hops, meta, ...this.#index.retryOf(id) };
    });
  }

  /** `isTidy`: nothing went wrong, so dead parts may be removed from the files. */
  async close(isTidy: boolean): Promise<void> {
    try {
      if (isTidy) await this.#tidyUp();
    } catch (error) {
      // Everything is durable as it is.
      this.#options.onNotice(`The ledger was closed without compaction: ${(error as Error).message}`);
    } finally {
      await this.#files.close();
    }
  }

  /** The lines of open tasks, by id. */
  async #rows(ids: readonly number[]): Promise<Map<number, StoredRow>> {
    const offsets = ids.map((id) => this.#index.offset(id));
    const lines = await linesAt(this.#files.frontier, offsets);
    return new Map(lines.map((line, at) => [ids[at]!, { ...decodeRow(line)!, bytes: line.length + 1 }]));
  }

  async #writeCommit(commit: Omit<Commit, "commit">): Promise<void> {
    const line = { commit: this.#commit + 1, ...commit };
    await append(this.#files.commits, [encodeCommit(line)]);
    this.#commit++;
    this.#history += historyOf(line).length;
  }

  #applyTasks(
    plan: Plan<Rec>,
    stored: ReadonlyMap<number, StoredRow>,
    lines: readonly string[],
    frontierAt: number,
  ): void {
    const index = this.#index;
    const end = (id: number, state: number): void => {
      const before = stored.get(id);
      // A task that was admitted in this batch was never in the queue.
      if (before === undefined) index.setState(id, state);
      else {
        this.#dead += before.bytes;
        index.leave(id, before.lane, state);
      }
    };
    for (const { row, state } of plan.settled) end(row.id, state === "done" ? DONE : FAILED);
    for (const row of plan.refused) end(row.id, REFUSED);
    let offset = frontierAt;
    for (const [at, row] of plan.frontier.entries()) {
      index.enter(row.id, row.lane, row.place, offset);
      offset += Buffer.byteLength(lines[at]!);
    }
    for (const { id, attempt, notBefore } of plan.retried) index.retry(id, attempt, notBefore);
  }

  #applyNotes({ commit, robots, robotsKeys }: BatchLines, robotsAt: number): void {
    const number = this.#commit;
    for (const [key, value] of commit.notes ?? []) this.#notes.set(key, { value, commit: number, line: null });
    let offset = robotsAt;
    for (const [at, key] of robotsKeys.entries()) {
      const bytes = Buffer.byteLength(robots[at]!);
      this.#notes.set(key, { value: "", commit: number, line: { offset, bytes } });
      offset += bytes;
    }
  }

  /** During a run, only files that are mostly dead are rewritten, and a full disk does not end the run. */
  async #tidy(): Promise<void> {
    const { frontier, commits, robots } = this.#files;
    try {
      if (isMostlyDead(frontier.length, this.#dead)) await this.#tidyFrontier();
      if (isMostlyDead(commits.length, this.#deadCommits())) await this.#tidyCommits();
      if (isMostlyDead(robots.length, this.#deadRobots())) await compactRobots(this.#files, this.#notes);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }

  async #tidyUp(): Promise<void> {
    const { commits, robots } = this.#files;
    if (this.#dead > 0) await this.#tidyFrontier();
    if (isMostlyDead(commits.length, this.#deadCommits(), LEAST_AT_CLOSE)) await this.#tidyCommits();
    if (isMostlyDead(robots.length, this.#deadRobots(), LEAST_AT_CLOSE)) await compactRobots(this.#files, this.#notes);
  }

  async #tidyFrontier(): Promise<void> {
    // The lines of the last commit all stay: only a later one can end their tasks.
    await compactFrontier(this.#files, this.#index);
    this.#dead = 0;
  }

  async #tidyCommits(): Promise<void> {
    const plain = [...this.#notes].filter(([, note]) => note.line === null);
    await compactCommits(this.#files, {
      commit: this.#commit + 1,
      lines: [0, 0],
      records: this.#options.records.length,
      retried: [...this.#index.retries].map(([id, { attempt, notBefore }]) => [id, attempt, notBefore]),
      lanes: [...this.#lanes],
      notes: plain.map(([key, { value }]) => [key, value]),
    });
    this.#commit++;
    this.#snapshot = this.#files.commits.length - this.#history;
  }

  #deadCommits(): number {
    return this.#files.commits.length - this.#history - this.#snapshot;
  }

  #deadRobots(): number {
    let live = 0;
    for (const { line } of this.#notes.values()) live += line?.bytes ?? 0;
    return this.#files.robots.length - live;
  }
}

/** Resolves, once the lines are on the disk, to where they begin. */
const append = (file: AppendFile, lines: readonly string[]): Promise<number> =>
  lines.length === 0 ? Promise.resolve(file.length) : file.append(Buffer.from(lines.join("")));

/** Waits for all of them even when one fails: none may still be writing when the failure is reported. */
async function all<T extends readonly Promise<number>[]>(
  writes: readonly [...T],
): Promise<{ [At in keyof T]: number }> {
  await Promise.allSettled(writes);
  return Promise.all(writes) as Promise<{ [At in keyof T]: number }>;
}
