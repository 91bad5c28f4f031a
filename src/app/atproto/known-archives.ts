/**
 * The AT Protocol archives that the owner of this machine has used from the command line: in the registry, by number. REST
 * and MCP can only name these numbers, never a folder.
 */
import { realpathSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { openStore } from "../../kernel/sqlite/store-error.ts";

const MIGRATIONS: Migrations = [
  `CREATE TABLE atproto_archives (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     folder TEXT NOT NULL UNIQUE,
     redis_address TEXT,              -- where the state is; null when it is in the file next to the segments
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;`,
];

export interface KnownArchive {
  id: number;
  folder: string;
  redisAddress: string | null;
}

export class KnownArchives {
  readonly #db: DatabaseSync;
  readonly #now: () => number;

  constructor(registryPath: string, now: () => number) {
    this.#now = now;
    this.#db = openStore(registryPath, (db) => {
      openForWriting(db);
      migrate(db, "atproto_archives", MIGRATIONS);
    });
  }

  /**
   * Called only for the owner's commands. `redisAddress`: undefined keeps the value of an earlier command. Returns its
   * number.
   */
  add(given: string, redisAddress?: string | null): number {
    const folder = realpathSync(given);
    const now = this.#now();
    this.#db
      .prepare(
        `INSERT INTO atproto_archives (folder, redis_address, created_at, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (folder) DO UPDATE SET updated_at = excluded.updated_at,
           redis_address = CASE WHEN ? THEN excluded.redis_address ELSE redis_address END`,
      )
      .run(folder, redisAddress ?? null, now, now, redisAddress === undefined ? 0 : 1);
    return this.#db.prepare("SELECT id FROM atproto_archives WHERE folder = ?").get(folder)!["id"] as number;
  }

  list(): KnownArchive[] {
    return this.#db.prepare("SELECT * FROM atproto_archives ORDER BY id").all().map(known);
  }

  get(id: number): KnownArchive {
    const row = this.#db.prepare("SELECT * FROM atproto_archives WHERE id = ?").get(id);
    if (row === undefined) throw new TrawlError("REPO_ARCHIVE_NOT_FOUND", `There is no AT Protocol archive ${id}.`);
    return known(row);
  }

  remove(id: number): void {
    this.#db.prepare("DELETE FROM atproto_archives WHERE id = ?").run(id);
  }

  close(): void {
    this.#db.close();
  }
}

const known = (row: Record<string, unknown>): KnownArchive => ({
  id: row["id"] as number,
  folder: row["folder"] as string,
  redisAddress: row["redis_address"] as string | null,
});
