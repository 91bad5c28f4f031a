/**
 * Group commit of a worker: one transaction over all its partitions, a few times per second.
 *
 * The first statement checks every partition's token and commit number, and raises the number. If a partition is
 * missing in the answer, another worker has taken it over, and nothing of it is written. When the connection breaks
 * around COMMIT, the number shows whether the transaction was carried out, so it is neither lost nor repeated.
 */
import { TrawlError } from "../errors.ts";
import type { Lease } from "./lease.ts";
import type { OutsideRow, PartBatch } from "./part-batch.ts";
import { applyBatches, NO_CHANGE, type PartChange } from "./postgres/apply-batches.ts";
import type { Connection, Queries } from "./postgres/connection.ts";
import { databaseError } from "./postgres/database-errors.ts";
import { type Patience, patiently } from "./postgres/patience.ts";

export interface CommitGroupOptions extends Patience {
  connection: Connection;
  schema: string;
  /** The time between the starts of two transactions, unless a caller waits for what was collected. */
  collectMs: number;
  /** Called when finds for other partitions are in their inboxes. */
  onSent?: () => void;
  /**
   * Stores records outside PostgreSQL, before the commit that settles them. A record that is stored twice replaces
   * itself.
   */
  insert?: ((rows: readonly OutsideRow[]) => Promise<void>) | undefined;
}

interface Waiting {
  batch: PartBatch;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Member {
  lease: Lease;
  waiting: Waiting[];
  failure: TrawlError | null;
}

/** What one transaction contains of a partition. */
interface Share {
  member: Member;
  batches: Waiting[];
  /** Resolves when it was written, or refused. */
  isDone?: true;
}

export class CommitGroup {
  readonly #options: CommitGroupOptions;
  readonly #members = new Map<number, Member>();
  #isRunning = false;
  #hurry: (() => void) | null = null;
  #isUrgent = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  #idle: (() => void)[] = [];
  #hasEnded = false;
  readonly patience: Patience;
  /** Transactions so far, and the tasks they settled. */
  commits = 0;
  settled = 0;

