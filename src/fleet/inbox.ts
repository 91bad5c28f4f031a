/**
 * What other partitions found for the partitions of this worker: read for all of them at once, and handed to each on
 * request.
 */
import type { Queries } from "./postgres/connection.ts";

export interface InboxRow {
  /** As PostgreSQL writes it. Its order is not the order of commits, so it cannot be a cursor. */
  seq: string;
  bytes: Uint8Array;
}

/** The most rows to read at once, and the most that may wait for one partition. */
const MOST_ROWS = 500;
const MOST_WAITING = 50;
/** How long a used row is remembered: by then its deletion is committed. Reading it again would change nothing. */
const FORGET_MS = 30_000;

export class PartInbox {
  readonly #waiting: InboxRow[] = [];
  #wake: (() => void) | null = null;
  #hasEnded = false;

  get size(): number {
    return this.#waiting.length;
  }

  push(row: InboxRow): void {
    this.#waiting.push(row);
    this.#wake?.();
  }

  /** Ends the source that reads it. */
  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  /** Returns all rows that wait, and waits for the first one. Empty once the partition has ended. */
  async next(): Promise<InboxRow[]> {
    while (this.#waiting.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    return this.#hasEnded ? [] : this.#waiting.splice(0);
  }
}

export class Inboxes {
  readonly #parts = new Map<number, PartInbox>();
  /** Rows that were read, with when. */
  readonly #read = new Map<string, number>();
  readonly #monotonic: () => number;
  #looks = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  open(part: number): PartInbox {
    const inbox = new PartInbox();
    this.#parts.set(part, inbox);
    return inbox;
  }

  close(part: number): void {
    this.#parts.get(part)?.end();
    this.#parts.delete(part);
    // The next worker that opens the partition, perhaps this one, has to read its rows again.
    this.#read.clear();
  }

  /** Reads what is new for the running partitions, and returns which of the idle ones have new rows. */
  async poll(queries: Queries, schema: string, idle: readonly number[]): Promise<{ rows: number; woken: number[] }> {
    const now = this.#monotonic();
    for (const [seq, at] of this.#read) if (now - at > FORGET_MS) this.#read.delete(seq);
    const hungry = [...this.#parts].filter(([, inbox]) => inbox.size < MOST_WAITING).map(([part]) => part);
    // Each read begins with another partition, so that none is left out when there is much to read.
    hungry.push(...hungry.splice(0, this.#looks++ % Math.max(1, hungry.length)));
    const rows = await queries.query<InboxRow & { part: number }>(
      // Reads from each partition's own end of the index; otherwise, a list of millions would be sorted on every read.
      `SELECT x.part, i.seq::text AS seq, i.bytes FROM unnest($1::int[]) AS x(part), LATERAL (
         SELECT seq, bytes FROM ${schema}.inbox WHERE part = x.part AND seq <> ALL($2::bigint[]) ORDER BY seq LIMIT ${MOST_WAITING}) i
       LIMIT ${MOST_ROWS}`,
      [hungry, [...this.#read.keys()]],
    );
    for (const { part, seq, bytes } of rows) {
      const inbox = this.#parts.get(part);
      if (inbox === undefined) continue;
      this.#read.set(seq, now);
      inbox.push({ seq, bytes });
    }
    if (idle.length === 0) return { rows: rows.length, woken: [] };
    const woken = await queries.query<{ part: number }>(
      `SELECT part FROM unnest($1::int[]) AS x(part) WHERE EXISTS (SELECT FROM ${schema}.inbox i WHERE i.part = x.part)`,
      [idle],
    );
    return { rows: rows.length, woken: woken.map(({ part }) => part) };
  }
}
