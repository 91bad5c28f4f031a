/** The changes between two crawls: how many of each kind, and the rows that the filters leave. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Card } from "../../components/card.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { EmptyState, Loaded, Skeleton } from "../../components/states.tsx";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { ChangeFilters } from "./change-filters.tsx";
import { ChangeRow } from "./change-row.tsx";
import type { CompareSearch } from "./compare-search.ts";

const PART = 100;

export function Changes({ otherId, search }: { otherId: number; search: CompareSearch }) {
  const crawlId = useCrawlId();
  const counts = useQuery(queries.compare(crawlId, otherId, { limit: 1 }));
  const parts = useInfiniteQuery(
    queries.compareRows(crawlId, otherId, {
      change: search.change ?? null,
      field: search.field ?? null,
      search: search.search ?? null,
      limit: PART,
    }),
  );
  return (
    <Loaded query={counts} skeleton={<Skeleton lines={8} />}>
      {(comparison) => (
        <>
          <ChangeFilters comparison={comparison} search={search} />
          <Loaded query={parts} skeleton={<Skeleton lines={8} />}>
            {({ pages }) => {
              const rows = pages.flatMap((page) => page.rows);
              const total = pages.at(-1)!.total;
              return (
                <Card isFlush title={`${formatNumber(total)} ${total === 1 ? "URL" : "URLs"}`}>
                  {rows.length === 0 ? (
                    <Nothing search={search} />
                  ) : (
                    <ul className="change-list" aria-busy={parts.isPlaceholderData}>
                      {rows.map((row) => (
                        <ChangeRow key={row.url} row={row} otherId={otherId} field={search.field} />
                      ))}
                    </ul>
                  )}
                  <ShowMore
                    shown={rows.length}
                    total={total}
                    of="URLs"
                    hasMore={parts.hasNextPage}
                    isBusy={parts.isFetchingNextPage}
                    onMore={() => void parts.fetchNextPage()}
                  />
                </Card>
              );
            }}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

function Nothing({ search }: { search: CompareSearch }) {
  const isFiltered = search.change !== undefined || search.field !== undefined || search.search !== undefined;
  return (
    <EmptyState title={isFiltered ? "No change matches" : "Nothing changed"}>
      {isFiltered
        ? "Choose another kind of change, another field, or another text."
        : "Every URL answers as before, and every page says what it said."}
    </EmptyState>
  );
}
