/** Many small rows of one table, inserted by few statements: binding many at once halves the cost of a row. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Rows a statement, largest first: what is left over at the end of a page goes by the smaller ones. */
const SIZES = [32, 8, 1] as const;

export const insertInto = (table: string, columns: readonly string[], rows = 1): string => {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${new Array(rows).fill(row).join(", ")}`;
};

export class RowBatch {
  readonly #statements: readonly { values: number; statement: StatementSync }[];
  readonly #most: number;
  readonly #values: SQLInputValue[] = [];

  constructor(db: DatabaseSync, table: string, columns: readonly string[]) {
    this.#statements = SIZES.map((rows) => ({
      values: rows * columns.length,
      statement: db.prepare(insertInto(table, columns, rows)),
    }));
    this.#most = SIZES[0] * columns.length;
  }

  /** Adds the next value of the current row. */
  push(value: SQLInputValue): void {
    if (this.#values.push(value) === this.#most) this.flush();
  }

  /** Inserts all rows that wait. */
  flush(): void {
    let from = 0;
    for (const { values, statement } of this.#statements) {
      for (; from + values <= this.#values.length; from += values) {
        statement.run(...this.#values.slice(from, from + values));
      }
    }
    this.#values.length = 0;
  }
}
