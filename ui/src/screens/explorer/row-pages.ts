/** Rows are fetched in pages of equal size; which pages a part of the table needs. */

/** A screen holds thirty rows: most need one page, few two. */
export const PAGE_ROWS = 100;
/** Rows beyond the ones in sight that are fetched before they are reached. */
const AHEAD = 40;

export function pagesFor(first: number, last: number, total: number): number[] {
  const from = Math.floor(Math.max(0, first - AHEAD) / PAGE_ROWS);
  const to = Math.floor(Math.max(0, Math.min(last + AHEAD, total - 1)) / PAGE_ROWS);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

export const pageOf = (index: number): { page: number; at: number } => ({
  page: Math.floor(index / PAGE_ROWS),
  at: index % PAGE_ROWS,
});
