/** A test environment for a fleet's ledger: one partition of a crawl of its own. */
import { randomUUID } from "node:crypto";
import { systemClock } from "../../kernel/clock.ts";
import type { Known, Ledger, Recovered } from "../../kernel/ledger.ts";
import type { LedgerHarness, TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { PLAIN_META, type PlainMeta } from "../../kernel/testing/samples.ts";
import { CommitGroup, type CommitGroupOptions } from "../commit-group.ts";
import { FleetLedger } from "../fleet-ledger.ts";
import { PART_COLUMNS, type PartRow, takeLeases } from "../lease.ts";
import { Connection } from "../postgres/connection.ts";
import { createTables, schemaOf } from "../postgres/schema.ts";

/** Text in, text out; a record without text cannot be stored. */
export const encodeTestRecord = (record: TestRecord) => ({ bytes: Buffer.from(record.text), foreign: [] });

const encodeTestRecordOutside = (record: TestRecord) => ({
  bytes: null,
  foreign: [],
  outside: Buffer.from(record.text),
});

/** A ledger with its own connections, like that of a worker. Opening it takes the partition over. */
export class OwnedLedger extends FleetLedger<TestRecord, PlainMeta> implements Ledger<TestRecord, PlainMeta> {
  readonly connections: Connection[];
  readonly group: CommitGroup;
  /** Called when a statement failed and is tried again. */
  onTrouble: (error: unknown) => void = () => {};
  readonly #schema: string;
  #isAlive: boolean;

  /** `insert`: stores records outside PostgreSQL. */
  constructor(url: string, schema: string, insert?: CommitGroupOptions["insert"]) {
    const [reading, writing] = [new Connection([url]), new Connection([url])];
    const life = { isAlive: true };
    const group = new CommitGroup({
      connection: writing,
      schema,
      clock: systemClock,
      collectMs: 0,
      mayRetry: () => life.isAlive,
      onTrouble: (error) => this.onTrouble(error),
      insert,
    });
    super({
      part: 0,
      schema,
      connection: reading,
      group,
      codec: PLAIN_META,
      encode: insert === undefined ? encodeTestRecord : encodeTestRecordOutside,
      route: () => null,
    });
    this.connections = [reading, writing];
    this.group = group;
    this.#schema = schema;
    this.#isAlive = true;
    this.kill = () => {
      life.isAlive = false;
      this.#isAlive = false;
      group.end();
      return Promise.all(this.connections.map((connection) => connection.destroy())).then(() => {});
    };
  }

  /** Ends it as the end of its process would: nothing more is sent to the database. */
  readonly kill: () => Promise<void>;

  override async open(onKnown: (known: Known) => void): Promise<Recovered> {
    const lease = await retried(async () => {
      const [row] = await this.connections[0]!.query<PartRow>(`SELECT ${PART_COLUMNS} FROM ${this.#schema}.parts`);
      const [taken] = await takeLeases(this.connections[0]!, this.#schema, [row!], "tester");
      if (taken === undefined) throw new Error("the server has not heard yet that the one before was killed");
      return taken;
    });
    this.group.join(lease);
    return super.open(onKnown);
  }

  override async close(): Promise<void> {
    await super.close();
    if (this.#isAlive) await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

export async function fleetPlace(url: string): Promise<string> {
  const schema = schemaOf(`t${randomUUID().slice(0, 18)}`);
  const connection = new Connection([url]);
  for (const statement of createTables(schema)) await retried(() => connection.query(statement));
  await retried(() =>
    connection.query(`INSERT INTO ${schema}.parts (part, token) VALUES (0, $1) ON CONFLICT DO NOTHING`, [randomUUID()]),
  );
  await connection.close();
  return schema;
}

/**
 * `crash` takes the whole server down, also for the ledgers of tests that run at the same time, which recover by
 * themselves.
 */
export async function fleetHarness(url: string, crash: () => Promise<void>): Promise<LedgerHarness> {
  const schema = await fleetPlace(url);
  let current: OwnedLedger | null = null;
  const connection = new Connection([url]);
  return {
    ledger() {
      current = new OwnedLedger(url, schema);
      return current;
    },
    async crash() {
      const abandoned = current;
      current = null;
      await crash();
      await abandoned?.kill();
    },
    async records() {
      const rows = await retried(() =>
        connection.query<{ id: number; bytes: Buffer }>(`SELECT id, bytes FROM ${schema}.records ORDER BY ctid`),
      );
      return rows.map(({ id, bytes }) => ({ id, record: { text: bytes.toString() } }));
    },
    async dispose() {
      await current?.kill();
      await retried(() => connection.query(`DROP SCHEMA ${schema} CASCADE`));
      await connection.close();
    },
  };
}

/** Another test may have taken the server down. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: string };
      // What was carried out before the answer was lost.
      if (tries > 0 && (code === "42P06" || code === "42P07" || code === "3F000")) return [] as T;
      if (tries === 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
