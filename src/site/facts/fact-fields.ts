/** Facts as the fields that can be listed, filtered, sorted, exported and compared, with the SQL behind each. */
import { type Fact, type FactGroup, type FactUnit, urlOf } from "./fact.ts";
import { isOfBrowser, isOfField, isOfGraph } from "./fact-rows.ts";
import { FACTS } from "./fact-table.ts";
import { fieldName } from "./field-names.ts";

export type FieldType = "text" | "number" | "boolean";

export interface Field {
  /** Its name outside the database. */
  name: string;
  /** The name in the table of facts and in SQL. Accepted as a field until version 0.3. */
  fact: string;
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
  name: fieldName(name),
  fact: name,
  type: typeOf(fact),
  label: fact.label,
  description: fact.description,
  group: fact.group,
  unit: fact.unit ?? null,
  values: fact.unit === "yes-no" ? [] : [...(fact.values ?? [])],
  sql: fact.values?.length === 1 ? orNo(shownSql(name, fact), fact) : shownSql(name, fact),
  // Most crawls do not run pages in a browser, and have no key for services that measure pages.
  isExported: fact.exported !== false && !isOfBrowser(fact) && !isOfField(fact),
}));

function typeOf({ type, unit }: Fact): FieldType {
  if (unit === "yes-no") return "boolean";
  return type === "text" || type === "url" || unit === "date" ? "text" : "number";
}

/**
 * A fact that is stored only as Yes: if it is missing, the answer is No for a fetched URL, and unknown for any other.
 */
function orNo(sql: string, fact: Fact): string {
  if (isOfGraph(fact)) return `(SELECT coalesce(${sql}, 'No') FROM graph WHERE id = u.id)`;
  return `CASE WHEN p.id IS NOT NULL THEN coalesce(${sql}, 'No') END`;
}

function shownSql(name: string, fact: Fact): string {
  const { type, column = name, sql, unit } = fact;
  if (isOfBrowser(fact)) {
    const value =
      type === "integer" && unit === "yes-no" ? `CASE ${column} WHEN 1 THEN 'Yes' WHEN 0 THEN 'No' END` : column;
    return `(SELECT ${value} FROM rendered WHERE id = u.id)`;
  }
  if (isOfField(fact)) return `(SELECT ${column} FROM field_data WHERE id = u.id)`;
  if (isOfGraph(fact)) {
    const value = `(SELECT ${column} FROM graph WHERE id = u.id)`;
    return type === "url" ? urlOf(value) : value;
  }
  return sql ?? (type === "url" ? urlOf(`p.${column}`) : `p.${column}`);
}

const byName = new Map(FIELDS.flatMap((field) => [[field.fact, field] as const, [field.name, field] as const]));
/** By its name, or by that of its fact. */
export const fieldNamed = (name: string): Field | undefined => byName.get(name);
export const FIELD_NAMES: readonly string[] = FIELDS.map((field) => field.name);

/** Facts from the response and its document, without those from a browser or a service. */
export const RESPONSE_FIELD_NAMES = ALL.flatMap(([name, fact]) =>
  fact.listed === false || isOfBrowser(fact) || isOfField(fact) ? [] : [fieldName(name)],
);

/** The fields in which two crawls are compared: what a page says, not how fast or from where. */
export interface ComparedField {
  name: string;
  column: string;
  isBoolean: boolean;
  /** Over a row of `pages` of a database. Ids differ between crawls, so the values they stand for are compared. */
  sql: (page: string, schema: string) => string;
}

export const COMPARED: readonly ComparedField[] = ALL.flatMap(([name, { compared, type, unit, column = name }]) => {
  if (compared === undefined) return [];
  const sql = (page: string, schema: string): string =>
    typeof compared === "function"
      ? compared(page)
      : type === "url"
        ? urlOf(`${page}.${column}`, schema)
        : `${page}.${column}`;
  return [{ name: fieldName(name), column, isBoolean: unit === "yes-no", sql }];
});
export const COMPARED_FIELDS: readonly string[] = COMPARED.map(({ name }) => name);
