/** One condition of a filter: field, operator, value. The operators depend on the type of the field. */
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useId, useRef } from "react";
import { Select, TextInput } from "../../components/controls/input.tsx";
import type { Field, Overview } from "../../lib/contract.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { isCoded } from "../../lib/words.ts";
import { type ConditionDraft, firstOperator, type OperatorChoice, operatorsOf, valueWords } from "./filter-text.ts";

interface ConditionFieldsProps {
  fields: readonly Field[];
  draft: ConditionDraft;
  onDraft: (draft: ConditionDraft) => void;
  /** What is wrong with it, once it is time to say so. */
  problem: string | null;
  /** The value has the focus when it appears: the field is chosen already. */
  isFocused: boolean;
}

export function ConditionFields({ fields, draft, onDraft, problem, isFocused }: ConditionFieldsProps) {
  const { field: name, choice } = draft;
  const field = fields.find((one) => one.name === name);
  const noteId = useId();
  const valuePlace = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new condition takes the focus; a changed operator does not.
  useEffect(() => {
    if (isFocused) valuePlace.current?.querySelector<HTMLElement>("input, select")?.focus();
  }, []);
  const chooseField = (chosen: string) => {
    const about = fields.find((one) => one.name === chosen);
    onDraft({ field: chosen, choice: about === undefined ? choice : firstOperator(about), value: "" });
  };
  return (
    <>
      <Select
        aria-label="Field"
        value={name}
        onValue={chooseField}
        options={fields
          .map((one) => ({ value: one.name, label: one.label }))
          .toSorted((a, b) => a.label.localeCompare(b.label))}
      />
      <Select
        aria-label="Operator"
        value={choice}
        onValue={(id) => onDraft({ ...draft, choice: id as OperatorChoice["id"] })}
        options={operatorsOf(field?.type ?? "text").map(({ id, label }) => ({ value: id, label }))}
      />
      {choice !== "empty" && choice !== "filled" && (
        <ValueInput
          draft={draft}
          field={field}
          onValue={(next) => onDraft({ ...draft, value: next })}
          isWrong={problem !== null}
          noteId={noteId}
          place={valuePlace}
        />
      )}
      <p id={noteId} className={problem === null ? "muted filter-note" : "field-error"}>
        {problem ?? field?.description}
      </p>
    </>
  );
}

interface ValueInputProps {
  draft: ConditionDraft;
  field: Field | undefined;
  onValue: (value: string) => void;
  isWrong: boolean;
  noteId: string;
  place: RefObject<HTMLDivElement | null>;
}

function ValueInput({
  draft: { field: name, choice, value },
  field,
  onValue,
  isWrong,
  noteId,
  place,
}: ValueInputProps) {
  const listId = useId();
  const fixed = field?.type === "boolean" ? ["true", "false"] : (field?.values ?? []);
  const suggestions = useSuggestions(name, fixed);
  // Codes and other fixed values are chosen by their words; only a part of one has to be typed.
  const hasFixed = isCoded(name) || fixed.length > 0;
  const isChosen = hasFixed && (choice === "=" || choice === "!=") && suggestions.length > 0;
  return (
    <div className="filter-value" ref={place}>
      {isChosen ? (
        <Select
          aria-label="Value"
          value={value}
          onValue={onValue}
          options={[
            { value: "", label: "Choose a value" },
            ...[...new Set([...suggestions, ...(value === "" ? [] : [value])])].map((one) => ({
              value: one,
              label: valueWords({ field: name, value: one }, field),
            })),
          ]}
        />
      ) : (
        <TextInput
          aria-label="Value"
          placeholder={name === "status" ? "404 or 4xx" : field?.type === "number" ? "A number" : "Text"}
          autoComplete="off"
          list={suggestions.length > 0 ? listId : undefined}
          value={value}
          onValue={onValue}
          aria-invalid={isWrong || undefined}
          aria-describedby={noteId}
        />
      )}
      <datalist id={listId}>
        {suggestions.map((one) => (
          <option key={one} value={one} label={valueWords({ field: name, value: one }, field)} />
        ))}
      </datalist>
    </div>
  );
}

// Values to choose from: those a field can have, or those found in this crawl.

/** A class of statuses can be a value, too. */
const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"];

const COUNTED: Record<string, (overview: Overview) => Overview["reasons"]> = {
  status: ({ statuses }) => statuses,
  reason: ({ reasons }) => reasons,
  error: ({ errorCodes }) => errorCodes,
  contentType: ({ contentTypes }) => contentTypes,
  indexability: ({ indexability }) => indexability,
};

/** `words` are the values that the field can have, where these are few. */
function useSuggestions(field: string, words: readonly string[]): string[] {
  const counted = COUNTED[field];
  const overview = useQuery({ ...queries.overview(useCrawlId()), enabled: counted !== undefined }).data;
  const found = overview === undefined || counted === undefined ? [] : counted(overview);
  const values = found.flatMap(({ value }) => (value === null || value === "" ? [] : [String(value)]));
  return [...new Set([...(field === "status" ? STATUS_CLASSES : words), ...values])];
}
