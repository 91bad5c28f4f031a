/** Sorting of rows that are all in memory. */

export interface Sort {
  id: string;
  isDescending: boolean;
}
export type SortValue = string | number | boolean | null | undefined;

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** A sorted copy. What is missing comes last in either direction; equal rows keep their order. */
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
