/** On the real engine; the runner gives this file a process of its own, should it crash. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ALL_COLLECTIONS, collectionFilter } from "../collection-filter.ts";
import { segmentPath } from "../rca/format/segment-names.ts";
import { ChdbTarget } from "./chdb-target.ts";
import { QueryDatabase, type QueryDatabaseOptions } from "./query-database.ts";
import { test } from "./testing/needs-chdb.ts";
import { fail, replay } from "./testing/replay-promises.ts";
import { LIKE, POST, SAMPLE, temporaryFolder, writeSegment } from "./testing/sample-archive.ts";

const open = (folder: string, options: Partial<QueryDatabaseOptions> = {}): Promise<QueryDatabase> =>
  QueryDatabase.open({
    folder,
    collections: ALL_COLLECTIONS,
    now: () => 1_750_000_000_000,
    onDamage: fail,
    ...options,
  });

async function rowsOf(database: QueryDatabase, sql: string): Promise<unknown[][]> {
  return collected((await database.query(sql)).rows);
}

async function collected(rows: AsyncIterable<unknown[]>): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const COUNTS = "SELECT collection, count() FROM repo_records GROUP BY collection ORDER BY collection";

test("records are loaded once, then only what is new", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE.slice(0, 2));
  {
    await using database = await open(folder.path);
    assert.equal(database.loaded.records, 3);
    assert.deepEqual(await rowsOf(database, COUNTS), [
      [LIKE, 1],
      [POST, 2],
    ]);
  }
  await writeSegment(folder.path, SAMPLE.slice(2));
  await using database = await open(folder.path);
  assert.deepEqual([database.loaded.segmentsSkipped, database.loaded.records], [1, 1]);
  assert.deepEqual(await rowsOf(database, "SELECT count() FROM repo_records FINAL"), [[4]]);
});

test("a repo is as it was crawled last: deleted records are rows that say so", async () => {
  await using folder = await temporaryFolder();
  const [repo] = SAMPLE;
  const later = { ...repo!, crawledAt: repo!.crawledAt + 5n, collections: { [POST]: { k2: { text: "left" } } } };
  await writeSegment(folder.path, [repo!]);
  await (await open(folder.path))[Symbol.asyncDispose]();
  await writeSegment(folder.path, [later]);
  {
    await using database = await open(folder.path);
    const rows = await rowsOf(
      database,
      "SELECT collection, rkey, record_json FROM repo_records WHERE operation != 'delete'",
    );
    assert.deepEqual(rows, [[POST, "k2", '{"text":"left"}']]);
  }
  await writeSegment(folder.path, [{ ...later, crawledAt: later.crawledAt + 1n, collections: {} }]);
  await using database = await open(folder.path);
  const counts = "SELECT operation, count() FROM repo_records GROUP BY operation";
  assert.deepEqual(await rowsOf(database, counts), [["delete", 3]]);
});

test("a database that replay filled shows the newest crawl too, and other archives in it stay", async () => {
  await using folder = await temporaryFolder();
  const [repo, , other] = SAMPLE;
  const archive = join(folder.path, "a");
  const database = join(folder.path, "db");
  await writeSegment(archive, [repo!, { ...repo!, crawledAt: repo!.crawledAt + 5n, collections: {} }]);
  await writeSegment(join(folder.path, "b"), [other!], 2 ** 30, 5_000);
  {
    await using target = await ChdbTarget.open(database);
    await replay(archive, target);
    await replay(join(folder.path, "b"), target);
  }
  await using queried = await open(archive, { database });
  assert.deepEqual(await rowsOf(queried, "SELECT repo FROM repo_records"), [[other!.did]]);
});

test("collections that were not asked for are not seen, loaded earlier or not", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE);
  const ask = async (patterns: string[]): Promise<unknown[][]> => {
    await using database = await open(folder.path, { collections: collectionFilter(patterns) });
    return await rowsOf(database, COUNTS);
  };
  assert.deepEqual(await ask([LIKE]), [[LIKE, 1]]);
  assert.deepEqual(await ask([]), [
    [LIKE, 1],
    [POST, 3],
  ]);
  assert.deepEqual(await ask(["app.bsky.feed.l*"]), [[LIKE, 1]]);
});

test("removed segments are no longer found", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE, 1);
  await (await open(folder.path))[Symbol.asyncDispose]();
  await rm(segmentPath(folder.path, 1, "rca"));
  await using database = await open(folder.path);
  assert.deepEqual(await rowsOf(database, "SELECT repo FROM repo_records"), [[SAMPLE[2]!.did]]);
});

test("columns come with their types, numbers without loss, and many rows piece by piece", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE);
  await using database = await open(folder.path);
  const { columns, rows } = await database.query(
    "SELECT 12345678901234567890 AS big, count() AS n, NULL AS nothing, 'it''s' AS text, [1, 2] AS list FROM repo_records",
  );
  assert.deepEqual(
    columns.map(({ name, type }) => `${name} ${type}`),
    ["big UInt64", "n UInt64", "nothing Nullable(Nothing)", "text String", "list Array(UInt8)"],
  );
  assert.deepEqual(await collected(rows), [["12345678901234567890", 4, null, "it's", [1, 2]]]);
  let sum = 0;
  for await (const [number] of (await database.query("SELECT number FROM numbers(200000)")).rows) sum += Number(number);
  assert.equal(sum, (199_999 * 200_000) / 2);
  for await (const row of (await database.query("SELECT number FROM numbers(10000000)")).rows) if (row[0] === 5) break;
  assert.deepEqual(await rowsOf(database, "SELECT 1 WHERE 0"), []);
  assert.equal((await rowsOf(database, "describe repo_records")).length, 8);
  assert.match(String(await rowsOf(database, "SHOW CREATE TABLE repo_records")), /ReplacingMergeTree/);
  assert.deepEqual(await rowsOf(database, "(SELECT 1) UNION ALL (SELECT 1)"), [[1], [1]]);
  assert.deepEqual(await rowsOf(database, "EXISTS TABLE repo_records"), [[1]]);
  assert.deepEqual((await rowsOf(database, "SHOW TABLES;")).flat(), [
    "plc_did_state",
    "replay_bookmarks",
    "replay_touched",
    "repo_accounts",
    "repo_records",
  ]);
});

test("a query can neither change anything nor reach beyond the tables", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE);
  await using database = await open(folder.path);
  const file = join(folder.path, "out.csv");
  const refused = [
    "INSERT INTO repo_records (repo) VALUES ('x')",
    "DELETE FROM repo_records WHERE 1",
    "DROP TABLE repo_records",
    "CREATE TABLE t (a Int8) ENGINE = Memory",
    "SET readonly = 0",
    "SELECT 1 SETTINGS readonly = 0",
    "SELECT 1; DROP TABLE repo_records",
    `SELECT 1 INTO OUTFILE '${file}'`,
    `SHOW TABLES INTO OUTFILE '${file}'`,
    `EXPLAIN SELECT 1 INTO OUTFILE '${file}'`,
    `INSERT INTO FUNCTION file('${file}') SELECT 1`,
    "SELECT 1 FORMAT CSV",
    "SHOW TABLES FORMAT CSV",
    "SELECT file('/etc/passwd')",
    "SELECT FILE('/etc/passwd')",
    "SELECT `file`('/etc/passwd')",
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
    "SELECT * FROM executable('ls', 'CSV', 'a String')",
    "SYSTEM SHUTDOWN",
    "SELECT nonsense",
    "",
  ];
  for (const sql of refused) {
    await assert.rejects(rowsOf(database, sql), { code: "BAD_RECORD_SQL" }, sql);
  }
  // In the person's own words: neither our question around it, nor a list of all that SQL knows.
  await assert.rejects(rowsOf(database, "SELEC 1"), { message: "Syntax error: failed at position 7 (1): 1." });
  await assert.rejects(rowsOf(database, "SELECT 1; SELECT 2"), ({ message }: Error) => message.length < 120);
  assert.equal(existsSync(file), false);
  assert.deepEqual(await rowsOf(database, "SELECT 'INTO OUTFILE; file(x)' FROM repo_records LIMIT 1"), [
    ["INTO OUTFILE; file(x)"],
  ]);
  assert.deepEqual(await rowsOf(database, "SELECT count() FROM repo_records"), [[4]]);
});

test("a database that another process has open is an error for people", async () => {
  await using folder = await temporaryFolder();
  await using target = await ChdbTarget.open(folder.path);
  assert.ok(target.session.open);
  const other = `import { ChdbTarget } from ${JSON.stringify(new URL("chdb-target.ts", import.meta.url).href)};
    await ChdbTarget.open(${JSON.stringify(folder.path)}).catch((error) => console.log(error.code));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", other], { encoding: "utf8" });
  assert.equal(stdout.trim(), "CHDB_FAILED");
});
