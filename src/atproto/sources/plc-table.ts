/** Every DID of a PLC export with its PDS, in a file: the last operation counts, so all must be read before the first is fetched. */
import { DatabaseSync } from "node:sqlite";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { type DidEntry, plainEntry } from "./did-page.ts";
import type { PlcLine } from "./plc-operation.ts";

const MIGRATIONS: Migrations = [
  `CREATE TABLE hosts (id INTEGER PRIMARY KEY, pds TEXT NOT NULL UNIQUE) STRICT;
   CREATE TABLE dids (did TEXT PRIMARY KEY, host INTEGER) STRICT, WITHOUT ROWID;
   CREATE TABLE imports (name TEXT PRIMARY KEY, cursor TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
];

export class PlcTable {
  readonly #db: DatabaseSync;
  readonly #hosts = new Map<string, number>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    openForWriting(this.#db);
    migrate(this.#db, "plc", MIGRATIONS);
    for (const row of this.#db.prepare("SELECT id, pds FROM hosts").all()) {
      this.#hosts.set(row["pds"] as string, row["id"] as number);
    }
  }

  /** How far the export of this name was read. */
  cursor(name: string): string | null {
    const row = this.#db.prepare("SELECT cursor FROM imports WHERE name = ?").get(name);
    return (row?.["cursor"] as string | undefined) ?? null;
  }

  /** Takes over lines in their order, and where to read on behind them, in one transaction. */
  apply(lines: readonly PlcLine[], name: string, cursor: string | null): void {
    const db = this.#db;
    db.exec("BEGIN IMMEDIATE");
    try {
      const put = db.prepare("INSERT OR REPLACE INTO dids VALUES (?, ?)");
      for (const { did, pds } of lines) if (pds !== undefined) put.run(did, pds === null ? null : this.#hostId(pds));
      if (cursor !== null) db.prepare("INSERT OR REPLACE INTO imports VALUES (?, ?)").run(name, cursor);
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }

  /** The next DIDs in order that have a PDS. */
  page(after: string, limit: number): DidEntry[] {
    const rows = this.#db
      .prepare("SELECT did, pds FROM dids JOIN hosts ON hosts.id = host WHERE did > ? ORDER BY did LIMIT ?")
      .all(after, limit);
    return rows.map((row) => plainEntry(row["did"] as string, row["pds"] as string));
  }

  close(): void {
    this.#db.close();
  }

  #hostId(pds: string): number {
    let id = this.#hosts.get(pds);
    if (id === undefined) {
      id = Number(this.#db.prepare("INSERT INTO hosts (pds) VALUES (?)").run(pds).lastInsertRowid);
      this.#hosts.set(pds, id);
    }
    return id;
  }
}
