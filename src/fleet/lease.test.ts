/** Taking partitions over, in a real database: each goes to one worker, and all of a share in one statement. */
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { type Lease, PART_COLUMNS, type PartRow, takeLeases } from "./lease.ts";
import type { Queries } from "./postgres/connection.ts";
import { fleetPlace } from "./testing/ledger-harness.ts";
import { inspect, NO_POSTGRES, TestPostgres } from "./testing/postgres-server.ts";

const postgres = await TestPostgres.start();
after(() => postgres?.stop());

it("of workers that want the same partitions at once, each gets what no other has, by one statement", {
  skip: postgres === null && NO_POSTGRES,
}, async (t) => {
  const schema = await fleetPlace(postgres!.url);
  const connections = Array.from({ length: 4 }, () => inspect(postgres!));
  t.after(() => Promise.all(connections.map((connection) => connection.close())));
  const [first] = connections as [(typeof connections)[number]];
  await first.query(
    `INSERT INTO ${schema}.parts (part, token) SELECT n, gen_random_uuid() FROM generate_series(1, 127) n`,
  );
  const look = () => first.query<PartRow>(`SELECT ${PART_COLUMNS} FROM ${schema}.parts ORDER BY part`);
  for (let round = 0; round < 5; round++) {
    const seen = await look();
    let statements = 0;
    const taken = await Promise.all(
      connections.map((connection, worker) => {
        const queries: Queries = {
          query: (text, values) => {
            statements++;
            return connection.query(text, values);
          },
        };
        // Some begin at the other end, so that they meet in the middle.
        return takeLeases(queries, schema, worker % 2 === 0 ? seen : seen.toReversed(), `w${worker}`);
      }),
    );
    assert.equal(statements, 4);
    const all: Lease[] = taken.flat();
    assert.deepEqual(new Set(all.map(({ part }) => part)).size, all.length, "none has two owners");
    const now = new Map((await look()).map((row) => [row.part, row]));
    for (const [worker, leases] of taken.entries()) {
      for (const { part, token } of leases) {
        assert.deepEqual([now.get(part)!.owner, now.get(part)!.token], [`w${worker}`, token]);
      }
    }
    assert.ok(all.length > 0);
    assert.equal(seen.filter(({ part, token }) => now.get(part)!.token !== token).length, all.length);
  }
  assert.deepEqual(await takeLeases(first, schema, [{ part: 0, token: (await look())[1]!.token }], "w"), []);
});
