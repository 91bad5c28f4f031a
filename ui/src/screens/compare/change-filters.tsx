/** Which changes are shown: by kind, by field, and by text in the URL. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { TextInput } from "../../components/input.tsx";
import { Segmented } from "../../components/segmented.tsx";
import type { Comparison } from "../../lib/contract.ts";
import { useRested } from "../../lib/debounce.ts";
import { formatNumber } from "../../lib/format.ts";
import { fieldLabel } from "../explorer/field-labels.ts";
import { CHANGES, type Change, type CompareSearch } from "./compare-search.ts";
import { CHANGE_WORDS } from "./compare-words.ts";

interface ChangeFiltersProps {
  comparison: Pick<Comparison, "counts" | "fields">;
  search: CompareSearch;
}

export function ChangeFilters({ comparison: { counts, fields }, search }: ChangeFiltersProps) {
  const navigate = useNavigate({ from: "/crawls/$crawlId/compare" });
  const show = (part: CompareSearch) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const all = counts.added + counts.removed + counts.changed;
  return (
    <div className="stack-tight">
      <div className="row">
        <Segmented<Change | "all">
          label="Kind of change"
          value={search.change ?? "all"}
          // A field can only have changed in what changed.
          onValue={(value) => show({ change: value === "all" ? undefined : value, field: undefined })}
          options={[
            { value: "all", label: `All ${formatNumber(all)}` },
            ...CHANGES.map((change) => ({
              value: change,
              label: `${CHANGE_WORDS[change].sign} ${CHANGE_WORDS[change].label} ${formatNumber(counts[change])}`,
            })),
          ]}
        />
        <span className="muted change-same">{formatNumber(counts.unchanged)} as they were</span>
        <UrlSearch value={search.search ?? ""} onValue={(text) => show({ search: text === "" ? undefined : text })} />
      </div>
      {fields.length > 0 && (
        <fieldset className="field-chips" aria-label="Only changes of one field">
          {fields.map(({ field, count }) => (
            <button
              key={field}
              type="button"
              className="field-chip"
              aria-pressed={search.field === field}
              onClick={() => show(search.field === field ? { field: undefined } : { field, change: "changed" })}
            >
              {fieldLabel(field)} <span className="muted">{formatNumber(count)}</span>
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed asks anew.
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
