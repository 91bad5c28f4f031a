/** A ledger in memory, for tests: it can be crashed, slowed down and made to fail. */
import type { LaneState } from "../lane.ts";
import type { Batch, Known, Ledger, Note, Recovered, Settled, TaskState } from "../ledger.ts";
import type { Admitted, Task } from "../task.ts";
import type { PlainMeta } from "./samples.ts";

/** What has been committed; a crash leaves exactly this. */
interface Stored<Rec> {
  rows: Map<number, Row>;
  lanes: Map<string, LaneState>;
  notes: Map<string, Note>;
  records: { id: number; record: Rec }[];
}

interface Row extends Admitted<PlainMeta> {
  state: TaskState | null;
  attempt: number;
  notBefore: number;
}

export interface MemoryLedgerOptions {
  /** Waited for before each commit and take is carried out, in the order they were given. */
  delay?: () => Promise<void>;
  /** Called before each commit with its number (from 1); what it throws fails the commit. */
  onCommit?: (number: number, batch: Batch<unknown>) => void;
}

export class MemoryLedger<Rec> implements Ledger<Rec, PlainMeta> {
  #stored: Stored<Rec>;
  #options: MemoryLedgerOptions;
  #line: Promise<void> = Promise.resolve();
  #dead = false;
  #closed = false;
  #broken: { error: unknown } | null = null;
  #commits = 0;

  constructor(options: MemoryLedgerOptions = {}, stored?: Stored<Rec>) {
    this.#options = options;
    this.#stored = stored ?? { rows: new Map(), lanes: new Map(), notes: new Map(), records: [] };
  }

  /** Commits carried out. */
  get commits(): number {
    return this.#commits;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Every record written, in the order of writing. */
  get records(): { id: number; record: Rec }[] {
    return this.#stored.records;
  }

  /** What is stored of every key, by id. */
  get rows(): Row[] {
    return [...this.#stored.rows.values()].sort((a, b) => a.id - b.id);
  }

  /** The power goes: what was not committed is gone, and nobody hears from this ledger again. */
  crash(options: MemoryLedgerOptions = this.#options): MemoryLedger<Rec> {
    this.#dead = true;
    return new MemoryLedger(options, structuredClone(this.#stored));
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    const open = new Map<string, number>();
    for (const row of this.rows) {
      const { id, place, key, lane, verdict, state } = row;
      onKnown({ id, place, key, lane, action: verdict.action, reason: verdict.reason, state });
      if (state === "open") open.set(lane, (open.get(lane) ?? 0) + 1);
    }
    const { lanes, notes } = structuredClone(this.#stored);
    return { lanes, notes, open };
  }

  commit(batch: Batch<Rec, PlainMeta>): Promise<void> {
    // A real ledger packs or clones it before this returns; the caller may go on using what is in it.
    const given = structuredClone(batch);
    return this.#inLine(() => {
      // One that follows a failed commit could settle what was never admitted.
      if (this.#broken !== null) throw this.#broken.error;
      try {
        this.#options.onCommit?.(this.#commits + 1, given);
        this.#apply(given);
      } catch (error) {
        this.#broken = { error };
        throw error;
      }
      this.#commits++;
    });
  }

  take(lane: string, after: number, max: number): Promise<Task<PlainMeta>[]> {
    return this.#inLine(() => {
      const open: Row[] = [];
      for (const row of this.#stored.rows.values()) {
        if (row.state === "open" && row.lane === lane && row.place > after) open.push(row);
      }
      return open
        .sort((a, b) => a.place - b.place)
        .slice(0, max)
        .map(({ verdict, state, ...task }) => task);
    });
  }

  async close(): Promise<void> {
    await this.#inLine(() => {});
    this.#closed = true;
  }

  #inLine<T>(work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Error("the ledger is closed"));
    const done = this.#line.then(async () => {
      await this.#options.delay?.();
      if (this.#dead) await new Promise<never>(() => {});
      return work();
    });
    this.#line = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  #apply(batch: Batch<Rec, PlainMeta>): void {
    const { rows, lanes, notes } = this.#stored;
    for (const row of batch.admitted) {
      if ((rows.get(row.id)?.state ?? null) !== null) continue;
      rows.set(row.id, { ...row, state: row.verdict.action === "crawl" ? "open" : null, attempt: 0, notBefore: 0 });
    }
    for (const settled of batch.settled) this.#settle(settled);
    for (const { id, attempt, notBefore } of batch.retried) {
      const row = rows.get(id);
      if (row?.state === "open") Object.assign(row, { attempt, notBefore });
    }
    for (const [key, state] of batch.lanes) lanes.set(key, state);
    for (const note of batch.notes) notes.set(note.key, note);
  }

  #settle({ id, state, verdict, record }: Settled<Rec>): void {
    const row = this.#stored.rows.get(id);
    if (row?.state !== "open") return;
    row.state = verdict === null ? state : null;
    if (verdict !== null) row.verdict = verdict;
    if (record !== null) this.#stored.records.push({ id, record });
  }
}
