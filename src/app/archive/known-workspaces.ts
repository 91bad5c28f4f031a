/**
 * The archive workspaces that the owner of this machine has used from the command line: in the registry, by number. REST
 * and MCP can only name these numbers, never a folder.
 */
import { realpathSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { type Migrations, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { openStore } from "../../kernel/sqlite/store-error.ts";

const MIGRATIONS: Migrations = [
  `CREATE TABLE archives (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     root TEXT NOT NULL UNIQUE,
     config_file TEXT NOT NULL,
     connect_to TEXT NOT NULL,        -- JSON: the routes of --connect-to, as typed
     ca TEXT,                         -- the file of --ca
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;`,
];

/** How the owner uses a workspace. A run started over REST uses it the same way. */
export interface WorkspaceUse {
  root: string;
  configFile: string;
  /** As typed; null keeps the value of an earlier command. */
  reach: { connectTo: string[]; ca: string | null } | null;
}

export interface KnownWorkspace {
  id: number;
  root: string;
  configFile: string;
  connectTo: string[];
  ca: string | null;
}

export class KnownWorkspaces {
  readonly #db: DatabaseSync;
  readonly #now: () => number;

  constructor(registryPath: string, now: () => number) {
    this.#now = now;
    this.#db = openStore(registryPath, (db) => {
      openForWriting(db);
      migrate(db, "archives", MIGRATIONS);
    });
  }

  /** Called only for the owner's commands. Returns its number. */
  add({ root, configFile, reach }: WorkspaceUse): number {
    const folder = realpathSync(root);
    const now = this.#now();
    const routes = reach === null ? null : JSON.stringify(reach.connectTo);
    this.#db
      .prepare(
        `INSERT INTO archives (root, config_file, connect_to, ca, created_at, updated_at)
           VALUES (?, ?, coalesce(?, '[]'), ?, ?, ?)
         ON CONFLICT (root) DO UPDATE SET config_file = excluded.config_file, updated_at = excluded.updated_at,
           connect_to = coalesce(?, connect_to), ca = CASE WHEN ? THEN excluded.ca ELSE ca END`,
      )
      .run(folder, configFile, routes, reach?.ca ?? null, now, now, routes, reach === null ? 0 : 1);
    return this.#db.prepare("SELECT id FROM archives WHERE root = ?").get(folder)!["id"] as number;
  }

  list(): KnownWorkspace[] {
    return this.#db.prepare("SELECT * FROM archives ORDER BY id").all().map(known);
  }

  get(id: number): KnownWorkspace {
    const row = this.#db.prepare("SELECT * FROM archives WHERE id = ?").get(id);
    if (row === undefined) throw new TrawlError("ARCHIVE_NOT_FOUND", `There is no archive ${id}.`);
    return known(row);
  }

  remove(id: number): void {
    this.#db.prepare("DELETE FROM archives WHERE id = ?").run(id);
  }

  close(): void {
    this.#db.close();
  }
}

const known = (row: Record<string, unknown>): KnownWorkspace => ({
  id: row["id"] as number,
  root: row["root"] as string,
  configFile: row["config_file"] as string,
  connectTo: JSON.parse(row["connect_to"] as string) as string[],
  ca: row["ca"] as string | null,
});
