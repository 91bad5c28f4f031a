/** Which columns are shown, in which order, how wide, and which stay in sight: the person's own choice, kept by this browser. */
import { readKept, writeKept } from "../../lib/kept.ts";
import { DEFAULT_FIELDS } from "./url-view.ts";

export interface Columns {
  fields: string[];
  pinned: string[];
  widths: Record<string, number>;
}

const KEY = "trawl.explorer.columns";

export const DEFAULT_COLUMNS: Columns = { fields: [...DEFAULT_FIELDS], pinned: ["url"], widths: {} };

export const readColumns = (storage: Pick<Storage, "getItem">): Columns =>
  readKept(storage, KEY, isColumns) ?? DEFAULT_COLUMNS;

export const writeColumns = (storage: Pick<Storage, "setItem">, columns: Columns): void =>
  writeKept(storage, KEY, columns);

function isColumns(value: unknown): value is Columns {
  if (typeof value !== "object" || value === null) return false;
  const { fields, pinned, widths } = value as Partial<Columns>;
  const isNames = (list: unknown): boolean => Array.isArray(list) && list.every((name) => typeof name === "string");
  return (
    isNames(fields) &&
    (fields?.length ?? 0) > 0 &&
    isNames(pinned) &&
    typeof widths === "object" &&
    widths !== null &&
    Object.values(widths).every((width) => typeof width === "number")
  );
}

/** Moves a column by some places; the ends hold it. */
export function moved(fields: readonly string[], name: string, by: number): string[] {
  const at = fields.indexOf(name);
  const to = Math.max(0, Math.min(at + by, fields.length - 1));
  if (at < 0 || at === to) return [...fields];
  const left = fields.filter((one) => one !== name);
  return [...left.slice(0, to), name, ...left.slice(to)];
}

/** Puts a column where another is; the others move up or down. */
export const movedTo = (fields: readonly string[], name: string, target: string): string[] =>
  moved(fields, name, fields.indexOf(target) - fields.indexOf(name));
