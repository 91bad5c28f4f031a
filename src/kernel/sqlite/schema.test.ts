import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { checkVersion, LEDGER_MIGRATIONS, migrate } from "./schema.ts";

const versions = (db: DatabaseSync): unknown[] =>
  db
    .prepare("SELECT part, version FROM schema_versions ORDER BY part")
    .all()
    .map((row) => ({ ...row }));

it("brings an older database to the newest version, one step after the other", () => {
  const db = new DatabaseSync(":memory:");
  const first = ["CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT"];
  migrate(db, "things", first);
  db.exec("INSERT INTO things VALUES (1)");
  migrate(db, "things", [...first, "ALTER TABLE things ADD COLUMN name TEXT", "UPDATE things SET name = 'one'"]);
  assert.deepEqual({ ...db.prepare("SELECT * FROM things").get() }, { id: 1, name: "one" });
  assert.deepEqual(versions(db), [{ part: "things", version: 3 }]);
});

it("leaves a database of the newest version alone, and keeps parts apart", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, "other", ["CREATE TABLE other (id INTEGER) STRICT"]);
  assert.deepEqual(versions(db), [
    { part: "ledger", version: LEDGER_MIGRATIONS.length },
    { part: "other", version: 1 },
  ]);
});

it("refuses a database from the future", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, "things", ["SELECT 1", "SELECT 1"]);
  assert.throws(() => migrate(db, "things", ["SELECT 1"]), { code: "STORE_TOO_NEW" });
});

it("takes open tasks from the index, without sorting", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  const plan = db
    .prepare(
      `EXPLAIN QUERY PLAN SELECT id, url FROM urls
       WHERE state = 'open' AND lane = ? AND place > ? ORDER BY place LIMIT ?`,
    )
    .all("lane", 0, 10)
    .map((row) => row["detail"])
    .join("\n");
  assert.match(plan, /USING INDEX urls_open \(lane=\? AND place>\?\)/);
  assert.doesNotMatch(plan, /SORTER|TEMP B-TREE/);
});

it("lets a reader read what it knows, and refuses what it does not", () => {
  const db = new DatabaseSync(":memory:");
  checkVersion(db, "things", []);
  migrate(db, "things", ["SELECT 1", "SELECT 1"]);
  checkVersion(db, "things", ["SELECT 1", "SELECT 1", "SELECT 1"]);
  assert.throws(() => checkVersion(db, "things", ["SELECT 1"]), { code: "STORE_TOO_NEW" });
});
