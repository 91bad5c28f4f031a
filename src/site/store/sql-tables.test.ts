import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { siteDatabase } from "../testing/site-database.ts";
import { sqlTables } from "./sql-tables.ts";

it("every table and column of a crawl is described, and no other", (t) => {
  const db = new DatabaseSync(siteDatabase(t, []), { readOnly: true });
  t.after(() => db.close());
  const columns = db
    .prepare(
      `SELECT s.name || '.' || c.name AS name FROM sqlite_schema s, pragma_table_info(s.name) c
       WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%' ORDER BY 1`,
    )
    .all();
  const described = sqlTables().flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`));
  assert.deepEqual(
    described.sort(),
    columns.map((row) => row["name"]),
  );
});
