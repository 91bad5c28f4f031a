/**
 * How long it takes to read what a partition knows, as a worker does when it takes the partition over, and how many
 * bytes that is.
 */
import { randomUUID } from "node:crypto";
import { fleetPlace, OwnedLedger } from "../src/fleet/testing/ledger-harness.ts";
import { inspect, type TestPostgres } from "../src/fleet/testing/postgres-server.ts";

export interface Recovery {
  rows: number;
  bytesPerUrl: number;
  bytesPerTask: number;
  perSecond: number;
}

export async function recovery(postgres: TestPostgres, rows: number): Promise<Recovery> {
  const schema = await fleetPlace(postgres.url);
  // Statements that take minutes; the fleet's own connection would give them up.
  await postgres.ask(
    `INSERT INTO ${schema}.urls (part, id, key, verdict, state, lane, place, depth, parent, via, kind, hops)
     SELECT 0, n, 'https://www.example.com/section-' || n % 1000 || '/article-' || n || '-${randomUUID().slice(0, 8)}', 0,
       CASE WHEN n % 2 = 0 THEN 0 ELSE 1 END, 'www.example.com', n, n % 12, n / 2, 1, 1, 0 FROM generate_series(1, ${rows}) n`,
  );
  await postgres.ask(
    `INSERT INTO ${schema}.tasks (part, lane, place, id) SELECT 0, 'www.example.com', n, n FROM generate_series(2, ${rows}, 2) n`,
  );
  // One that never committed anything is new, and would not be read.
  await postgres.ask(`UPDATE ${schema}.parts SET commits = 1 WHERE part = 0`);
  const connection = inspect(postgres);
  const [sizes] = await connection.query<{ urls: number; tasks: number }>(
    `SELECT pg_total_relation_size('${schema}.urls')::float8 AS urls, pg_total_relation_size('${schema}.tasks')::float8 AS tasks`,
  );
  await connection.close();
  const ledger = new OwnedLedger(postgres.url, schema);
  let read = 0;
  const startedAt = performance.now();
  await ledger.open(() => {
    read++;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await ledger.close();
  return {
    rows: read,
    bytesPerUrl: sizes!.urls / rows,
    bytesPerTask: sizes!.tasks / Math.floor(rows / 2),
    perSecond: read / seconds,
  };
}
