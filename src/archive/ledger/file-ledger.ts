/** The ledger on plain files. */

import type { Clock } from "../../kernel/clock.ts";
import type { LaneState } from "../../kernel/lane.ts";
import type { Batch, Known, Ledger, MetaCodec, Note, Recovered, TaskState } from "../../kernel/ledger.ts";
import { SerialQueue } from "../../kernel/serial-queue.ts";
import type { Task } from "../../kernel/task.ts";
import { type FileSystem, isDiskFull } from "../../storage/file-system.ts";
import { readLines } from "../../storage/read-lines.ts";
import { type Commit, encodeCommit, historyBytes, MARKED, type Marked } from "./commit-line.ts";
import { certainSums } from "./committed-lines.ts";
import { decodeRow, type Row, type StoredRow } from "./frontier-line.ts";
import {
  compactCommits,
  compactFrontier,
  compactRefused,
  compactRobots,
  cut,
  isMostlyDead,
  LedgerFiles,
  type LedgerPaths,
  linesAt,
} from "./ledger-files.ts";
import { type BatchLines, encodeBatch, type Plan, planCommit, rowsNeeded } from "./plan.ts";
import { committedRecords, type RecordLog, type RecordMark } from "./record-log.ts";
import { type Recovery, recover, removeLeftovers, tellKnown } from "./recover.ts";
import type { KeptNote } from "./robots-line.ts";
import { DONE, FAILED, OPEN, REFUSED, type TaskIndex } from "./task-index.ts";

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

  stateOf(id: number): TaskState | null {
    return this.#store?.stateOf(id) ?? null;
  }

  /** The URLs that are refused at this moment, as they were found. */
  async *refused(): AsyncGenerator<Row> {
    for await (const { bytes, flaw } of readLines(this.#options.paths.refused)) {
      const row = flaw === null ? decodeRow(bytes) : null;
      if (row !== null && this.#store!.isRefused(row.id)) yield row;
    }
  }

  async close(): Promise<void> {
    if (this.#queue.isOpen) await this.#queue.close(() => this.#store!.close(!this.#queue.hasFailed));
  }
}

// A commit adds its records and its lines to the files, waits until they are on the disk, and then adds one line to
// commits.jsonl. That line is the commit: without that line, nothing in the batch counts, and the next `open` cuts it
// off.

export interface FileLedgerOptions<Rec, Meta> {
  paths: LedgerPaths;
  records: RecordLog<Rec>;
  codec: MetaCodec<Meta>;
  /** The name of a page type for people, from the number that the codec gave a find. */
  pageType: (kind: number) => string;
  /** Adds to a record what only the ledger knows about its task: the page that led to it. */
  complete?: (record: Rec, row: Row) => Rec;
  clock: Clock;
  /** Called with a message about what a crash left and what was dropped. */
  onNotice: (text: string) => void;
  /** Called when a batch is durable. */
  onCommit?: () => void;
  fs?: FileSystem;
}

/** At the end, even short files are rewritten, so that a workspace at rest is tidy. */
const LEAST_AT_CLOSE = 1 << 16;

const TASK_STATE_OF: ReadonlyMap<number, TaskState> = new Map([
  [OPEN, "open"],
  [DONE, "done"],
  [FAILED, "failed"],
]);

class FileStore<Rec, Meta> {
  readonly #options: FileLedgerOptions<Rec, Meta>;
  readonly #files: LedgerFiles;
  readonly #index: TaskIndex;
  readonly #lanes: Map<string, LaneState>;
  readonly #notes: Map<string, KeptNote>;
  #commit: number;
  /** The sums of the files, as the commits state them. */
  readonly #stated: Record<Marked, number | null>;
  #statedRecords: RecordMark | null = null;
  /** Lines of refused.jsonl that no longer count: the URL was admitted after all, or refused for another reason. */
  #outdated: number;
  /** Bytes of frontier.jsonl that are dead. */
  #dead: number;
  /** Bytes of commits.jsonl that are needed forever, … */
  #history: number;
  /** … and the bytes of the line that repeated everything else when the file was last rewritten. */
  #snapshot = 0;

  private constructor(options: FileLedgerOptions<Rec, Meta>, files: LedgerFiles, recovery: Recovery) {
    this.#options = options;
    this.#files = files;
    this.#index = recovery.index;
    this.#lanes = recovery.lanes;
    this.#notes = recovery.notes;
    this.#commit = recovery.commits.last?.commit ?? -1;
    this.#stated = certainSums(recovery.commits);
    this.#dead = recovery.dead;
    this.#outdated = recovery.outdated;
    this.#history = recovery.history;
  }

  /** Reads the files back, reports what they know, and makes the record log agree with them. */
  static async open<Rec, Meta>(
    options: FileLedgerOptions<Rec, Meta>,
    onKnown: (known: Known) => void,
  ): Promise<{ store: FileStore<Rec, Meta>; recovered: Recovered }> {
    const files = await LedgerFiles.open(options.paths, options.fs);
    try {
      await removeLeftovers(files);
      const recovery = await recover(files);
      await tellKnown(files, recovery, onKnown);
      await options.records.recover(committedRecords(recovery.commits));
      const store = new FileStore(options, files, recovery);
      await store.#begin(recovery);
      return { store, recovered: store.#recovered() };
    } catch (error) {
      await files.close();
      throw error;
    }
  }

  /** Everything was intact: what a crash left is cut off, and the first commit is made. */
  async #begin({ commits, ends }: Recovery): Promise<void> {
    if (!commits.isOld) await this.#files.openSeal(this.#commit);
    for (const [file, end] of ends) await cut(file, end, this.#options.onNotice);
    if (commits.isOld) await this.#addSums();
    // From here on the length counts: records from before the first commit are not ours.
    else if (commits.last === null) await this.#writeCommit({});
  }

  /** In a ledger from before there were sums, all lines get them. The commits come last, so this can be interrupted. */
  async #addSums(): Promise<void> {
    await compactFrontier(this.#files, this.#index, undefined);
    this.#dead = 0;
    await compactRefused(this.#files, this.#index, undefined);
    this.#outdated = 0;
    await compactRobots(this.#files, this.#notes, undefined);
    await this.#files.openSeal(this.#commit);
    await this.#tidyCommits();
  }

  stateOf(id: number): TaskState | null {
    return TASK_STATE_OF.get(this.#index.state(id)) ?? null;
  }

  isRefused(id: number): boolean {
    return this.#index.state(id) === REFUSED;
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
    const files = this.#files;
    const frontier = files.summed("frontier", lines.frontier);
    const robots = files.summed("robots", lines.robots);
    const [, frontierAt, robotsAt] = await all([
      records.append(plan.records),
      files.append("frontier", frontier),
      files.append("robots", robots),
      files.append("refused", files.summed("refused", lines.refused)),
      lines.fetched.length === 0 ? null : files.fetched.append(Buffer.from(lines.fetched.join(""))),
    ]);
    await this.#writeCommit(lines.commit);
    // The batch is durable, so it is true from here on.
    this.#options.onCommit?.();
    this.#applyTasks(plan, stored, frontier.lines, frontierAt);
    this.#applyNotes(lines, robots.lines, robotsAt);
    for (const [lane, state] of batch.lanes) this.#lanes.set(lane, state);
    await this.#tidy();
  }

  async take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    const ids = this.#index.take(lane, after, max);
    const rows = await this.#rows(ids);
    return ids.map((id) => {
      const { key, depth, parent, via, kind, hops, place, refetch } = rows.get(id)!;
      const meta = this.#options.codec.metaOf(via, kind);
      return {
        ...{ id, place, key, lane, depth, parent, hops, meta, ...this.#index.retryOf(id) },
        ...(refetch && { refetch }),
      };
    });
  }

  /** `isTidy`: nothing went wrong and nothing is unfinished, so dead parts may be removed from the files. */
  async close(isTidy: boolean): Promise<void> {
    try {
      if (isTidy) {
        await this.#tidyUp();
        await this.#files.seal.whenClosed(this.#commit);
      }
    } catch (error) {
      // Everything is already durable.
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

  async #writeCommit(said: Omit<Commit, "commit">): Promise<void> {
    const commit: Commit = { commit: this.#commit + 1, ...said, ...this.#vouched() };
    await this.#files.append("commits", this.#files.summed("commits", [encodeCommit(commit)]));
    this.#commit++;
    await this.#files.seal.advance(this.#commit);
    this.#history += historyBytes(commit);
    this.#state(commit);
  }

  /** What a commit says about the files: sums that have changed, and sums that could be one of two. */
  #vouched(): Pick<Commit, "sums" | "records"> {
    const changed = MARKED.filter((name) => this.#stated[name] !== this.#files.running(name));
    const { bytes, sum } = this.#options.records.mark;
    const isSame = this.#statedRecords?.bytes === bytes && this.#statedRecords.sum === sum;
    return {
      ...(changed.length > 0 && { sums: Object.fromEntries(changed.map((name) => [name, this.#files.running(name)])) }),
      ...(!isSame && { records: [bytes, sum] }),
    };
  }

  #state({ sums = {}, rewrites = {}, records }: Commit): void {
    for (const name of MARKED) {
      if (sums[name] !== undefined) this.#stated[name] = sums[name];
      if (rewrites[name] !== undefined) this.#stated[name] = null;
    }
    if (typeof records === "object") this.#statedRecords = { bytes: records[0], sum: records[1] };
  }

  /** Before a file is replaced: after a crash, either the old file or the new one is there. */
  #announce(name: Marked): (running: number) => Promise<void> {
    return (running) => this.#writeCommit({ rewrites: { [name]: running } });
  }

  #applyTasks(
    plan: Plan<Rec>,
    stored: ReadonlyMap<number, StoredRow>,
    lines: readonly Buffer[],
    frontierAt: number,
  ): void {
    const index = this.#index;
    const end = (id: number, state: number): void => {
      if (index.state(id) === REFUSED) this.#outdated++;
      const before = stored.get(id);
      // A task that was admitted in this batch was never in the queue.
      if (before === undefined) index.setState(id, state);
      else {
        this.#dead += before.bytes;
        index.leave(id, before.lane, state);
      }
    };
    for (const { row, state } of [...plan.settled, ...plan.refetched]) end(row.id, state === "done" ? DONE : FAILED);
    for (const row of plan.refused) end(row.id, REFUSED);
    let offset = frontierAt;
    for (const [at, row] of plan.frontier.entries()) {
      if (index.state(row.id) === REFUSED) this.#outdated++;
      index.enter(row.id, row.lane, row.place, offset);
      offset += lines[at]!.length;
    }
    for (const { id, attempt, notBefore } of plan.retried) index.retry(id, attempt, notBefore);
  }

  #applyNotes({ commit, robotsKeys }: BatchLines, robots: readonly Buffer[], robotsAt: number): void {
    const number = this.#commit;
    for (const [key, value] of commit.notes ?? []) this.#notes.set(key, { value, commit: number, line: null });
    let offset = robotsAt;
    for (const [at, key] of robotsKeys.entries()) {
      const bytes = robots[at]!.length;
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
      if (isMostlyDead(robots.length, this.#deadRobots())) await this.#tidyRobots();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }

  async #tidyUp(): Promise<void> {
    const { commits, robots } = this.#files;
    if (this.#dead > 0) await this.#tidyFrontier();
    if (this.#outdated > 0) await compactRefused(this.#files, this.#index, this.#announce("refused"));
    if (isMostlyDead(commits.length, this.#deadCommits(), LEAST_AT_CLOSE)) await this.#tidyCommits();
    if (isMostlyDead(robots.length, this.#deadRobots(), LEAST_AT_CLOSE)) await this.#tidyRobots();
  }

  async #tidyFrontier(): Promise<void> {
    // The lines of the last commit all stay: only a later one can end their tasks.
    await compactFrontier(this.#files, this.#index, this.#announce("frontier"));
    this.#dead = 0;
  }

  #tidyRobots(): Promise<void> {
    return compactRobots(this.#files, this.#notes, this.#announce("robots"));
  }

  async #tidyCommits(): Promise<void> {
    const plain = [...this.#notes].filter(([, note]) => note.line === null);
    const { bytes, sum } = this.#options.records.mark;
    const snapshot: Commit = {
      commit: this.#commit + 1,
      sums: Object.fromEntries(MARKED.map((name) => [name, this.#files.running(name)])),
      records: [bytes, sum],
      retried: [...this.#index.retries].map(([id, { attempt, notBefore }]) => [id, attempt, notBefore]),
      lanes: [...this.#lanes],
      notes: plain.map(([key, { value }]) => [key, value]),
    };
    await compactCommits(this.#files, snapshot);
    this.#commit++;
    this.#state(snapshot);
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

/** Waits for all of them even when one fails: none may still be writing when the failure is reported. */
async function all<T extends readonly unknown[]>(
  writes: readonly [...T],
): Promise<{ [At in keyof T]: Awaited<T[At]> }> {
  await Promise.allSettled(writes);
  return Promise.all(writes);
}
