/** Read-only SQL queries on one crawl's database, and the tables that they can query. */

import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { LEDGER_MIGRATIONS, migrate } from "../../kernel/sqlite/schema.ts";
import { NAMED_VIEWS, showNamedViews } from "../../site/store/named-views.ts";
import { addFactColumns, SITE_MIGRATIONS, SITE_PART } from "../../site/store/site-schema.ts";
import { sqlTables } from "../../site/store/sql/sql-tables.ts";
import { allOf, id, operation, pageOf } from "./operation.ts";
import { sqlCell } from "./shapes.ts";

const sqlQuestion = z.object({
  id,
  sql: z.string().min(1).max(100_000),
  limit: z.int().min(1).max(10_000).default(200),
  timeoutMs: z.int().min(100).max(30_000).default(5_000),
});
export type SqlQuestion = z.output<typeof sqlQuestion>;

const sqlTable = z.object({
  table: z.string(),
  description: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), description: z.string() })),
});
export type SqlTable = z.output<typeof sqlTable>;

export const querySql = operation({
  name: "querySql",
  kind: "read",
  summary: "Query a crawl's database with SQL: one SELECT, with limits on rows and time",
  errors: ["CRAWL_NOT_FOUND", "BAD_SQL", "SQL_STOPPED"],
  input: sqlQuestion,
  output: z.object({
    columns: z.array(z.string()),
    rows: z.array(z.array(sqlCell)),
    truncated: z.boolean().meta({ description: "There were more rows or bytes than the limits allow." }),
    durationMs: z.number(),
    ms: z.number().meta({ description: "Deprecated: the same as durationMs.", deprecated: true }),
  }),
  run: async (app, input, caller) => {
    const answer = await app.crawlData.sql(input, caller?.signal);
    return { ...answer, ms: answer.durationMs };
  },
});

export const listTables = operation({
  name: "listTables",
  kind: "read",
  summary: "Tables and columns for SQL",
  input: z.object({}),
  output: pageOf(sqlTable),
  run: () => allOf(sqlTableTypes()),
});

/** The tables that SQL can query, with the column types from the schema. */
export function sqlTableTypes(): SqlTable[] {
  const db = new DatabaseSync(":memory:");
  try {
    migrate(db, "ledger", LEDGER_MIGRATIONS);
    migrate(db, SITE_PART, SITE_MIGRATIONS);
    addFactColumns(db);
    showNamedViews(db);
    const computed = (table: string, column: string) =>
      NAMED_VIEWS.find(({ name }) => name === table)?.typeOf(column) ?? "";
    const typeOf = db.prepare("SELECT type FROM pragma_table_info(?) WHERE name = ?");
    return sqlTables().map(({ name: table, description, columns }) => ({
      table,
      description,
      columns: columns.map((column) => ({
        ...column,
        type: computed(table, column.name) || String(typeOf.get(table, column.name)?.["type"] ?? ""),
      })),
    }));
  } finally {
    db.close();
  }
}
