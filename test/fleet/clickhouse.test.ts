/** `--records clickhouse`: a row of facts per page, one for each whatever happened, and a pull that is one machine's crawl. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { ClickHouseTarget } from "../../src/atproto/replay/clickhouse-target.ts";
import { startClickHouse } from "../../src/atproto/replay/testing/clickhouse-server.ts";
import { ClickHouseRecords, encodeOutside } from "../../src/fleet/site/clickhouse-records.ts";
import { inspect, TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { NO_PAGE } from "../../src/site/facts/fact-rows.ts";
import { Trawl } from "../cli/trawl.ts";
import { FleetProof } from "./proof/proof.ts";

const postgres = await TestPostgres.start();
const clickHouse = await startClickHouse();
const trawl = new Trawl();
after(async () => {
  trawl.remove();
  await postgres?.stop();
  await clickHouse?.[Symbol.asyncDispose]();
});
const skip = (postgres === null || clickHouse === null) && "PostgreSQL or ClickHouse is not installed";

describe("records in ClickHouse", { skip }, () => {
  const address = () => `${clickHouse!.address.url}/default`;

  it("a worker is killed: one row per page, none in PostgreSQL, and the pull is one machine's crawl", async (t) => {
    const start = ["--records", "clickhouse", "--clickhouse", address()];
    const proof = new FleetProof({ hosts: 12, pages: 24, rate: 6, speed: 5, postgres: () => postgres!.url, start });
    const target = new ClickHouseTarget(clickHouse!.address);
    t.after(async () => {
      await proof.close();
      await target[Symbol.asyncDispose]();
    });
    await proof.open();
    proof.work();
    await proof.reach(60);
    await proof.kill([...proof.workers][0]!);
    proof.work();
    proof.work();
    await proof.end();
    const { urls } = await proof.compare();
    assert.ok(urls > 12 * 24);
    assert.deepEqual(await proof.storedOnce("records in ClickHouse"), { records: 0 });

    const table = `\`trawl_fleet_${proof.name}\``;
    const [row] = await target.rows(
      `SELECT toUInt32(count()) AS n, toUInt32(uniqExact(url)) AS urls, toUInt32(countIf(status = 302)) AS redirects,
         toUInt32(countIf(status = 302 AND redirect_to LIKE 'http://%/p%')) AS moved FROM ${table} FINAL`,
    );
    const { n, urls: different, moved, redirects } = row as Record<string, number>;
    assert.equal(n, await proof.settled(), "a row for each URL that was fetched");
    assert.equal(different, n);
    assert.ok(redirects! > 0);
    assert.equal(moved, redirects, "the targets of redirects are URLs");
    const [page] = await target.rows(`SELECT title FROM ${table} FINAL WHERE url LIKE '%/p7' LIMIT 1`);
    assert.deepEqual(page, { title: "7" });

    await proof.trawl("fleet", "rm", proof.name, "--yes");
    assert.deepEqual(await target.rows(`SELECT name FROM system.tables WHERE name = 'trawl_fleet_${proof.name}'`), []);
  });

  it("what is inserted again replaces what was there, by the later version, whatever its id was", async () => {
    const records = await ClickHouseRecords.open(address(), "again", "");
    await records.create();
    const insert = (id: number, at: number, title: string) => {
      const record = { page: { ...NO_PAGE, title }, rendered: null, links: new Int32Array(), texts: [], html: null };
      const shared = { key: "http://a.example/", record: record as never, own: new Map(), foreign: [] };
      return records.insert([{ part: 0, id, line: encodeOutside(shared, () => at).outside! }]);
    };
    await insert(9, 2, "later, with a \ttab, a \\ and a \nbreak");
    await insert(7, 1, "before it was lost");
    const found = [];
    for await (const batch of records.batches(0, [7, 9])) found.push(...batch);
    assert.deepEqual(
      found.map(({ id, url }) => [id, url]),
      [[9, "http://a.example/"]],
    );
    const target = new ClickHouseTarget(clickHouse!.address);
    assert.deepEqual(await target.rows("SELECT id, title, status FROM trawl_fleet_again FINAL"), [
      { id: 9, title: "later, with a \ttab, a \\ and a \nbreak", status: null },
    ]);
    await target[Symbol.asyncDispose]();
    await records.drop();
    await records.close();
  });

  it("a password, no address, and a server that is not there are refused, and nothing is started", async () => {
    for (const [url, expected] of [
      ["http://me:swordfish@127.0.0.1:1/x", /stored with the crawl[\s\S]*CLICKHOUSE_PASSWORD/],
      ["127.0.0.1:1", /http:\/\/user@host:8123\/database/],
      ["http://127.0.0.1:1/x", /ClickHouse at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/],
    ] as const) {
      const typed = ["nothing", "http://127.0.0.1:1/", "--records", "clickhouse", "--clickhouse", url];
      const { code, stderr } = await trawl.run("fleet", "start", ...typed, "--postgres", postgres!.url);
      assert.notEqual(code, 0);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /swordfish/);
    }
    const connection = inspect(postgres!);
    const at = ["--postgres", postgres!.url];
    const stored = ["--records", "clickhouse", "--clickhouse", address()];
    assert.equal((await trawl.run("fleet", "start", "gone", "http://127.0.0.1:1/", ...stored, ...at)).code, 0);
    await connection.query(`UPDATE "trawl_fleet_gone".job SET records = 'http://127.0.0.1:1/x'`);
    const removed = await trawl.run("fleet", "rm", "gone", "--yes", ...at);
    assert.match(
      removed.stderr,
      /gone is deleted, but not its records\. ClickHouse at [\s\S]*DROP TABLE `trawl_fleet_gone`/,
    );
    assert.deepEqual(await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = 'trawl_fleet_gone'"), []);
    assert.deepEqual(await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = 'trawl_fleet_nothing'"), []);
    await connection.close();
  });
});
