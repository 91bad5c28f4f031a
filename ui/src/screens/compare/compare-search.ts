/** What the address of the comparison holds: the earlier crawl, and which changes are shown. */
import type { Comparison } from "../../lib/contract.ts";

export type Change = Comparison["rows"][number]["change"];
export const CHANGES: readonly Change[] = ["added", "gone", "not_crawled", "changed"];

/** The counts, by kind. */
export const countOf = (counts: Comparison["counts"], change: Change): number =>
  change === "not_crawled" ? counts.notCrawled : counts[change];

export type Effect = NonNullable<Comparison["rows"][number]["effect"]>;
export const EFFECTS: readonly Effect[] = ["newly_broken", "no_longer_indexable", "indexable_again", "fixed"];

export interface CompareSearch {
  /** The earlier crawl; the newest that was finished by default. */
  with?: number;
  change?: Change;
  effect?: Effect;
  field?: string;
  search?: string;
}

export function compareSearch(search: Record<string, unknown>): CompareSearch {
  const other = Number(search["with"]);
  return {
    with: Number.isInteger(other) && other > 0 ? other : undefined,
    change: CHANGES.find((change) => change === search["change"]),
    effect: EFFECTS.find((effect) => effect === search["effect"]),
    field: filled(search["field"]),
    search: filled(search["search"]),
  };
}

/** The router reads `?search=404` as a number. */
const filled = (value: unknown): string | undefined =>
  typeof value === "number" || (typeof value === "string" && value !== "") ? String(value) : undefined;
