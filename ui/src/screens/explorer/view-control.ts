/** The view that the address names, the columns that this browser keeps, and how to change both. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { DEFAULT_FIELDS, searchOf, type UrlView, viewOf } from "./url-view.ts";

const FROM = "/crawls/$crawlId/explorer";

export interface ViewControl {
  view: UrlView;
  columns: Columns;
  /** With `isTyping`, single letters do not become steps in the history. */
  change: (change: Partial<UrlView>, isTyping?: boolean) => void;
  /** Sets the columns for all future views. */
  keepColumns: (columns: Partial<Columns>) => void;
  resetColumns: () => void;
}

export function useUrlView(): ViewControl {
  const { fields, filter, search, sort } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [columns, setColumns] = useState(() => readColumns(localStorage));
  const view = useMemo(
    () => viewOf({ fields, filter, search, sort }, columns.fields),
    [fields, filter, search, sort, columns.fields],
  );
  const go = (next: UrlView, own: readonly string[], replace: boolean) =>
    void navigate({ search: (before) => ({ ...before, ...searchOf(next, own) }), replace });
  const keepColumns = (change: Partial<Columns>) => {
    const next = { ...columns, ...change };
    setColumns(next);
    writeColumns(localStorage, next);
    // Widths change many times a second while an edge is dragged, and are not part of the address.
    if (change.fields !== undefined) go({ ...view, fields: change.fields }, change.fields, true);
  };
  return {
    view,
    columns,
    change: (change, isTyping = false) => go({ ...view, ...change }, columns.fields, isTyping),
    keepColumns,
    resetColumns: () => keepColumns(DEFAULT_COLUMNS),
  };
}

/** Which columns are shown, in which order, how wide, and which are pinned: the user's choice, stored by this browser. */
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

/** Moves a column by some places, but not past the ends. */
export function moved(fields: readonly string[], name: string, by: number): string[] {
  const at = fields.indexOf(name);
  const to = Math.max(0, Math.min(at + by, fields.length - 1));
  if (at < 0 || at === to) return [...fields];
  const left = fields.filter((one) => one !== name);
  return [...left.slice(0, to), name, ...left.slice(to)];
}

/** Moves a column to the place of another; the rest shift. */
export const movedTo = (fields: readonly string[], name: string, target: string): string[] =>
  moved(fields, name, fields.indexOf(target) - fields.indexOf(name));

/** The stored value, or null if there isn't one or it cannot be read: an older version may have written it. */
export function readKept<T>(
  storage: Pick<Storage, "getItem">,
  key: string,
  isValid: (value: unknown) => value is T,
): T | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? "null");
    return isValid(value) ? value : null;
  } catch {
    return null;
  }
}

export function writeKept(storage: Pick<Storage, "setItem">, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or not allowed: the choice lasts until the page is closed.
  }
}
