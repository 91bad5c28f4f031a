/** One row of a grid, drawn again only when something of it changes: dozens of them pass while one scrolls. */
import { type CSSProperties, memo } from "react";
import type { PlacedColumn } from "./use-grid-columns.ts";

interface GridRowProps<Row> {
  id: string;
  index: number;
  /** Pixels from the top of the scrolled area. */
  place: number;
  row: Row | undefined;
  columns: readonly PlacedColumn<Row>[];
  isActive: boolean;
  onPress: (index: number) => void;
}

function PlainGridRow<Row>({ id, index, place, row, columns, isActive, onPress }: GridRowProps<Row>) {
  return (
    <tr
      id={id}
      className={isActive ? "grid-row grid-row-active" : "grid-row"}
      style={{ transform: `translateY(${place}px)` }}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      aria-busy={row === undefined || undefined}
      onClick={() => onPress(index)}
    >
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)} style={cellStyle(column)}>
          {row === undefined ? <span className="grid-wait" /> : column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

export const GridRow = memo(PlainGridRow) as typeof PlainGridRow;

export const cellClass = ({ isNumber, pinnedAt, isLastPinned }: PlacedColumn<never>): string =>
  ["grid-cell", isNumber && "grid-number", pinnedAt !== null && "grid-pinned", isLastPinned && "grid-pinned-last"]
    .filter(Boolean)
    .join(" ");

export const cellStyle = ({ size, pinnedAt }: PlacedColumn<never>): CSSProperties => ({
  width: size,
  insetInlineStart: pinnedAt ?? undefined,
});
