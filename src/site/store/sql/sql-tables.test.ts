import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { siteDatabase } from "../../testing/site-database.ts";
import { showNamedViews } from "../named-views.ts";
import { sqlTables } from "./sql-tables.ts";

it("every table and column of a crawl is described, and no other", (t) => {
  const db = new DatabaseSync(siteDatabase(t, []), { readOnly: true });
  showNamedViews(db);
  t.after(() => db.close());
  const columns = db
    .prepare(
      `SELECT s.name || '.' || c.name AS name FROM (SELECT * FROM sqlite_schema UNION ALL SELECT * FROM sqlite_temp_schema) s, pragma_table_info(s.name) c
       WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite%' ORDER BY 1`,
    )
    .all();
  const described = sqlTables().flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`));
  assert.deepEqual(
    described.sort(),
    columns.map((row) => row["name"]),
  );
});
