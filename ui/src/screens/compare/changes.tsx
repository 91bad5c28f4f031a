/** The changes between two crawls: how many of each kind, and the rows that match the filters. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Segmented, TextInput } from "../../components/controls/input.tsx";
import { EmptyState, Loaded, ShowMore, Skeleton } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Comparison } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { useRested } from "../../lib/timing.ts";
import { fieldLabel, useFields } from "../explorer/field-look.ts";
import { ChangeRow } from "./change-row.tsx";
import { CHANGES, type Change, type CompareSearch, countOf, EFFECTS } from "./compare-search.ts";
import { CHANGE_WORDS, EFFECT_WORDS } from "./compare-words.ts";

const PART = 100;

export function Changes({ otherId, search }: { otherId: number; search: CompareSearch }) {
  const crawlId = useCrawlId();
  const counts = useQuery(queries.compare(crawlId, otherId, { limit: 1 }));
  const parts = useInfiniteQuery(
    queries.compareRows(crawlId, otherId, {
      change: search.change ?? null,
      effect: search.effect ?? null,
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
  const isFiltered =
    search.change !== undefined ||
    search.effect !== undefined ||
    search.field !== undefined ||
    search.search !== undefined;
  return (
    <EmptyState title={isFiltered ? "No changes match" : "Nothing changed"}>
      {isFiltered
        ? "Choose another kind of change, another field, or another text."
        : "Every URL answers as it did before, with the same content."}
    </EmptyState>
  );
}

interface ChangeFiltersProps {
  comparison: Pick<Comparison, "counts" | "effects" | "fields">;
  search: CompareSearch;
}

/** Which changes are shown: by kind, by field, and by text in the URL. */
export function ChangeFilters({ comparison: { counts, effects, fields }, search }: ChangeFiltersProps) {
  const navigate = useNavigate({ from: "/crawls/$crawlId/compare" });
  const known = useFields();
  const show = (part: CompareSearch) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const all = CHANGES.reduce((sum, change) => sum + countOf(counts, change), 0);
  return (
    <div className="stack-tight">
      <div className="row">
        <Segmented<Change | "all">
          label="Kind of change"
          value={search.change ?? "all"}
          // A field filter applies only to changed URLs.
          onValue={(value) =>
            show({ change: value === "all" ? undefined : value, effect: undefined, field: undefined })
          }
          options={[
            { value: "all", label: `All ${formatNumber(all)}` },
            ...CHANGES.map((change) => ({
              value: change,
              label: `${CHANGE_WORDS[change].sign} ${CHANGE_WORDS[change].label} ${formatNumber(countOf(counts, change))}`,
            })),
          ]}
        />
        <span className="muted change-same">{formatNumber(counts.unchanged)} unchanged</span>
        <UrlSearch value={search.search ?? ""} onValue={(text) => show({ search: text === "" ? undefined : text })} />
      </div>
      {EFFECTS.some((effect) => effects[effect] > 0) && (
        <fieldset className="field-chips" aria-label="Only changes for the worse or the better">
          {EFFECTS.filter((effect) => effects[effect] > 0).map((effect) => (
            <button
              key={effect}
              type="button"
              className={`field-chip tone-${EFFECT_WORDS[effect].tone}`}
              aria-pressed={search.effect === effect}
              onClick={() =>
                show({ effect: search.effect === effect ? undefined : effect, change: undefined, field: undefined })
              }
            >
              <span aria-hidden>{EFFECT_WORDS[effect].sign}</span> {EFFECT_WORDS[effect].label}{" "}
              <span className="muted">{formatNumber(effects[effect])}</span>
            </button>
          ))}
        </fieldset>
      )}
      {fields.length > 0 && (
        <fieldset className="field-chips" aria-label="Only changes of one field">
          {fields.map(({ field, count }) => (
            <button
              key={field}
              type="button"
              className="field-chip"
              aria-pressed={search.field === field}
              onClick={() =>
                show(search.field === field ? { field: undefined } : { field, change: "changed", effect: undefined })
              }
            >
              {fieldLabel(known, field)} <span className="muted">{formatNumber(count)}</span>
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

function UrlSearch({ value, onValue }: { value: string; onValue: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  const rested = useRested(typed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing sends a new request.
  useEffect(() => {
    if (rested !== value) onValue(rested);
  }, [rested]);
  return (
    <TextInput
      type="search"
      data-search
      className="change-search"
      aria-label="Search URLs"
      placeholder="Text in the URL"
      value={typed}
      onValue={setTyped}
    />
  );
}
