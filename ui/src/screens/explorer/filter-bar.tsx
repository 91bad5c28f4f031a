/** Search, quick filters, and custom filters as chips. */
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { Fragment, useEffect, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Segmented } from "../../components/controls/input.tsx";
import { PopoverButton } from "../../components/controls/popover-button.tsx";
import { SearchField } from "../../components/controls/search-box.tsx";
import type { Field, Severity } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { useRested } from "../../lib/timing.ts";
import { severityWords } from "../../lib/words.ts";
import { SEVERITY_ORDER } from "../issues/issue-lists.ts";
import { FilterEditor } from "./filter-editor.tsx";
import { alternativesText, filterWords, parseAlternatives } from "./filter-text.ts";
import {
  otherFilters,
  PLACES,
  QUICK_FILTERS,
  type QuickFilter,
  quickColumns,
  quickFiltersOf,
  toggleQuick,
} from "./quick-filters.ts";
import type { UrlView } from "./url-view.ts";
import type { ViewControl } from "./view-control.ts";

/** No tab but all URLs. */
const ALL = "all";

export function FilterBar({ control, fields }: { control: ViewControl; fields: readonly Field[] }) {
  const { view, columns, change } = control;
  const on = quickFiltersOf(view.filter);
  const counts = useQuickCounts(view);
  const place = PLACES.find((one) => on.includes(one));
  const toggle = (quick: QuickFilter) => {
    const filter = toggleQuick(quick, view.filter);
    change({ filter, fields: quickColumns(filter, columns.fields) });
  };
  const total = (id: string) => (counts.has(id) ? formatNumber(counts.get(id)) : "");
  const chips = otherFilters(view.filter);
  const quickFilters = QUICK_FILTERS.filter(
    (quick) => !quick.isRare || on.includes(quick) || (counts.get(quick.id) ?? 0) > 0,
  );
  const replace = (old: string, next: string[]) =>
    change({ filter: view.filter.flatMap((one) => (one === old ? next : [one])) });
  return (
    <search className="filter-bar">
      <Segmented
        label="Which URLs"
        value={place?.id ?? ALL}
        onValue={(id) => {
          const next = PLACES.find((one) => one.id === id) ?? place;
          if (next !== undefined) toggle(next);
        }}
        options={[
          { value: ALL, label: `All ${total(ALL)}` },
          ...PLACES.map(({ id, label, info }) => ({ value: id, label: `${label} ${total(id)}`, title: info })),
        ]}
      />
      <SearchBox control={control} />
      <PopoverButton label="Add filter" icon={Plus}>
        {(close) => (
          <FilterEditor
            fields={fields}
            filters={[]}
            onDone={(filters) => {
              const text = alternativesText(filters);
              if (!view.filter.includes(text)) change({ filter: [...view.filter, text] });
              close();
            }}
          />
        )}
      </PopoverButton>
      <fieldset className="quick-filters" aria-label="Quick filters">
        {quickFilters.map((quick) => (
          <button
            key={quick.id}
            type="button"
            className="quick-filter"
            aria-pressed={on.includes(quick)}
            title={quick.info}
            onClick={() => toggle(quick)}
          >
            {quick.label}{" "}
            {counts.has(quick.id) && <span className="quick-count">{formatNumber(counts.get(quick.id))}</span>}
          </button>
        ))}
      </fieldset>
      {chips.length > 0 && (
        <div className="row filter-chips">
          {chips.map((text) => (
            <FilterChip key={text} text={text} fields={fields} onChange={(next) => replace(text, next)} />
          ))}
          <Button look="quiet" icon={X} onClick={() => change({ filter: [], search: null, fields: columns.fields })}>
            Clear all
          </Button>
        </div>
      )}
    </search>
  );
}

