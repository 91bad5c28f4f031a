/** Facts as the fields that can be listed, filtered, sorted, exported and compared, with the SQL behind each. */
import { type Fact, type FactGroup, type FactUnit, urlOf } from "./fact.ts";
import { isOfBrowser, isOfGraph } from "./fact-rows.ts";
import { FACTS } from "./fact-table.ts";

export type FieldType = "text" | "number";

export interface Field {
  name: string;
  type: FieldType;
  label: string;
  description: string;
  group: FactGroup;
  unit: FactUnit | null;
  /** The possible values, if there are few. */
  values: string[];
  /** Over `urls u LEFT JOIN pages p`. Numbers for words are turned into words here. */
  sql: string;
  /** Exported by default. */
  isExported: boolean;
}

const ALL: [name: string, fact: Fact][] = Object.entries(FACTS);

export const FIELDS: readonly Field[] = ALL.filter(([, { listed }]) => listed !== false).map(([name, fact]) => ({
  name,
  type: fact.type === "text" || fact.type === "url" || fact.unit === "date" ? "text" : "number",
  label: fact.label,
  description: fact.description,
  group: fact.group,
  unit: fact.unit ?? null,
  values: [...(fact.values ?? [])],
  sql: shownSql(name, fact),
  // Most crawls do not run pages in a browser.
  isExported: fact.exported !== false && !isOfBrowser(fact),
}));

function shownSql(name: string, fact: Fact): string {
  const { type, column = name, sql } = fact;
  if (isOfBrowser(fact)) return `(SELECT ${column} FROM rendered WHERE id = u.id)`;
  if (isOfGraph(fact)) {
    const value = `(SELECT ${column} FROM graph WHERE id = u.id)`;
    return type === "url" ? urlOf(value) : value;
  }
  return sql ?? (type === "url" ? urlOf(`p.${column}`) : `p.${column}`);
}

const byName = new Map(FIELDS.map((field) => [field.name, field]));
export const fieldNamed = (name: string): Field | undefined => byName.get(name);
export const FIELD_NAMES: readonly string[] = FIELDS.map((field) => field.name);

/** Facts from the response and its document, without those from a browser. */
export const RESPONSE_FIELD_NAMES = ALL.flatMap(([name, fact]) =>
  fact.listed === false || isOfBrowser(fact) ? [] : [name],
);

/** The fields in which two crawls are compared: what a page says, not how fast or from where. */
export interface ComparedField {
  name: string;
  column: string;
  /** Over a row of `pages` of a database. Ids differ between crawls: what they stand for is compared. */
  sql: (page: string, schema: string) => string;
}

export const COMPARED: readonly ComparedField[] = ALL.flatMap(([name, { compared, type, column = name }]) => {
  if (compared === undefined) return [];
  const sql = (page: string, schema: string): string =>
    typeof compared === "function"
      ? compared(page)
      : type === "url"
        ? urlOf(`${page}.${column}`, schema)
        : `${page}.${column}`;
  return [{ name, column, sql }];
});
export const COMPARED_FIELDS: readonly string[] = COMPARED.map(({ name }) => name);
