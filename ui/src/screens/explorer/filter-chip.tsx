/** One filter as a chip: pressed it can be changed, its cross takes it away. */
import { X } from "lucide-react";
import { PopoverButton } from "../../components/popover-button.tsx";
import type { Field } from "../../lib/contract.ts";
import { FilterEditor } from "./filter-editor.tsx";
import { filterText, filterWords, parseFilter } from "./filter-text.ts";

interface FilterChipProps {
  text: string;
  fields: readonly Field[];
  /** The filters to stand in its place: one, or none. */
  onChange: (next: string[]) => void;
}

export function FilterChip({ text, fields, onChange }: FilterChipProps) {
  const filter = parseFilter(text);
  const type = fields.find(({ name }) => name === filter?.field)?.type ?? "text";
  const words = filter === null ? { field: text, operator: "", value: "" } : filterWords(filter, type);
  const all = [words.field, words.operator, words.value].filter(Boolean).join(" ");
  return (
    <span className="filter-chip">
      <PopoverButton
        label={`Change the filter ${all}`}
        look="quiet"
        className="filter-chip-face"
        face={
          <span className="cut" title={all}>
            {words.field} <span className="muted">{words.operator}</span> {words.value}
          </span>
        }
      >
        {(close) => (
          <FilterEditor
            fields={fields}
            filter={filter}
            onDone={(next) => {
              close();
              onChange([filterText(next)]);
            }}
          />
        )}
      </PopoverButton>
      <button type="button" className="filter-chip-cross" aria-label={`Remove ${all}`} onClick={() => onChange([])}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
