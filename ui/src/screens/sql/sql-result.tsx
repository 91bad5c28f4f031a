/** What a question answered: rows, or what is wrong with it and what to do. */
import type { UseMutationResult } from "@tanstack/react-query";
import { Database } from "lucide-react";
import { useMemo, useState } from "react";
import { CopyButton } from "../../components/copy-button.tsx";
import { Grid } from "../../components/grid/grid.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/states.tsx";
import type { SqlAnswer, SqlQuestion } from "../../lib/contract.ts";
import { formatDuration, formatNumber, plural } from "../../lib/format.ts";
import { csvOf } from "./csv.ts";
import { sqlColumns } from "./sql-columns.tsx";

type SqlQuery = UseMutationResult<SqlAnswer, Error, SqlQuestion>;

export function SqlResult({ query }: { query: SqlQuery }) {
  if (query.isPending) return <Skeleton lines={6} />;
  if (query.error !== null) return <ErrorState error={query.error} />;
  if (query.data === undefined) {
    return (
      <EmptyState icon={Database} title="Ask something">
        Write a SELECT over the tables beside, or take one of the examples.
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
    <section className="sql-answer" aria-label="Answer">
      <header className="row-apart sql-answer-head">
        <span role="status">
          {plural(rows.length, "row")} in {formatDuration(ms)}
          {truncated && (
            <span className="sql-cut">
              {rows.length >= limit
                ? ` There are more: the limit of ${formatNumber(limit)} rows was reached.`
                : " There are more: the answer became too large."}
            </span>
          )}
        </span>
        <CopyButton text={csvOf(columns, rows)} label="Copy as CSV" />
      </header>
      {rows.length === 0 ? (
        <EmptyState title="No rows">The question was understood; nothing fits it.</EmptyState>
      ) : (
        <Grid
          label="Rows of the answer"
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
