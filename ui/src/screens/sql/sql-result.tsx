/** The result of a query: rows, or what is wrong with it and what to do. */
import type { UseMutationResult } from "@tanstack/react-query";
import { Database } from "lucide-react";
import { useMemo, useState } from "react";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { Grid } from "../../components/data/grid/grid.tsx";
import type { GridColumn } from "../../components/data/grid/grid-columns.ts";
import { EmptyState, ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import type { SqlAnswer, SqlQuestion } from "../../lib/contract.ts";
import { formatDuration, formatNumber, plural } from "../../lib/format.ts";
import { webLink } from "../../lib/web-link.ts";
import { UrlLink } from "../url-drawer/inspect.tsx";
import { csvOf, type SqlCell } from "./csv.ts";

type SqlQuery = UseMutationResult<SqlAnswer, Error, SqlQuestion>;

export function SqlResult({ query }: { query: SqlQuery }) {
  if (query.isPending) return <Skeleton lines={6} />;
  if (query.error !== null) return <ErrorState error={query.error} />;
  if (query.data === undefined) {
    return (
      <EmptyState icon={Database} title="Run a query">
        Write a SELECT over these tables, or start from an example.
      </EmptyState>
    );
  }
  return <Answer answer={query.data} limit={query.variables?.limit ?? 0} />;
}

function Answer({ answer: { columns, rows, truncated, ms }, limit }: { answer: SqlAnswer; limit: number }) {
  const [widths, setWidths] = useState<Record<string, number>>({});
  const [active, setActive] = useState(-1);
  const gridColumns = useMemo(() => sqlColumns(columns, rows), [columns, rows]);
  return (
    <section className="sql-answer" aria-label="Result">
      <header className="row-apart sql-answer-head">
        <span role="status">
          {plural(rows.length, "row")} in {formatDuration(ms)}
          {truncated && (
            <span className="sql-cut">
              {rows.length >= limit
                ? ` Cut off at the limit of ${formatNumber(limit)} rows.`
                : " Cut off because the result became too large."}
            </span>
          )}
        </span>
        <CopyButton text={csvOf(columns, rows)} label="Copy as CSV" />
      </header>
      {rows.length === 0 ? (
        <EmptyState title="No rows">The query ran, but nothing matches.</EmptyState>
      ) : (
        <Grid
          label="Result rows"
          columns={gridColumns}
          pinned={NO_PINS}
          widths={widths}
          onWidths={setWidths}
          total={rows.length}
          rowAt={(index) => rows[index]}
          active={active}
          onActive={setActive}
        />
      )}
    </section>
  );
}

const NO_PINS: string[] = [];

type SqlRow = readonly SqlCell[];

/** Rows that decide the width of a column. */
const SAMPLE = 50;
const CHARACTER_PX = 7.2;
const MIN_PX = 72;
const MAX_PX = 420;

/** Columns of a result, as wide as their content. A cell that is a URL opens its drawer. */
export function sqlColumns(names: readonly string[], rows: readonly SqlRow[]): GridColumn<SqlRow>[] {
  return names.map((name, at) => {
    const sample = rows.slice(0, SAMPLE).map((row) => row[at] ?? null);
    const longest = sample.reduce((most: number, value) => Math.max(most, String(value ?? "").length), name.length + 1);
    return {
      // Two columns may have the same name.
      id: `${at}`,
      label: name,
      width: Math.round(Math.max(MIN_PX, Math.min(longest * CHARACTER_PX + 24, MAX_PX))),
      isNumber: sample.some((value) => typeof value === "number") && !sample.some((value) => typeof value === "string"),
      cell: (row) => <SqlCellText value={row[at] ?? null} />,
    };
  });
}

function SqlCellText({ value }: { value: SqlCell }) {
  if (value === null) return <span className="muted">null</span>;
  if (typeof value === "string" && /^https?:\/\//.test(value) && webLink(value) !== null && !value.includes(" ")) {
    return <UrlLink url={value} />;
  }
  return (
    <span className="cut" title={String(value)}>
      {String(value)}
    </span>
  );
}
