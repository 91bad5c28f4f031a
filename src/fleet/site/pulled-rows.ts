/** Reads the URLs and records of a partition by key, in short transactions, so that a running fleet is not held up. */
import type { Queries } from "../postgres/connection.ts";
import type { RecordSource, StoredRecord } from "./record-source.ts";

const URL_PAGE = 5_000;
const RECORD_PAGE = 100;

export interface UrlRow {
  id: number;
  key: string;
  verdict: number;
  reason: string | null;
  rule: string | null;
  state: number | null;
  lane: string;
  depth: number;
  parent: number;
  via: number;
  kind: number;
  hops: number;
}

export class FleetRows implements RecordSource {
  readonly #queries: Queries;
  readonly #schema: string;

  constructor(queries: Queries, schema: string) {
    this.#queries = queries;
    this.#schema = schema;
  }

  async *urls(part: number): AsyncGenerator<UrlRow> {
    const [last] = await this.#queries.query<{ id: number }>(
      `SELECT id FROM ${this.#schema}.urls WHERE part = $1 ORDER BY part DESC, id DESC LIMIT 1`,
      [part],
    );
    for (let after = 0; after < (last?.id ?? 0); after += URL_PAGE) {
      yield* await this.#queries.query<UrlRow>(
        `SELECT id, key, verdict, reason, rule, state, lane, depth, parent::float8 AS parent, via, kind, hops
         FROM ${this.#schema}.urls WHERE part = $1 AND id > $2 AND id <= $3 ORDER BY id`,
        [part, after, after + URL_PAGE],
      );
    }
  }

  async keys(part: number, ids: readonly number[]): Promise<{ id: number; key: string }[]> {
    if (ids.length === 0) return [];
    return this.#queries.query(`SELECT id, key FROM ${this.#schema}.urls WHERE part = $1 AND id = ANY($2::int[])`, [
      part,
      ids,
    ]);
  }

  async *batches(part: number, ids: readonly number[]): AsyncGenerator<StoredRecord[]> {
    for (let at = 0; at < ids.length; at += RECORD_PAGE) {
      yield await this.#queries.query<StoredRecord>(
        `SELECT id, bytes FROM ${this.#schema}.records WHERE part = $1 AND id = ANY($2::int[]) ORDER BY id`,
        [part, ids.slice(at, at + RECORD_PAGE)],
      );
    }
  }
}
