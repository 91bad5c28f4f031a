/** The view that the address names, and how to change it. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Columns, DEFAULT_COLUMNS, readColumns, writeColumns } from "./columns.ts";
import { searchOf, type UrlView, viewOf } from "./url-view.ts";

const FROM = "/crawls/$crawlId/explorer";

export interface ViewControl {
  view: UrlView;
  columns: Columns;
  /** `isTyping` leaves no step to go back for each letter. */
  change: (change: Partial<UrlView>, isTyping?: boolean) => void;
  /** Columns that the person chose for all views to come. */
  keepColumns: (columns: Partial<Columns>) => void;
  resetColumns: () => void;
}

export function useUrlView(): ViewControl {
  const { fields, filter, search, sort } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [columns, setColumns] = useState(() => readColumns(localStorage));
  const view = useMemo(
    () => viewOf({ fields, filter, search, sort }, columns.fields),
    [fields, filter, search, sort, columns.fields],
  );
  const go = (next: UrlView, own: readonly string[], replace: boolean) =>
    void navigate({ search: (before) => ({ ...before, ...searchOf(next, own) }), replace });
  const keepColumns = (change: Partial<Columns>) => {
    const next = { ...columns, ...change };
    setColumns(next);
    writeColumns(localStorage, next);
    // Widths change many times a second while an edge is drawn, and are no part of the address.
    if (change.fields !== undefined) go({ ...view, fields: change.fields }, change.fields, true);
  };
  return {
    view,
    columns,
    change: (change, isTyping = false) => go({ ...view, ...change }, columns.fields, isTyping),
    keepColumns,
    resetColumns: () => keepColumns(DEFAULT_COLUMNS),
  };
}
