/**
 * A table of any number of rows that renders only the visible ones: a million scroll like ten. Rows are fetched by number.
 * It takes focus as a whole; arrow keys, Page Up, Page Down, Home and End move the active row, Enter opens it.
 */
import {
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  memo,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { rowAfterKey, type Sort, topToShow } from "../rows.ts";
import { type GridProps, type PlacedColumn, useGridColumns } from "./grid-columns.ts";
import { useScaledRows } from "./scaled-rows.ts";
import "./grid.css";
import { ArrowDown, ArrowUp } from "lucide-react";

/** As in grid.css. */
const ROW_PX = 30;
const HEAD_PX = 32;
/** More rows than are ever rendered at once, even on a screen of 4,000 px. */
const SLOTS = 160;

export function Grid<Row>(props: GridProps<Row>) {
  const {
    label,
    total,
    rowAt,
    onWindow,
    active,
    onActive,
    onOpen,
    sort = null,
    onSort,
    isStale,
    resetKey,
    isFirst = false,
  } = props;
  const scroller = useRef<HTMLTableElement>(null);
  const gridWidth = useWidth(scroller);
  const { placed, totalSize, resize } = useGridColumns({ ...props, gridWidth });
  const rows = useScaledRows(scroller, total, ROW_PX, HEAD_PX);
  const base = useId();
  const first = rows.items[0]?.index ?? 0;
  const last = rows.items.at(-1)?.index ?? 0;
  useEffect(() => onWindow?.(first, last), [onWindow, first, last]);

  const scrollTo = useRef(rows.scrollTo);
  scrollTo.current = rows.scrollTo;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is what says that the rows are others.
  useLayoutEffect(() => scrollTo.current(0), [resetKey]);

  useEffect(() => {
    // A heading gets the focus of a new screen; a field or button got it from the user.
    if (isFirst && document.activeElement?.matches("body, h1")) scroller.current?.focus({ preventScroll: true });
  }, [isFirst]);

  const viewport = () => (scroller.current?.clientHeight ?? 0) - HEAD_PX;
  const topOf = (index: number) => topToShow(index, ROW_PX, rows.top(), viewport());
  // A row that becomes active from outside, by the drawer's arrows, is scrolled into view too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new active row moves the view; scrolling away from it is free.
  useEffect(() => {
    if (active >= 0 && active < total && topOf(active) !== rows.top()) rows.scrollTo(topOf(active));
  }, [active]);

  const press = useRef((_index: number) => {});
  press.current = (index) => {
    scroller.current?.focus({ preventScroll: true });
    (onOpen ?? onActive)(index);
  };
  const [onPress] = useState(() => (index: number) => press.current(index));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      onOpen?.(active);
      return;
    }
    const next = rowAfterKey(event.key, { active, total, pageRows: Math.floor(viewport() / ROW_PX) });
    if (next === null) return;
    event.preventDefault();
    onActive(next);
  };
  const onFocus = (event: FocusEvent) => {
    // The first fully visible row: entering by Tab must not scroll.
    if (event.target === scroller.current && active < 0 && total > 0) onActive(Math.ceil(rows.top() / ROW_PX));
  };
  const isActiveDrawn = active >= first && active <= last;
  return (
    <table
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that takes keys is a grid.
      role="grid"
      className={isStale ? "grid grid-stale" : "grid"}
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={placed.length}
      aria-busy={isStale || undefined}
      aria-activedescendant={isActiveDrawn ? `${base}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
    >
      <GridHead columns={placed} sort={sort} onSort={onSort} onResize={resize} />
      <tbody className="grid-body" style={{ height: rows.height, width: totalSize }}>
        {rows.items.map((item) => (
          <GridRow
            // Rows that leave at one end are reused at the other: after a jump the browser only has to change texts.
            key={item.index % SLOTS}
            id={`${base}-${item.index}`}
            index={item.index}
            place={rows.placeOf(item)}
            row={rowAt(item.index)}
            columns={placed}
            isActive={item.index === active}
            onPress={onPress}
          />
        ))}
      </tbody>
    </table>
  );
}

/** The width of an element, updated when it changes. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** One step of Shift with an arrow key. */
const STEP_PX = 24;

interface GridHeadProps<Row> {
  columns: readonly PlacedColumn<Row>[];
  sort: Sort | null;
  onSort?: (column: string) => void;
  onResize: (column: string, width: number) => void;
}

/** The head of a grid: names that sort when clicked, and edges that resize when dragged. */
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
        <span className={column.isLabelHidden === true ? "visually-hidden" : "cut"}>{label}</span>
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

interface GridRowProps<Row> {
  id: string;
  index: number;
  /** Pixels from the top of the scroll area. */
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

/** One row of a grid. Rendered again only when it changes, because dozens pass by during scrolling. */
export const GridRow = memo(PlainGridRow) as typeof PlainGridRow;

export const cellClass = ({ isNumber, pinnedAt, isLastPinned }: PlacedColumn<never>): string =>
  ["grid-cell", isNumber && "grid-number", pinnedAt !== null && "grid-pinned", isLastPinned && "grid-pinned-last"]
    .filter(Boolean)
    .join(" ");

export const cellStyle = ({ size, pinnedAt }: PlacedColumn<never>): CSSProperties => ({
  width: size,
  insetInlineStart: pinnedAt ?? undefined,
});
