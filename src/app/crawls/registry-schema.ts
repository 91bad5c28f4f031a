/** The tables of the registry, version by version. */
import type { Migrations } from "../../kernel/sqlite/schema.ts";
import { splitProjects } from "./split-projects.ts";

export const REGISTRY_MIGRATIONS: Migrations = [
  `CREATE TABLE projects (
     id INTEGER PRIMARY KEY, url TEXT NOT NULL, domain TEXT NOT NULL UNIQUE,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE configs (
     domain TEXT PRIMARY KEY, settings TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE crawls (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
     mode TEXT NOT NULL,                -- site or list
     start_urls TEXT NOT NULL,          -- JSON
     settings TEXT NOT NULL,            -- JSON, every setting as it was
     baseline_id INTEGER,
     state TEXT NOT NULL,               -- running, paused, completed, failed
     crawl_date_time INTEGER NOT NULL,  -- ms
     crawl_duration INTEGER NOT NULL,   -- ms of running, pauses left out
     pages_crawled INTEGER NOT NULL,
     urls_discovered INTEGER NOT NULL,
     message TEXT,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX crawls_project ON crawls (project_id, id);`,
  `CREATE TABLE views (
     id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
     view TEXT NOT NULL,                -- JSON: fields, filter, search, sort
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;
   ALTER TABLE crawls ADD COLUMN progress TEXT;  -- JSON, as the process that crawls saw it last`,
  ["configs", "crawls"].map(withResourceSetting).join(";"),
  // pages_crawled has always been the number of URLs that were fetched.
  `ALTER TABLE crawls ADD COLUMN pages INTEGER;  -- null until counted
   ALTER TABLE crawls ADD COLUMN ending TEXT;    -- JSON: how it ended; null while it has not, or until that was decided`,
  `CREATE TABLE IF NOT EXISTS secrets (
     origin TEXT PRIMARY KEY,           -- the only one that gets them
     settings TEXT NOT NULL,            -- JSON
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT;`,
  splitProjects,
  `CREATE TABLE IF NOT EXISTS stop_requests (  -- word for the process that works on a crawl, whichever that is
     crawl_id INTEGER PRIMARY KEY REFERENCES crawls (id) ON DELETE CASCADE, at INTEGER NOT NULL
   ) STRICT;`,
  `DROP TABLE stop_requests;
   CREATE TABLE IF NOT EXISTS requests (  -- word for the process that works on a crawl, whichever that is
     crawl_id INTEGER PRIMARY KEY REFERENCES crawls (id) ON DELETE CASCADE, at INTEGER NOT NULL,
     asked TEXT NOT NULL                -- stop or pause
   ) STRICT;`,
];

/** Settings of earlier versions checked resources only where `discovery` named them. */
function withResourceSetting(table: string): string {
  return `UPDATE ${table} SET settings = json_set(settings, '$.checkResources', json('false'))
    WHERE json_type(settings, '$.discovery') = 'array' AND json_type(settings, '$.checkResources') IS NULL
      AND NOT EXISTS (SELECT 1 FROM json_each(settings, '$.discovery') WHERE value = 'resources')`;
}
