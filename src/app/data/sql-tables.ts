/** The tables that SQL can ask, with the types of their columns as the schema itself has them. */
import { DatabaseSync } from "node:sqlite";
import { LEDGER_MIGRATIONS, migrate } from "../../kernel/sqlite/schema.ts";
import { addFactColumns, SITE_MIGRATIONS, SITE_PART } from "../../site/store/schema.ts";
import { sqlTables } from "../../site/store/sql-tables.ts";
import type { SqlTable } from "../operations/sql.ts";

export function sqlTableTypes(): SqlTable[] {
  const db = new DatabaseSync(":memory:");
  try {
    migrate(db, "ledger", LEDGER_MIGRATIONS);
    migrate(db, SITE_PART, SITE_MIGRATIONS);
    addFactColumns(db);
    const typeOf = db.prepare("SELECT type FROM pragma_table_info(?) WHERE name = ?");
    return sqlTables().map(({ name: table, description, columns }) => ({
      table,
      description,
      columns: columns.map((column) => ({ ...column, type: String(typeOf.get(table, column.name)?.["type"] ?? "") })),
    }));
  } finally {
    db.close();
  }
}
