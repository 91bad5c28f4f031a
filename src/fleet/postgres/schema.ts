/**
 * The tables of one fleet crawl, in a schema of its own, so that `rm` is one statement and two crawls share nothing.
 *
 * Plain SQL only, without notifications, advisory locks or stored procedures, so that other databases that speak
 * PostgreSQL's language stay possible.
 */
import { TrawlError } from "../../errors.ts";

export const SCHEMA_VERSION = 2;

const PREFIX = "trawl_fleet_";
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** The schema of a crawl, quoted. */
export function schemaOf(name: string): string {
  if (!NAME.test(name)) {
    throw new TrawlError("BAD_USAGE", `"${name}" cannot be the name of a fleet crawl.`, {
      hint: "Use up to 40 lower-case letters, digits, - and _, such as web1.",
    });
  }
  return `"${PREFIX}${name}"`;
}

/** Every fleet crawl of a database. */
export const LIST_JOBS = `SELECT substr(nspname, ${PREFIX.length + 1}) AS name FROM pg_namespace
  WHERE nspname LIKE '${PREFIX.replaceAll("_", "\\_")}%' ORDER BY nspname`;

/** One statement at a time. `s` is the quoted schema. */
export const createTables = (s: string): string[] => [
  `CREATE SCHEMA ${s}`,
  // One row: the crawl itself.
  `CREATE TABLE ${s}.job (
     version integer NOT NULL,
     state text NOT NULL,
     settings text NOT NULL,
     start_urls text NOT NULL,
     mode text NOT NULL,
     max_settled integer,
     parts integer NOT NULL,
     message text,
     records text,
     created_at timestamptz NOT NULL DEFAULT now(),
     ended_at timestamptz
   )`,
  `CREATE TABLE ${s}.workers (
     id text PRIMARY KEY,
     beat bigint NOT NULL DEFAULT 0,
     acked text NOT NULL DEFAULT 'running',
     running integer NOT NULL DEFAULT 0,
     in_flight integer NOT NULL DEFAULT 0,
     report text NOT NULL DEFAULT '{}',
     joined_at timestamptz NOT NULL DEFAULT now(),
     seen_at timestamptz NOT NULL DEFAULT now()
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE ${s}.parts (
     part integer PRIMARY KEY,
     owner text,
     token uuid NOT NULL,
     commits bigint NOT NULL DEFAULT 0,
     taken integer NOT NULL DEFAULT 0,
     open integer NOT NULL DEFAULT 0,
     parked integer NOT NULL DEFAULT 0,
     settled integer NOT NULL DEFAULT 0
   ) WITH (fillfactor = 50)`,
  // No index contains the state, so settling a page rewrites no index entry.
  `CREATE TABLE ${s}.urls (
     part integer NOT NULL,
     id integer NOT NULL,
     key text NOT NULL,
     verdict smallint NOT NULL,
     reason text,
     rule text,
     state smallint,
     lane text NOT NULL,
     place integer NOT NULL,
     depth integer NOT NULL,
     parent bigint NOT NULL,
     via integer NOT NULL,
     kind integer NOT NULL,
     hops integer NOT NULL,
     PRIMARY KEY (part, id)
   ) WITH (fillfactor = 85)`,
  // Open ones only.
  `CREATE TABLE ${s}.tasks (
     part integer NOT NULL,
     lane text NOT NULL,
     place integer NOT NULL,
     id integer NOT NULL,
     attempt integer NOT NULL DEFAULT 0,
     not_before double precision NOT NULL DEFAULT 0,
     PRIMARY KEY (part, lane, place)
   )`,
  `CREATE TABLE ${s}.lanes (part integer, key text, state text NOT NULL, PRIMARY KEY (part, key)) WITH (fillfactor = 70)`,
  `CREATE TABLE ${s}.notes (part integer, key text, value text NOT NULL, PRIMARY KEY (part, key))`,
  `CREATE TABLE ${s}.inbox (part integer, seq bigserial, bytes bytea NOT NULL, PRIMARY KEY (part, seq))`,
  `CREATE TABLE ${s}.records (part integer, id integer, bytes bytea NOT NULL, PRIMARY KEY (part, id))`,
  // Compressed by us, better than the database would.
  `ALTER TABLE ${s}.records ALTER COLUMN bytes SET STORAGE EXTERNAL`,
  `ALTER TABLE ${s}.inbox ALTER COLUMN bytes SET STORAGE EXTERNAL`,
];
