/**
 * Views for people who write SQL: every URL and every link, with names and words where the tables hold ids and numbers.
 */
import type { DatabaseSync } from "node:sqlite";
import { hasTable } from "../../kernel/sqlite/schema.ts";
import type { Fact } from "../facts/fact.ts";
import { FIELDS, fieldNamed } from "../facts/fact-fields.ts";
import { FACTS } from "../facts/fact-table.ts";
import { LINK_FLAGS } from "../page/link-types.ts";
import { LINK_FIELDS } from "./link-queries.ts";

export interface NamedView {
  name: string;
  description: string;
  columns: Record<string, string>;
  /** SQLite knows no type for a column that is computed. */
  typeOf: (column: string) => string;
  sql: string;
}

const quoted = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(", ");

/** Over links `l`, with their source `s`, and their target `u` and its page `p`. */
const LINK_SQL = Object.fromEntries(
  Object.entries(LINK_FIELDS).map(([name, { key, sql }]) => [name, sql(`l.${key}`, key === "source" ? "s" : "u", "p")]),
);

const facts: Record<string, Fact> = FACTS;

const sqlTypeOf = (name: string): string => {
  if (fieldNamed(name)?.type !== "number") return "TEXT";
  return facts[name]?.type === "integer" ? "INTEGER" : "REAL";
};

export const NAMED_VIEWS: readonly NamedView[] = [
  {
    name: "all_urls",
    description:
      "Every URL with everything known about it, by the names of the Explorer: no ids, and words instead of numbers",
    columns: Object.fromEntries(
      FIELDS.map(({ fact, type, description }) => [
        fact,
        type === "boolean" ? `${description}: Yes or No` : description,
      ]),
    ),
    typeOf: sqlTypeOf,
    sql: `SELECT ${quoted(Object.fromEntries(FIELDS.map(({ fact, sql }) => [fact, sql])))}
      FROM urls u LEFT JOIN pages p ON p.id = u.id`,
  },
  {
    name: "all_links",
    description:
      "Every link with the URLs at both ends and its text; status, error, verdict and reason are the target's",
    columns: Object.fromEntries(
      Object.keys(LINK_FIELDS).map((name) => [name, `${name.replaceAll("_", " ")} of the link or its target`]),
    ),
    typeOf: (name) => (name === "status" || name in LINK_FLAGS ? "INTEGER" : "TEXT"),
    sql: `SELECT ${quoted(LINK_SQL)} FROM links l JOIN urls s ON s.id = l.source JOIN urls u ON u.id = l.target
      LEFT JOIN pages p ON p.id = u.id`,
  },
];

/** For this connection only: the file is not changed. A view costs nothing until it is queried. */
export function showNamedViews(db: DatabaseSync): void {
  if (!hasTable(db, "pages")) return;
  for (const { name, sql } of NAMED_VIEWS) db.exec(`CREATE TEMP VIEW IF NOT EXISTS ${name} AS ${sql}`);
}
