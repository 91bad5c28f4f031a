/** What protects a partition from two writers, and a commit from being lost or repeated when the connection breaks. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { reopen } from "../kernel/testing/ledger-harness.ts";
import { batch, done, ids, range } from "../kernel/testing/promise-samples.ts";
import { anAdmitted } from "../kernel/testing/samples.ts";
import { consumedNote } from "./fleet-notes.ts";
import type { OutsideRow } from "./part-batch.ts";
import type { Connection } from "./postgres/connection.ts";
import { databaseError, isBroken } from "./postgres/database-errors.ts";
import { CuttingProxy } from "./testing/cutting-proxy.ts";
import { fleetPlace, OwnedLedger } from "./testing/ledger-harness.ts";
import { inspect, NO_POSTGRES, TestPostgres } from "./testing/postgres-server.ts";

const postgres = await TestPostgres.start();
after(() => postgres?.stop());

/** The counts that decide about the end of a crawl, beside what they count. */
async function counts(connection: Connection, schema: string) {
  const [row] = await connection.query<{ open: number; tasks: number; settled: number; records: number }>(
    `SELECT sum(open)::int AS open, (SELECT count(*) FROM ${schema}.tasks)::int AS tasks, sum(settled)::int AS settled,
       (SELECT count(*) FROM ${schema}.records)::int AS records FROM ${schema}.parts`,
  );
  return row!;
}

