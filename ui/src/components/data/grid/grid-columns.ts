/** The columns of a grid by TanStack Table: their order with the pinned ones first, their widths, and resizing. */

import {
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  functionalUpdate,
  type Header,
  tableFeatures,
  type Updater,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import type { Sort } from "../rows.ts";

export interface GridColumn<Row> {
  id: string;
  label: string;
  /** The label is for screen readers only: the column is too narrow for it. */
  isLabelHidden?: boolean;
  /** Tooltip of the head. */
  info?: string;
  /** Until the user resizes it. */
  width: number;
  isNumber?: boolean;
  canSort?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface GridProps<Row> {
  /** What the grid shows, for screen readers. */
  label: string;
  /** In order; keep the same array while nothing changes. */
  columns: readonly GridColumn<Row>[];
  /** Columns that stay visible at the left. */
  pinned: readonly string[];
  widths: Readonly<Record<string, number>>;
  onWidths: (widths: Record<string, number>) => void;
  sort?: Sort | null;
  onSort?: (column: string) => void;
  total: number;
  /** The row with this number, counted from 0; undefined while it loads. */
  rowAt: (index: number) => Row | undefined;
  /** The visible rows, and a few around them. */
  onWindow?: (first: number, last: number) => void;
  /** The row that keys act on; -1 for none. */
  active: number;
  onActive: (index: number) => void;
  /** A click or Enter. */
  onOpen?: (index: number) => void;
  /** The rows are outdated, and new ones are loading. */
  isStale?: boolean;
  /** Takes the focus when it appears, unless something else has it. */
  isFirst?: boolean;
  /** When it changes, all rows are different and the grid scrolls to the top. */
  resetKey?: string;
}

const features = tableFeatures({ columnSizingFeature, columnResizingFeature, columnPinningFeature });
/** Rows are not in memory: the table only handles columns. */
const NO_ROWS: Record<string, never>[] = [];
const MIN_WIDTH = 56;
const MAX_WIDTH = 1_200;
/** The share of the grid's width that pinned columns may take together, so that the rest stays reachable. */
const PINNED_SHARE = 0.5;

export type GridHeader = Header<typeof features, Record<string, never>, unknown>;

export interface PlacedColumn<Row> extends GridColumn<Row> {
  header: GridHeader;
  size: number;
  /** Distance from the left edge; null for those that scroll. */
  pinnedAt: number | null;
  isLastPinned: boolean;
}

type Options<Row> = Pick<GridProps<Row>, "columns" | "pinned" | "widths" | "onWidths"> & { gridWidth: number };

export function useGridColumns<Row>({ columns, pinned, widths, onWidths, gridWidth }: Options<Row>) {
  const definitions = useMemo(
    () => columns.map(({ id, label, width }) => ({ id, header: label, size: width })),
    [columns],
  );
  const start = useMemo(() => pinned.filter((id) => columns.some((column) => column.id === id)), [pinned, columns]);
  const fitting = useMemo(() => fitPinned(columns, start, widths, gridWidth), [columns, start, widths, gridWidth]);
  const table = useTable({
    features,
    columns: definitions,
    data: NO_ROWS,
    defaultColumn: { minSize: MIN_WIDTH, maxSize: MAX_WIDTH },
    columnResizeMode: "onChange",
    state: { columnSizing: fitting, columnPinning: { start, end: [] } },
    onColumnSizingChange: (updater: Updater<Record<string, number>>) =>
      onWidths({ ...widths, ...functionalUpdate(updater, fitting) }),
  });
  // Memoised, so that rows that stay visible are not rendered again while scrolling.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the widths and pins are what the headers are made of.
  const placed = useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]));
    return table.getLeafHeaders().flatMap((header): PlacedColumn<Row>[] => {
      const column = byId.get(header.column.id);
      if (column === undefined) return [];
      const isPinned = header.column.getIsPinned() === "start";
      const pinnedAt = isPinned ? header.column.getStart("start") : null;
      const isLastPinned = start.at(-1) === column.id;
      return [{ ...column, header, size: header.getSize(), pinnedAt, isLastPinned }];
    });
  }, [columns, start, fitting]);
  const resize = (id: string, width: number) =>
    onWidths({ ...widths, [id]: Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH)) });
  return { placed, totalSize: table.getTotalSize(), resize };
}

/** The rendered widths: on a narrow screen, pinned columns shrink. */
function fitPinned(
  columns: readonly GridColumn<never>[],
  start: readonly string[],
  widths: Readonly<Record<string, number>>,
  gridWidth: number,
): Record<string, number> {
  const widthOf = (id: string): number => widths[id] ?? columns.find((column) => column.id === id)?.width ?? 0;
  const wanted = start.reduce((sum, id) => sum + widthOf(id), 0);
  const allowed = gridWidth * PINNED_SHARE;
  if (gridWidth === 0 || wanted <= allowed) return { ...widths };
  return { ...widths, ...Object.fromEntries(start.map((id) => [id, Math.floor((widthOf(id) * allowed) / wanted)])) };
}