/** How many rows each quick filter shows when it is clicked, or shows now. */
function useQuickCounts({ filter, search }: UrlView): ReadonlyMap<string, number> {
  const on = quickFiltersOf(filter);
  const counted = [...PLACES, ...QUICK_FILTERS];
  const place = PLACES.find((one) => on.includes(one));
  const views = [
    ...counted.map((quick) => ({ filter: on.includes(quick) ? filter : toggleQuick(quick, filter), search })),
    { filter: place === undefined ? [...filter] : toggleQuick(place, filter), search },
  ];
  const totals = useQuery(queries.counts(useCrawlId(), views)).data?.totals;
  return new Map(totals?.map((total, at) => [counted[at]?.id ?? ALL, total]));
}

/** Searches once typing has paused; follows an address that changes from outside. */
function SearchBox({ control: { view, change } }: { control: ViewControl }) {
  const [typed, setTyped] = useState(view.search ?? "");
  const [asked, setAsked] = useState(view.search);
  if (asked !== view.search) {
    setAsked(view.search);
    setTyped(view.search ?? "");
  }
  const rested = useRested(typed, 250);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing that has paused sends a request, not its answer.
  useEffect(() => {
    const search = rested === "" ? null : rested;
    if (rested !== typed || search === view.search) return;
    setAsked(search);
    change({ search }, true);
  }, [rested]);
  return <SearchField label="Search URLs and titles" value={typed} onValue={setTyped} />;
}

/** The name of an audit rule, or of a severity, as the issues of this crawl have it. */
function useRuleNames(): (rule: string) => string {
  const { data } = useQuery(queries.issues(useCrawlId()));
  const all = data === undefined ? [] : [...data.rows, ...data.passed, ...data.notApplicable];
  return (rule) =>
    all.find((issue) => issue.rule === rule)?.name ??
    (isSeverity(rule) ? severityWords(rule).label.toLowerCase() : rule);
}

const isSeverity = (text: string): text is Severity => SEVERITY_ORDER.some((severity) => severity === text);

/** Filters that are not about a field of the table. */
const HAS_NO_FIELD: ReadonlySet<string> = new Set(["issue", "under"]);

interface FilterChipProps {
  text: string;
  fields: readonly Field[];
  /** The filters that replace it: one, or none. */
  onChange: (next: string[]) => void;
}

/** One filter as a chip: a click edits it, its cross removes it. */
export function FilterChip({ text, fields, onChange }: FilterChipProps) {
  const ruleName = useRuleNames();
  const alternatives = parseAlternatives(text) ?? [];
  const worded = alternatives.map((one) => {
    const isNot = one.operator === "!=" ? "is not" : "is";
    if (one.field === "issue") return { field: "Issue", operator: isNot, value: ruleName(one.value) };
    if (one.field === "under") return { field: "Address", operator: `${isNot} under`, value: one.value };
    return filterWords(
      one,
      fields.find(({ name }) => name === one.field),
    );
  });
  const all =
    worded.length === 0
      ? text
      : worded.map((words) => [words.field, words.operator, words.value].filter(Boolean).join(" ")).join(" or ");
  // Only conditions on fields can be edited; the rest can be removed and added again.
  const isEditable = alternatives.length > 0 && !alternatives.some(({ field }) => HAS_NO_FIELD.has(field));
  const face = (
    <span className="cut" title={all}>
      {worded.length === 0 && text}
      {worded.map(({ field, operator, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never change places.
        <Fragment key={at}>
          {at > 0 && <span className="muted"> or </span>}
          {field} <span className="muted">{operator}</span> {value}
        </Fragment>
      ))}
    </span>
  );
  return (
    <span className="filter-chip">
      {isEditable ? (
        <PopoverButton label={`Change the filter ${all}`} look="quiet" className="filter-chip-face" face={face}>
          {(close) => (
            <FilterEditor
              fields={fields}
              filters={alternatives}
              onDone={(next) => {
                close();
                onChange([alternativesText(next)]);
              }}
            />
          )}
        </PopoverButton>
      ) : (
        <span className="filter-chip-text">{face}</span>
      )}
      <button type="button" className="filter-chip-cross" aria-label={`Remove ${all}`} onClick={() => onChange([])}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
