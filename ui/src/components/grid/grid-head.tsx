/** The head of a grid: names that sort when pressed, and edges that are drawn to change a width. */
import { ArrowDown, ArrowUp } from "lucide-react";
import type { KeyboardEvent } from "react";
import type { Sort } from "../../lib/sort-rows.ts";
import { cellClass, cellStyle } from "./grid-row.tsx";
import type { PlacedColumn } from "./use-grid-columns.ts";

/** A step of Shift with an arrow key. */
const STEP_PX = 24;

interface GridHeadProps<Row> {
  columns: readonly PlacedColumn<Row>[];
  sort: Sort | null;
  onSort?: (column: string) => void;
  onResize: (column: string, width: number) => void;
}

export function GridHead<Row>({ columns, sort, onSort, onResize }: GridHeadProps<Row>) {
  return (
    <thead className="grid-head">
      <tr className="grid-row" aria-rowindex={1}>
        {columns.map((column) => (
          <GridHeadCell key={column.id} column={column} sort={sort} onSort={onSort} onResize={onResize} />
        ))}
      </tr>
    </thead>
  );
}

function GridHeadCell<Row>({
  column,
  sort,
  onSort,
  onResize,
}: Omit<GridHeadProps<Row>, "columns"> & { column: PlacedColumn<Row> }) {
  const { id, label, info, size, header } = column;
  const isSorted = sort?.id === id;
  const startResize = header.getResizeHandler();
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.shiftKey || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    event.stopPropagation();
    onResize(id, size + (event.key === "ArrowRight" ? STEP_PX : -STEP_PX));
  };
  return (
    <th
      scope="col"
      className={`${cellClass(column)} grid-th`}
      style={cellStyle(column)}
      aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined}
      title={info}
    >
      {onSort !== undefined && column.canSort ? (
        <button
          type="button"
          className="grid-sort"
          onClick={() => onSort(id)}
          onKeyDown={onKeyDown}
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
        >
          <span className="cut">{label}</span>
          {isSorted && (sort.isDescending ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden />)}
        </button>
      ) : (
        <span className="cut">{label}</span>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for the pointer; the keyboard has Shift and arrows on the name. */}
      <span
        className={`grid-edge ${header.column.getIsResizing() ? "grid-edge-moving" : ""}`}
        onMouseDown={startResize}
        onTouchStart={startResize}
        onDoubleClick={() => header.column.resetSize()}
      />
    </th>
  );
}
