/** The cursor ledger: open tasks in memory, what is settled in a CrawlState, and every record on disk before that. */
import { TrawlError } from "../../errors.ts";
import { type CursorLedger, cursorSource } from "../../kernel/cursor.ts";
import type { Batch, Recovered, Settled } from "../../kernel/ledger.ts";
import type { Task } from "../../kernel/task.ts";
import type { Verdict } from "../../kernel/verdict.ts";
import type { CrawlState, Progress, SettledDid, StateChange } from "./crawl-state.ts";
import { OpenTasks } from "./open-tasks.ts";

export interface CursorLedgerOptions<Rec> {
  state: CrawlState;
  /** Resolves when the record is on disk. Nothing is called settled before, so that a crash loses no repo. */
  durable: (record: Rec, id: number) => Promise<void>;
  endingOf: (state: "done" | "failed", record: Rec | null) => Omit<SettledDid, "did">;
  /** Called when the state is ours, before the crawl goes on with it, */
  begin?: () => Promise<void>;
  /** and when all is committed, before it is let go of. */
  end?: () => Promise<void>;
  /** What is counted so far, all that is durable and about to be settled included. */
  progress?: () => Progress;
  /** What is to be remembered of a key that was not to be fetched; null for nothing. */
  refusalOf: (verdict: Verdict) => Omit<SettledDid, "did"> | null;
}

export class StateLedger<Rec> implements CursorLedger<Rec> {
  readonly #options: CursorLedgerOptions<Rec>;
  readonly #tasks = new OpenTasks();
  /** Resolves when all that was asked so far is done. */
  #line: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #isOpen = false;

  constructor(options: CursorLedgerOptions<Rec>) {
    this.#options = options;
  }

  /** Tells of no key: what is settled is asked for by the sources, a page at a time. */
  async open(): Promise<Recovered> {
    const { state, begin } = this.#options;
    await state.take();
    await begin?.();
    const { lanes, notes } = await state.read();
    this.#isOpen = true;
    return { lanes, notes, open: new Map() };
  }

  commit(batch: Batch<Rec>): Promise<void> {
    // Our own copy: the caller may go on using the batch while those before it are written.
    const { admitted, settled, retried, lanes, notes } = batch;
    const own: Batch<Rec> = {
      admitted: [...admitted],
      settled: [...settled],
      retried: [...retried],
      lanes: new Map(lanes),
      notes: [...notes],
    };
    return this.#inLine(async () => {
      // Batches build on each other: one after a failed one could move the cursor past what was never settled.
      if (this.#failure !== null) throw this.#failure.error;
      try {
        await this.#commit(own);
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
  }

  take(lane: string, after: number, max: number): Promise<Task[]> {
    return this.#inLine(async () => this.#tasks.take(lane, after, max));
  }

  unsettled(keys: readonly string[]): Promise<string[]> {
    return this.#inLine(() => this.#options.state.unsettled(keys));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return this.#options.state.close();
    const { state, end } = this.#options;
    const closed = this.#inLine(async () => {
      try {
        await end?.();
      } finally {
        await state.close();
      }
    });
    this.#isOpen = false;
    await closed;
  }

  async #commit({ admitted, settled, retried, lanes, notes }: Batch<Rec>): Promise<void> {
    const { state, refusalOf, progress } = this.#options;
    const over: SettledDid[] = [];
    for (const row of admitted) {
      if (row.verdict.action === "crawl") this.#tasks.admit(row);
      else remember(over, row.key, refusalOf(row.verdict));
    }
    const isFirst = new Set<number>();
    const ended = settled.filter(({ id }) => this.#tasks.has(id) && !isFirst.has(id) && isFirst.add(id));
    await this.#makeDurable(ended);
    for (const each of ended) {
      const { key } = this.#tasks.settle(each.id)!;
      const { endingOf } = this.#options;
      const ending = each.verdict === null ? endingOf(each.state, each.record) : refusalOf(each.verdict);
      remember(over, key, ending);
    }
    for (const each of retried) this.#tasks.retry(each);
    const plain = notes.filter((note) => cursorSource(note) === null);
    for (const note of notes) if (cursorSource(note) !== null) this.#tasks.hold(note);
    const saved = [...plain, ...this.#tasks.release()];
    if (over.length + lanes.size + saved.length === 0) return;
    const change: StateChange = { settled: over, lanes, notes: saved };
    await state.commit(progress === undefined ? change : { ...change, progress: progress() });
  }

  async #makeDurable(ended: readonly Settled<Rec>[]): Promise<void> {
    const { durable } = this.#options;
    await Promise.all(ended.map(({ id, record }) => (record === null ? null : durable(record, id))));
  }

  #inLine<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return Promise.reject(new TrawlError("STORE_FAILED", "The state of the crawl is not open."));
    const done = this.#line.then(work);
    this.#line = done.catch(() => {});
    return done;
  }
}

function remember(over: SettledDid[], did: string, ending: Omit<SettledDid, "did"> | null): void {
  if (ending !== null) over.push({ did, ...ending });
}