  constructor(options: CommitGroupOptions) {
    this.#options = options;
    const { clock, mayRetry, onTrouble } = options;
    this.patience = { clock, onTrouble, mayRetry: () => !this.#hasEnded && mayRetry() };
  }

  join(lease: Lease): void {
    this.#members.set(lease.part, { lease: { ...lease }, waiting: [], failure: null });
  }

  leave(part: number): void {
    this.#members.delete(part);
  }

  /** The lease with the number of its next commit; null for a partition that was lost. */
  leaseOf(part: number): Lease | null {
    const member = this.#members.get(part);
    return member === undefined || member.failure !== null ? null : { ...member.lease };
  }

  /** Resolves when the batch is durable. */
  commit(part: number, batch: PartBatch): Promise<void> {
    const member = this.#members.get(part);
    if (member === undefined) return Promise.reject(fenced(part));
    if (member.failure !== null) return Promise.reject(member.failure);
    return new Promise((resolve, reject) => {
      member.waiting.push({ batch, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** A caller waits, so what was collected is sent now. */
  hurry(): void {
    this.#isUrgent = true;
    this.#hurry?.();
  }

  /** Gives up: nothing more is sent, and all callers that wait are told so. */
  end(): void {
    this.#hasEnded = true;
    for (const member of this.#members.values())
      this.#fail(member, member.waiting.splice(0), fenced(member.lease.part));
    this.hurry();
  }

  get isIdle(): boolean {
    return !this.#isRunning;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#isRunning) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#hasWork()) {
      await this.#collect();
      await this.#send();
    }
    this.#isRunning = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #hasWork(): boolean {
    for (const { waiting } of this.#members.values()) if (waiting.length > 0) return true;
    return false;
  }

  async #collect(): Promise<void> {
    const { clock, collectMs } = this.#options;
    const passed = Math.max(0, clock.now() - this.#sentAt);
    if (!this.#isUrgent && passed < collectMs) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(collectMs - passed, resolve);
        this.#hurry = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#hurry = null;
    this.#isUrgent = false;
    this.#sentAt = clock.now();
  }

  async #send(): Promise<void> {
    const shares: Share[] = [];
    for (const member of this.#members.values()) {
      if (member.waiting.length > 0) shares.push({ member, batches: member.waiting.splice(0) });
    }
    let tries = 0;
    try {
      await this.#insert(shares);
      await patiently(this.patience, () => this.#attempt(shares, tries++ > 0));
    } catch (error) {
      for (const share of shares) if (!share.isDone) this.#lose(share, databaseError(error));
    }
  }

  /** Outside the transaction, which must not wait for another server. */
  async #insert(shares: Share[]): Promise<void> {
    const { insert } = this.#options;
    if (insert === undefined) return;
    const rows = shares.flatMap(({ member, batches }) =>
      batches.flatMap(({ batch }) =>
        batch.settled.flatMap(({ id, outside }) =>
          outside === undefined ? [] : [{ part: member.lease.part, id, line: outside }],
        ),
      ),
    );
    if (rows.length > 0) await patiently(this.patience, () => insert(rows));
  }

  /** `isAgain`: the connection broke, so an earlier try may have been carried out, or may be under way on the server. */
  async #attempt(all: Share[], isAgain: boolean): Promise<void> {
    const { connection, schema } = this.#options;
    const shares = all.filter(({ isDone }) => !isDone);
    const written = await connection.transaction(async (queries) => {
      const held = await this.#fence(queries, shares);
      const mine = shares.filter(({ member }) => held.has(member.lease.part));
      await this.#write(queries, mine);
      return held;
    });
    this.commits++;
    const missing = shares.filter(({ member }) => !written.has(member.lease.part));
    for (const share of shares) if (written.has(share.member.lease.part)) this.#succeed(share);
    if (shares.some(({ batches }) => batches.some(({ batch }) => batch.sent.length > 0))) this.#options.onSent?.();
    if (missing.length === 0) return;
    const now = await tokens(connection, schema, missing);
    for (const share of missing) {
      const { part, token, commits } = share.member.lease;
      // An earlier try was carried out after all: only we know this token, and only that try had this number.
      const isCarriedOut = isAgain && now.get(part)?.token === token && now.get(part)?.commits === commits + 1;
      if (isCarriedOut) this.#succeed(share);
      else this.#lose(share, fenced(part));
    }
  }

  /** The partitions that are still ours, locked until the transaction ends. */
  async #fence(queries: Queries, shares: Share[]): Promise<Set<number>> {
    const leases = shares.map(({ member }) => member.lease);
    const rows = await queries.query<{ part: number }>(
      `UPDATE ${this.#options.schema}.parts p SET commits = p.commits + 1
       FROM unnest($1::int[], $2::uuid[], $3::bigint[]) AS x(part, token, commits)
       WHERE p.part = x.part AND p.token = x.token AND p.commits = x.commits RETURNING p.part`,
      [leases.map(({ part }) => part), leases.map(({ token }) => token), leases.map(({ commits }) => commits)],
    );
    return new Set(rows.map(({ part }) => part));
  }

  async #write(queries: Queries, shares: Share[]): Promise<void> {
    const total = new Map<number, PartChange>();
    // Batches of one partition are applied one after the other: a later one may admit again what an earlier one refused.
    const rounds: Promise<Map<number, PartChange>>[] = [];
    for (let round = 0; shares.some(({ batches }) => batches.length > round); round++) {
      const rows = shares
        .filter(({ batches }) => batches.length > round)
        .map(({ member, batches }) => ({ part: member.lease.part, batch: batches[round]!.batch }));
      rounds.push(applyBatches(queries, this.#options.schema, rows));
    }
    for (const changes of await Promise.all(rounds)) {
      for (const [part, change] of changes) {
        const sum = total.get(part) ?? { ...NO_CHANGE };
        for (const name of ["opened", "closed", "settled"] as const) sum[name] += change[name];
        total.set(part, sum);
      }
    }
    const changed = [...total].filter(([, { opened, closed }]) => opened !== 0 || closed !== 0);
    if (changed.length === 0) return;
    await queries.query(
      `UPDATE ${this.#options.schema}.parts p SET open = p.open + x.opened - x.closed, settled = p.settled + x.settled
       FROM unnest($1::int[], $2::int[], $3::int[], $4::int[]) AS x(part, opened, closed, settled) WHERE p.part = x.part`,
      [
        changed.map(([part]) => part),
        changed.map(([, { opened }]) => opened),
        changed.map(([, { closed }]) => closed),
        changed.map(([, { settled }]) => settled),
      ],
    );
  }

  #succeed(share: Share): void {
    share.isDone = true;
    for (const { batch } of share.batches) this.settled += batch.settled.length;
    share.member.lease.commits++;
    for (const { resolve } of share.batches) resolve();
  }

  #lose(share: Share, error: TrawlError): void {
    share.isDone = true;
    this.#fail(share.member, share.batches, error);
  }

  /** Batches build on each other, so none that comes later is sent either. */
  #fail(member: Member, batches: Waiting[], error: TrawlError): void {
    member.failure ??= error;
    for (const { reject } of [...batches, ...member.waiting.splice(0)]) reject(error);
  }
}

async function tokens(
  connection: Connection,
  schema: string,
  shares: Share[],
): Promise<Map<number, { token: string; commits: number }>> {
  const rows = await connection.query<{ part: number; token: string; commits: number }>(
    `SELECT part, token, commits::float8 AS commits FROM ${schema}.parts WHERE part = ANY($1::int[])`,
    [shares.map(({ member }) => member.lease.part)],
  );
  return new Map(rows.map((row) => [row.part, row]));
}

const fenced = (part: number): TrawlError =>
  new TrawlError("FLEET_FENCED", `Part ${part} of the crawl belongs to another worker now.`);
