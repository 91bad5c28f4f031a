/** The cursor ledger: open tasks in memory, what is settled in a CrawlState, and every record on disk before that. */
import { type Batch, type CursorLedger, cursorSource, type Recovered, type Settled } from "../../kernel/ledger.ts";
import { SerialQueue } from "../../kernel/serial-queue.ts";
import type { Task, Verdict } from "../../kernel/task.ts";
import type { CrawlState, DidAtHost, Progress, SettledDid, StateChange } from "./crawl-state.ts";
import { OpenTasks } from "./open-tasks.ts";

export interface CursorLedgerOptions<Rec, Meta> {
  state: CrawlState;
  /** Resolves when the record is on disk. A task is not settled before that, so that a crash loses no repo. */
  durable: (record: Rec, id: number) => Promise<void>;
  endingOf: (state: "done" | "failed", record: Rec | null) => Omit<SettledDid, "did">;
  /** Called when the state is claimed, before the crawl uses it, */
  begin?: () => Promise<void>;
  /** and when everything is committed, before it is released. */
  end?: () => Promise<void>;
  /** Called before the state is written, with what it will call settled and the records of those that have one. */
  beforeCommit?: (settled: readonly SettledDid[], records: ReadonlyMap<string, Rec>) => Promise<void>;
  /** The totals so far, including everything that is durable and about to be settled. */
  progress?: () => Progress;
  /** What to store about a key that was not fetched; null for nothing. */
  refusalOf: (verdict: Verdict, meta: Meta) => Omit<SettledDid, "did"> | null;
}

export class StateLedger<Rec, Meta> implements CursorLedger<Rec, Meta> {
  readonly #options: CursorLedgerOptions<Rec, Meta>;
  readonly #tasks = new OpenTasks<Meta>();
  readonly #queue = new SerialQueue();

  constructor(options: CursorLedgerOptions<Rec, Meta>) {
    this.#options = options;
  }

  /** Recovers no keys: sources ask which ones are settled, one page at a time. */
  async open(): Promise<Recovered> {
    const { state, begin } = this.#options;
    await state.take();
    await begin?.();
    const { lanes, notes } = await state.read();
    this.#queue.open();
    return { lanes, notes, open: new Map() };
  }

  commit(batch: Batch<Rec, Meta>): Promise<void> {
    return this.#queue.commit(batch, (own) => this.#commit(own));
  }

  take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    return this.#queue.run(() => this.#tasks.take(lane, after, max));
  }

  unsettled(keys: readonly string[]): Promise<string[]> {
    return this.unsettledAt(keys.map((did) => ({ did, host: null })));
  }

  /** By the host that is to be asked. */
  unsettledAt(claims: readonly DidAtHost[]): Promise<string[]> {
    return this.#queue.run(() => this.#options.state.unsettled(claims));
  }

  async close(): Promise<void> {
    const { state, end } = this.#options;
    if (!this.#queue.isOpen) return state.close();
    await this.#queue.close(async () => {
      try {
        await end?.();
      } finally {
        await state.close();
      }
    });
  }

  async #commit({ admitted, settled, retried, lanes, notes }: Batch<Rec, Meta>): Promise<void> {
    const { state, refusalOf, progress } = this.#options;
    const over: SettledDid[] = [];
    const cursors = notes.filter((note) => cursorSource(note) !== null);
    for (const [index, row] of admitted.entries()) {
      // A cursor waits for keys admitted before it, not for those that the same batch admits after it.
      while ((cursors[0]?.admittedBefore ?? admitted.length) <= index) this.#tasks.hold(cursors.shift()!);
      if (row.verdict.action === "crawl") this.#tasks.admit(row);
      else remember(over, row.key, refusalOf(row.verdict, row.meta));
    }
    for (const note of cursors) this.#tasks.hold(note);
    const isFirst = new Set<number>();
    const ended = settled.filter(({ id }) => this.#tasks.has(id) && !isFirst.has(id) && isFirst.add(id));
    await this.#makeDurable(ended);
    const records = new Map<string, Rec>();
    for (const each of ended) {
      const { key, meta } = this.#tasks.settle(each.id)!;
      const { endingOf } = this.#options;
      const ending = each.verdict === null ? endingOf(each.state, each.record) : refusalOf(each.verdict, meta);
      remember(over, key, ending);
      if (each.record !== null && ending !== null) records.set(key, each.record);
    }
    for (const each of retried) this.#tasks.retry(each);
    const plain = notes.filter((note) => cursorSource(note) === null);
    const saved = [...plain, ...this.#tasks.release()];
    if (over.length + lanes.size + saved.length === 0) return;
    if (over.length > 0) await this.#options.beforeCommit?.(over, records);
    const change: StateChange = { settled: over, lanes, notes: saved };
    await state.commit(progress === undefined ? change : { ...change, progress: progress() });
  }

  async #makeDurable(ended: readonly Settled<Rec>[]): Promise<void> {
    const { durable } = this.#options;
    await Promise.all(ended.map(({ id, record }) => (record === null ? null : durable(record, id))));
  }
}

function remember(over: SettledDid[], did: string, ending: Omit<SettledDid, "did"> | null): void {
  if (ending !== null) over.push({ did, ...ending });
}
