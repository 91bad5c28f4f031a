/** A table of up to some hundred rows, all in memory: sortable, with a sticky head, scrolling inside itself. */
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useState } from "react";
import { InfoTip } from "../controls/popover.tsx";
import { type Sort, type SortValue, sortRows } from "./rows.ts";
import "./data-table.css";

export interface Column<Row> {
  id: string;
  head: string;
  /** The cells need no visible head; it is there for screen readers only. */
  isHeadHidden?: boolean;
  info?: string;
  cell: (row: Row) => ReactNode;
  /** Makes the column sortable. */
  sortBy?: (row: Row) => SortValue;
  isNumber?: boolean;
  /** Takes the space the other columns leave, and cuts off its text. */
  isRest?: boolean;
  width?: string;
}

export interface DataTableProps<Row> {
  /** What the table shows, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  initialSort?: Sort;
  /** Shown instead of rows. */
  empty?: ReactNode;
  /** Maximum height before the table scrolls. */
  maxHeight?: string;
}

export function DataTable<Row>({ caption, columns, rows, rowKey, initialSort, empty, maxHeight }: DataTableProps<Row>) {
  const [sort, setSort] = useState<Sort | null>(initialSort ?? null);
  const sortBy = columns.find(({ id }) => id === sort?.id)?.sortBy;
  const shown = sort === null || sortBy === undefined ? rows : sortRows(rows, sortBy, sort.isDescending);
  const toggle = ({ id, isNumber }: Column<Row>) =>
    // For numbers, the largest are usually wanted first.
    setSort(sort?.id === id ? { id, isDescending: !sort.isDescending } : { id, isDescending: isNumber === true });
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-scroll" style={{ maxHeight }} aria-label={caption} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={classOf(column)}
                style={{ width: column.width }}
                aria-sort={sort?.id !== column.id ? undefined : sort.isDescending ? "descending" : "ascending"}
              >
                <span className="table-head">
                  {column.sortBy === undefined ? (
                    <span className={column.isHeadHidden ? "visually-hidden" : undefined}>{column.head}</span>
                  ) : (
                    <button type="button" onClick={() => toggle(column)}>
                      {column.head}
                      {sort?.id === column.id &&
                        (sort.isDescending ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden />)}
                    </button>
                  )}
                  {column.info && <InfoTip text={column.info} />}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={rowKey(row)} data-row>
              {columns.map((column) => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const classOf = ({ isNumber, isRest }: Pick<Column<unknown>, "isNumber" | "isRest">): string | undefined =>
  isNumber ? "table-number" : isRest ? "table-rest" : undefined;
