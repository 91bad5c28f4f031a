/** On Debian's ClickHouse, in a time zone that is not the one of the tests. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ClickHouseTarget } from "./clickhouse-target.ts";
import { schemaOf } from "./replay-tables.ts";
import { startClickHouse } from "./testing/clickhouse-server.ts";
import { testReplayPromises } from "./testing/replay-promises.ts";

const server = await startClickHouse("America/New_York");
if (server === null) {
  test("replay into a ClickHouse server", { skip: "clickhouse-server is not installed" }, () => {});
} else {
  after(() => server[Symbol.asyncDispose]());
  let databases = 0;
  testReplayPromises({
    async emptyTarget() {
      const database = `test_${++databases}`;
      await using first = new ClickHouseTarget(server.address);
      await first.command(`CREATE DATABASE ${database}`);
      return new ClickHouseTarget({ ...server.address, database });
    },
    microseconds: false,
  });

  test("a server before 20.1 gets times without fractions", async () => {
    await using target = new ClickHouseTarget(server.address);
    const [version] = await target.rows("SELECT version() AS version");
    const isOld = Number.parseInt(String(version?.["version"]), 10) < 20;
    assert.equal((await schemaOf(target)).join().includes("DateTime64"), !isOld);
  });

  test("what the server refuses is an error for people, in one line", async () => {
    await using target = new ClickHouseTarget(server.address);
    await assert.rejects(target.command("SELEKT 1"), (error: Error & { code: string }) => {
      assert.equal(error.code, "CLICKHOUSE_FAILED");
      assert.match(error.message, /Syntax error/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
}

test("a server that is not there, and an address that is not valid", async () => {
  await using target = new ClickHouseTarget({
    url: "http://127.0.0.1:1",
    database: "default",
    username: "default",
    password: "secret",
  });
  await assert.rejects(target.rows("SELECT 1"), (error: Error & { code: string }) => {
    assert.equal(error.code, "CLICKHOUSE_FAILED");
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  assert.throws(() => new ClickHouseTarget({ url: "nonsense", database: "", username: "", password: "" }), {
    code: "BAD_USAGE",
  });
});