describe("commits of a fleet", { skip: postgres === null && NO_POSTGRES }, () => {
  it("a worker whose partition was taken over writes nothing any more, whatever it believes", async () => {
    const schema = await fleetPlace(postgres!.url);
    const old = await reopen({ ledger: () => new OwnedLedger(postgres!.url, schema) });
    await old.ledger.commit(batch({ admitted: [anAdmitted(1), anAdmitted(2)] }));
    const fresh = await reopen({ ledger: () => new OwnedLedger(postgres!.url, schema) });
    assert.deepEqual(ids(fresh.known), [1, 2]);
    await assert.rejects(old.ledger.commit(batch({ settled: [done(1)], admitted: [anAdmitted(3)] })), {
      code: "FLEET_FENCED",
    });
    await assert.rejects(old.ledger.commit(batch({ notes: [{ key: "late", value: "" }] })), { code: "FLEET_FENCED" });
    await fresh.ledger.commit(batch({ settled: [done(2)] }));
    await Promise.all([old.ledger.close(), fresh.ledger.close()]);
    const connection = inspect(postgres!);
    const { open, tasks, records } = await counts(connection, schema);
    assert.deepEqual({ open, tasks, records }, { open: 1, tasks: 1, records: 1 });
    assert.deepEqual(await connection.query(`SELECT key FROM ${schema}.notes`), []);
    await connection.close();
  });

  it("what was read of the inbox is deleted by the commit that admits it, and by no other", async () => {
    const schema = await fleetPlace(postgres!.url);
    const connection = inspect(postgres!);
    const rows = await connection.query<{ seq: string }>(
      `INSERT INTO ${schema}.inbox (part, bytes) SELECT 0, 'x' FROM generate_series(1, 3) RETURNING seq::text AS seq`,
    );
    const [first, second, third] = rows.map(({ seq }) => seq) as [string, string, string];
    const { ledger } = await reopen({ ledger: () => new OwnedLedger(postgres!.url, schema) });
    await ledger.commit(batch({ admitted: [anAdmitted(1)], notes: [consumedNote([first, third])] }));
    assert.deepEqual(await connection.query(`SELECT seq::text AS seq FROM ${schema}.inbox`), [{ seq: second }]);
    assert.deepEqual(await connection.query(`SELECT key FROM ${schema}.notes`), [], "it is not a note");
    await ledger.close();
    await connection.close();
  });

  it("workers wait for a full disk and report it: nothing is lost", async () => {
    const schema = await fleetPlace(postgres!.url);
    const connection = inspect(postgres!);
    // As PostgreSQL itself refuses a row when there is no room for it.
    await connection.query(
      `CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
    );
    await connection.query(
      `CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.records FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`,
    );
    const { ledger } = await reopen({ ledger: () => new OwnedLedger(postgres!.url, schema) });
    await ledger.commit(batch({ admitted: [anAdmitted(1)] }));
    const trouble = Promise.withResolvers<unknown>();
    (ledger as OwnedLedger).onTrouble = trouble.resolve;
    const committed = ledger.commit(batch({ settled: [done(1)] }));
    const { message, hint } = databaseError(await Promise.race([trouble.promise, committed]));
    assert.match(`${message} ${hint}`, /No space left on device\. Make room on the disk/);
    await connection.query(`DROP TRIGGER full_disk ON ${schema}.records`);
    await committed;
    assert.deepEqual(await counts(connection, schema), { open: 0, tasks: 0, settled: 1, records: 1 });
    await ledger.close();
    await connection.close();
  });

  it("a record that is kept elsewhere is stored before its page is settled, and waited for", async () => {
    const schema = await fleetPlace(postgres!.url);
    const connection = inspect(postgres!);
    const stored: string[] = [];
    let isDown = true;
    const insert = async (rows: readonly OutsideRow[]) => {
      assert.equal((await counts(connection, schema)).settled, 0);
      if (isDown) throw new Error("ClickHouse at 127.0.0.1: connect ECONNREFUSED");
      for (const { part, id, line } of rows) stored.push(`${part} ${id} ${line.toString()}`);
    };
    const { ledger } = await reopen({ ledger: () => new OwnedLedger(postgres!.url, schema, insert) });
    await ledger.commit(batch({ admitted: [anAdmitted(1)] }));
    const trouble = Promise.withResolvers<unknown>();
    (ledger as OwnedLedger).onTrouble = trouble.resolve;
    const committed = ledger.commit(batch({ settled: [done(1)] }));
    const said = await Promise.race([
      trouble.promise,
      committed.then(() => assert.fail("it was settled without its record")),
    ]);
    assert.equal(databaseError(said).message, "ClickHouse at 127.0.0.1: connect ECONNREFUSED.");
    isDown = false;
    await committed;
    assert.deepEqual(stored, [`0 1 ${done(1).record!.text}`]);
    assert.deepEqual(await counts(connection, schema), { open: 0, tasks: 0, settled: 1, records: 0 });
    await ledger.close();
    await connection.close();
  });

  it("a worker that froze in mid-transaction does not keep its partition from the others for ever", async () => {
    const schema = await fleetPlace(postgres!.url);
    const frozen = inspect(postgres!);
    const [written, thawed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = frozen.transaction(async (queries) => {
      await queries.query(`UPDATE ${schema}.parts SET commits = commits + 1`);
      written.resolve();
      await thawed.promise;
      await queries.query(`UPDATE ${schema}.parts SET commits = commits + 1`);
    });
    await written.promise;
    // The harness asks for the partition until it gets it.
    const { ledger } = await reopen({ ledger: () => new OwnedLedger(postgres!.url, schema) });
    thawed.resolve();
    await assert.rejects(transaction, (error) => isBroken(error));
    await ledger.commit(batch({ admitted: [anAdmitted(1)] }));
    await ledger.close();
    await frozen.close();
  });

  for (const cut of ["before", "after"] as const) {
    it(`a connection cut ${cut} COMMIT is heard neither loses the commit nor repeats it`, async () => {
      const proxy = await CuttingProxy.start(postgres!.port);
      const schema = await fleetPlace(postgres!.url);
      const { ledger } = await reopen({ ledger: () => new OwnedLedger(proxy.url, schema) });
      await ledger.commit(batch({ admitted: [anAdmitted(1)] }));
      for (const id of range(2, 6)) {
        proxy.cutNext(cut);
        await ledger.commit(batch({ admitted: [anAdmitted(id)], settled: [done(id - 1)] }));
      }
      assert.equal(proxy.cutsMade, 5);
      await ledger.close();
      const connection = inspect(postgres!);
      assert.deepEqual(await counts(connection, schema), { open: 1, tasks: 1, settled: 5, records: 5 });
      const [part] = await connection.query<{ commits: number }>(`SELECT commits::int FROM ${schema}.parts`);
      assert.equal(part!.commits, 6, "every commit has one number");
      await connection.close();
      await proxy.stop();
    });
  }
});
