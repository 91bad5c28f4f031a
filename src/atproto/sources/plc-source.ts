/**
 * `plc:FILE` and `plc:https://…`: every DID of a PLC export with its PDS. The last operation counts, so all of the export is
 * read into a table before the first DID is fetched.
 */

import { DatabaseSync } from "node:sqlite";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { type DidEntry, type DidPage, type DidSource, END, pageOf, plainEntry } from "./did-page.ts";
import { type PlcLine, readPlcDirectory, readPlcFile } from "./plc-export.ts";
import type { SourceClient } from "./source-client.ts";

export interface PlcSourceOptions {
  /** A path, or the address of a directory. */
  from: string;
  /** Where the table is stored. A later crawl continues from where the export ended. */
  database: string;
  client: SourceClient;
  pageSize: number;
  /** Called with the number of operations read so far: the first page may take a long time. */
  onImport?: (operations: number) => void;
}

export const plcSource = (options: PlcSourceOptions): DidSource => ({
  name: `plc:${options.from}`,
  pages: (from) => readPlc(options, from(`plc:${options.from}`)),
});

async function* readPlc(options: PlcSourceOptions, cursor: string | null): AsyncGenerator<DidPage> {
  if (cursor === END) return;
  const { from, client, pageSize, onImport } = options;
  const name = `plc:${from}`;
  const table = new PlcTable(options.database);
  try {
    const saved = table.cursor(name);
    const batches = /^https?:/i.test(from)
      ? readPlcDirectory(exportUrl(from), client, saved)
      : readPlcFile(from, saved);
    let operations = 0;
    for await (const batch of batches) {
      table.apply(batch.lines, name, batch.cursor);
      operations += batch.lines.length;
      onImport?.(operations);
    }
    for (let after = cursor ?? ""; ; ) {
      const entries = table.page(after, pageSize);
      after = entries.at(-1)?.did ?? after;
      const isLast = entries.length < pageSize;
      yield pageOf(name, entries, isLast ? END : after);
      if (isLast) return;
    }
  } finally {
    table.close();
  }
}

function exportUrl(written: string): string {
  const url = new URL(written);
  if (url.pathname === "/") url.pathname = "/export";
  return url.href;
}

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

  /** Stores lines in order, and where to continue after them, in one transaction. */
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
