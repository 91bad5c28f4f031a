/** The rows of a view: fetched in pages as the table scrolls, and again while the crawl runs. */
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import type { UrlRow } from "../../lib/contract.ts";
import { queries } from "../../lib/queries.ts";
import type { UrlView } from "./url-view.ts";

/** What a row needs to be shown and opened, whatever its columns are. */
const ALWAYS = ["number", "url", "status", "error", "verdict", "state"];
/** Pages that were scrolled past are dropped after this, so that a million rows do not stay in memory. */
const KEPT_MS = 60_000;

export interface UrlRows {
  total: number | null;
  error: unknown;
  /** The rows of the previous view are still shown. */
  isStale: boolean;
  rowAt: (index: number) => UrlRow | undefined;
  /** The place of a row that is in memory; -1 for another. */
  indexOf: (row: UrlRow) => number;
  /** A row that may not have been fetched yet. */
  fetchRow: (index: number) => Promise<UrlRow | undefined>;
  retry: () => void;
}

export interface RowWindow {
  first: number;
  last: number;
}

export function useUrlRows(crawlId: number, view: UrlView, { first, last }: RowWindow): UrlRows {
  const client = useQueryClient();
  const fields = [...new Set([...ALWAYS, ...view.fields])];
  const pageQuery = (page: number) => ({
    ...queries.urls(crawlId, { ...view, fields, offset: page * PAGE_ROWS, limit: PAGE_ROWS }),
    gcTime: KEPT_MS,
  });
  // The first page is always fetched: it has the total, and keeps the old rows until the new ones are here.
  const head = useQuery(pageQuery(0));
  const total = head.data?.total ?? null;
  const pages = head.isPlaceholderData ? [] : pagesFor(first, last, total ?? 0).filter((page) => page > 0);
  const others = useQueries({ queries: pages.map((page) => ({ ...pageQuery(page), placeholderData: undefined })) });
  const rowsOf = new Map(pages.map((page, at) => [page, others[at]?.data?.rows]));
  rowsOf.set(0, head.data?.rows);
  const failed = [head, ...others].find(({ data, error }) => data === undefined && error !== null);
  return {
    total,
    error: failed?.error ?? null,
    isStale: head.isPlaceholderData,
    rowAt: (index) => {
      const { page, at } = pageOf(index);
      return rowsOf.get(page)?.[at];
    },
    indexOf: (row) => {
      for (const [page, found] of rowsOf) {
        const at = found?.indexOf(row) ?? -1;
        if (at >= 0) return page * PAGE_ROWS + at;
      }
      return -1;
    },
    fetchRow: async (index) => {
      const { page, at } = pageOf(index);
      const { placeholderData: _, ...query } = pageQuery(page);
      return (await client.fetchQuery(query)).rows[at];
    },
    retry: () => {
      for (const query of [head, ...others]) if (query.error !== null) void query.refetch();
    },
  };
}

/** A screen holds thirty rows: most need one page, few two. */
export const PAGE_ROWS = 100;
/** Rows beyond the visible ones that are fetched ahead. */
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
