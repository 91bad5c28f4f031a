/** The ledger of one partition, in PostgreSQL: a queue ledger for the kernel, whose commits the worker groups. */
import { TrawlError } from "../errors.ts";
import type { LaneState } from "../kernel/lane.ts";
import {
  type Batch,
  type Known,
  type Ledger,
  type MetaCodec,
  type Note,
  type Recovered,
  TASK_STATES,
} from "../kernel/ledger.ts";
import { ACTIONS, type Task } from "../kernel/task.ts";
import type { CommitGroup } from "./commit-group.ts";
import { type PartBatchOptions, partBatch } from "./part-batch.ts";
import type { Connection } from "./postgres/connection.ts";
import { databaseError } from "./postgres/database-errors.ts";
import { patiently } from "./postgres/patience.ts";

export interface FleetLedgerOptions<Rec, Meta> extends PartBatchOptions<Rec, Meta> {
  part: number;
  schema: string;
  /** For reading. */
  connection: Connection;
  group: CommitGroup;
}

/** Rows per statement when everything known is read, to keep transactions short and memory flat. */
const PAGE = 10_000;

interface UrlRow {
  id: number;
  place: number;
  key: string;
  lane: string;
  verdict: number;
  reason: string | null;
  state: number | null;
}

interface TaskRow extends Omit<Task, "meta"> {
  via: number;
  kind: number;
}

export class FleetLedger<Rec, Meta> implements Ledger<Rec, Meta> {
  readonly #options: FleetLedgerOptions<Rec, Meta>;
  readonly #codec: MetaCodec<Meta>;
  /** Resolves when every commit given so far is durable, or has failed. */
  #given: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #isClosed = false;

  constructor(options: FleetLedgerOptions<Rec, Meta>) {
    this.#options = options;
    this.#codec = options.codec;
  }

  async open(onKnown: (known: Known) => void): Promise<Recovered> {
    const { schema, part } = this.#options;
    const lease = this.#options.group.leaseOf(part);
    const isResumed = lease?.isTakenOver ?? true;
    // Most partitions start empty, and all at once.
    if (lease?.commits === 0) return { isResumed, lanes: new Map(), open: new Map(), notes: new Map() };
    const last = await this.#lastId();
    for (let after = 0; after < last; after += PAGE) {
      // A range, not a LIMIT: before the table was ever analysed, PostgreSQL would read and sort all of it for each page.
      const rows = await this.#read<UrlRow>(
        `SELECT id, place, key, lane, verdict, reason, state FROM ${schema}.urls
         WHERE part = $1 AND id > $2 AND id <= $3 ORDER BY id`,
        [part, after, after + PAGE],
      );
      for (const { verdict, state, ...known } of rows) {
        onKnown({ ...known, action: ACTIONS[verdict]!, state: state === null ? null : TASK_STATES[state]! });
      }
    }
    const lanes = await this.#read<{ key: string; state: string }>(
      `SELECT key, state FROM ${schema}.lanes WHERE part = $1`,
      [part],
    );
    const open = await this.#read<{ lane: string; n: number }>(
      `SELECT lane, count(*)::int AS n FROM ${schema}.tasks WHERE part = $1 GROUP BY lane ORDER BY lane`,
      [part],
    );
    const notes = await this.#read<Note>(`SELECT key, value FROM ${schema}.notes WHERE part = $1`, [part]);
    return {
      isResumed,
      lanes: new Map(lanes.map(({ key, state }) => [key, JSON.parse(state) as LaneState])),
      open: new Map(open.map(({ lane, n }) => [lane, n])),
      notes: new Map(notes.map(({ key, value }) => [key, { key, value }])),
    };
  }

  commit(batch: Batch<Rec, Meta>): Promise<void> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#failure !== null) return Promise.reject(this.#failure.error);
    let done: Promise<void>;
    try {
      done = this.#options.group.commit(this.#options.part, partBatch(batch, this.#options));
    } catch (error) {
      done = Promise.reject(error);
      // A later commit could settle what this one was meant to admit.
      this.#failure = { error };
    }
    const kept = done.catch((error) => {
      this.#failure ??= { error };
    });
    const before = this.#given;
    this.#given = before.then(() => kept);
    return done;
  }

  async take(lane: string, after: number, max: number): Promise<Task<Meta>[]> {
    if (this.#isClosed) throw closed();
    this.#options.group.hurry();
    await this.#given;
    const { schema, part } = this.#options;
    const rows = await this.#read<TaskRow>(
      `SELECT u.id, u.place, u.key, t.lane, u.depth, u.parent::float8 AS parent, u.via, u.kind, u.hops, t.attempt,
         t.not_before AS "notBefore"
       FROM (SELECT * FROM ${schema}.tasks WHERE part = $1 AND lane = $2 AND place > $3 ORDER BY place LIMIT $4) t
       JOIN ${schema}.urls u ON u.part = t.part AND u.id = t.id ORDER BY t.place`,
      [part, lane, after, max],
    );
    return rows.map(({ via, kind, ...task }) => ({ ...task, meta: this.#codec.metaOf(via, kind) }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.group.hurry();
    await this.#given;
  }

  /** Ids have hardly any gaps. */
  async #lastId(): Promise<number> {
    const { schema, part } = this.#options;
    const sql = `SELECT id FROM ${schema}.urls WHERE part = $1 ORDER BY part DESC, id DESC LIMIT 1`;
    return (await this.#read<{ id: number }>(sql, [part]))[0]?.id ?? 0;
  }

  #read<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    const { connection, group } = this.#options;
    return patiently(group.patience, () => connection.query<R>(text, values)).catch((error) => {
      throw databaseError(error);
    });
  }
}

const closed = (): TrawlError => new TrawlError("FLEET_DATABASE", "The ledger of this part is closed.");
