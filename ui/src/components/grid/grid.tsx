/**
 * A table of any number of rows, of which only those in sight are there: a million scroll as ten do. The rows come by
 * number from whoever has them. It takes the focus as a whole; arrow keys, Page, Home and End move the row, Enter opens it.
 */
import { type FocusEvent, type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { rowAfterKey, topToShow } from "../../lib/grid-keys.ts";
import { GridHead } from "./grid-head.tsx";
import { GridRow } from "./grid-row.tsx";
import type { GridProps } from "./grid-types.ts";
import { useGridColumns } from "./use-grid-columns.ts";
import { useScaledRows } from "./use-scaled-rows.ts";
import "./grid.css";

/** As in grid.css. */
const ROW_PX = 30;
const HEAD_PX = 32;
/** More than are ever drawn at once: a screen of 4,000 px. */
const SLOTS = 160;

export function Grid<Row>(props: GridProps<Row>) {
  const { label, total, rowAt, onWindow, active, onActive, onOpen, sort = null, onSort, isStale, resetKey } = props;
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

  const viewport = () => (scroller.current?.clientHeight ?? 0) - HEAD_PX;
  const topOf = (index: number) => topToShow(index, ROW_PX, rows.top(), viewport());
  // A row that becomes active from outside, by the drawer's arrows, comes into sight too.
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
    // The first whole row in sight: coming in by Tab must not scroll.
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
            // Rows that leave at one end come in again at the other: after a jump the browser has only texts to change.
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

/** How wide an element is, also after the window changed. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
