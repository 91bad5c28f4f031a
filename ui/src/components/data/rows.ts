/** Rows of tables and grids: their order, and the row that a key leads to. */

export interface Sort {
  id: string;
  isDescending: boolean;
}
export type SortValue = string | number | boolean | null | undefined;

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** A sorted copy. Missing values come last in either direction; equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], sortBy: (row: Row) => SortValue, isDescending: boolean): Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((left, right) => {
    const a = sortBy(left);
    const b = sortBy(right);
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return sign * (typeof a === "string" && typeof b === "string" ? collator.compare(a, b) : Number(a) - Number(b));
  });
}

const isMissing = (value: SortValue): value is null | undefined => value === null || value === undefined;

export interface GridPlace {
  active: number;
  total: number;
  /** Whole rows that are visible. */
  pageRows: number;
}

/** The row that a key leads to, or null when the grid does not use the key. */
export function rowAfterKey(key: string, { active, total, pageRows }: GridPlace): number | null {
  if (total === 0) return null;
  const page = Math.max(1, pageRows - 1);
  const targets: Record<string, number> = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active - 1,
    k: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: total - 1,
  };
  const target = targets[key];
  return target === undefined ? null : Math.max(0, Math.min(target, total - 1));
}

/** The scroll position that makes a row visible; unchanged if it is visible already. */
export function topToShow(row: number, rowHeight: number, top: number, viewport: number): number {
  const start = row * rowHeight;
  if (start < top) return start;
  const end = start + rowHeight;
  return end > top + viewport ? end - viewport : top;
}
