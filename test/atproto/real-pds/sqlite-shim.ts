/** What the real PDS uses of better-sqlite3, over Node's own SQLite: nothing has to be compiled for this Node. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

class Statement {
  readonly #statement: StatementSync;
  readonly reader: boolean;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(values: SQLInputValue[] = []): unknown[] {
    return this.#statement.all(...values).map((row) => ({ ...row }));
  }

  run(values: SQLInputValue[] = []): unknown {
    return this.#statement.run(...values);
  }

  iterate(values: SQLInputValue[] = []): Iterable<unknown> {
    return this.#statement.iterate(...values);
  }
}

export default class Database {
  readonly #db: DatabaseSync;

  constructor(location: string) {
    this.#db = new DatabaseSync(location, { enableForeignKeyConstraints: false });
  }

  prepare(sql: string): Statement {
    return new Statement(this.#db.prepare(sql));
  }

  pragma(text: string): void {
    this.#db.exec(`PRAGMA ${text}`);
  }

  close(): void {
    this.#db.close();
  }
}

/** The PDS recognises errors of SQLite by this class. */
export class SqliteError extends Error {}
