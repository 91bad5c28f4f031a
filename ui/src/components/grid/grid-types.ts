/** What a grid is told: its columns, its rows by number, and what happens to them. */
import type { ReactNode } from "react";
import type { Sort } from "../../lib/sort-rows.ts";

export interface GridColumn<Row> {
  id: string;
  label: string;
  /** Said when the head is pointed at. */
  info?: string;
  /** Until the person draws it wider or narrower. */
  width: number;
  isNumber?: boolean;
  canSort?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface GridProps<Row> {
  /** What the grid shows, for people who cannot see it. */
  label: string;
  /** In order; keep the same array while nothing changes. */
  columns: readonly GridColumn<Row>[];
  /** Columns that stay in sight at the left. */
  pinned: readonly string[];
  widths: Readonly<Record<string, number>>;
  onWidths: (widths: Record<string, number>) => void;
  sort?: Sort | null;
  onSort?: (column: string) => void;
  total: number;
  /** The row of a number, counted from 0; undefined while it is on its way. */
  rowAt: (index: number) => Row | undefined;
  /** Which rows are in sight, and a few around them. */
  onWindow?: (first: number, last: number) => void;
  /** The row that keys act on; -1 for none. */
  active: number;
  onActive: (index: number) => void;
  /** A click or Enter. */
  onOpen?: (index: number) => void;
  /** Rows are old, newer ones on their way. */
  isStale?: boolean;
  /** Changes when the rows are others altogether: the grid goes back to its top. */
  resetKey?: string;
}
