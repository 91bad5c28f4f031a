/** Edits a filter: field, operator, value. The operators depend on the type of the field. */

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Select, TextInput } from "../../components/controls/input.tsx";
import type { Field, Overview } from "../../lib/contract.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { fieldWords, isCoded } from "../../lib/words.ts";
import {
  choiceOf,
  type Filter,
  filterFrom,
  filterProblem,
  firstOperator,
  type OperatorChoice,
  operatorsOf,
} from "./filter-text.ts";

interface FilterEditorProps {
  fields: readonly Field[];
  /** Null for a new one. */
  filter: Filter | null;
  onDone: (filter: Filter) => void;
}

export function FilterEditor({ fields, filter, onDone }: FilterEditorProps) {
  const [name, setName] = useState(filter?.field ?? "status");
  const [choice, setChoice] = useState<OperatorChoice["id"]>(filter === null ? "=" : choiceOf(filter));
  const [value, setValue] = useState(filter?.value ?? "");
  const [isTried, setTried] = useState(false);
  const listId = useId();
  const noteId = useId();
  const field = fields.find((one) => one.name === name);
  const suggestions = useSuggestions(name, field?.values ?? []);
  const type = field?.type ?? "text";
  const next = filterFrom(name, choice, value.trim());
  const problem = filterProblem(next, field);
  const chooseField = (chosen: string) => {
    setName(chosen);
    setValue("");
    const about = fields.find((one) => one.name === chosen);
    if (about !== undefined) setChoice(firstOperator(about));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem === null) onDone(next);
  };
  // Codes and other fixed values are chosen by their words; only a part of one has to be typed.
  const hasFixed = isCoded(name) || (field?.values.length ?? 0) > 0;
  const isChosen = hasFixed && (choice === "=" || choice === "!=") && suggestions.length > 0;
  const needsValue = choice !== "empty" && choice !== "filled";
  const isWrong = isTried && problem !== null;
  return (
    <form className="filter-editor" onSubmit={submit}>
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
        onValue={(id) => setChoice(id as OperatorChoice["id"])}
        options={operatorsOf(type).map(({ id, label }) => ({ value: id, label }))}
      />
      {needsValue && isChosen && (
        <Select
          aria-label="Value"
          className="filter-value"
          value={value}
          onValue={setValue}
          options={[
            { value: "", label: "Choose a value" },
            ...[...new Set([...suggestions, ...(value === "" ? [] : [value])])].map((one) => ({
              value: one,
              label: fieldWords(name, one),
            })),
          ]}
        />
      )}
      {needsValue && !isChosen && (
        <TextInput
          data-autofocus={filter === null ? undefined : true}
          aria-label="Value"
          placeholder={name === "status" ? "404 or 4xx" : type === "number" ? "A number" : "Text"}
          autoComplete="off"
          list={suggestions.length > 0 ? listId : undefined}
          value={value}
          onValue={setValue}
          aria-invalid={isWrong || undefined}
          aria-describedby={noteId}
        />
      )}
      <datalist id={listId}>
        {suggestions.map((one) => (
          <option key={one} value={one} label={fieldWords(name, one)} />
        ))}
      </datalist>
      <p id={noteId} className={isWrong ? "field-error" : "muted filter-note"}>
        {isWrong ? problem : field?.description}
      </p>
      <Button type="submit" look="primary">
        {filter === null ? "Add filter" : "Change filter"}
      </Button>
    </form>
  );
}

// Values to choose from: those a field can have, or those found in this crawl.

/** A class of statuses can be a value, too. */
const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"];

const COUNTED: Record<string, (overview: Overview) => Overview["reasons"]> = {
  status: ({ statuses }) => statuses,
  reason: ({ reasons }) => reasons,
  error: ({ errors }) => errors,
  content_type: ({ contentTypes }) => contentTypes,
  indexability: ({ indexability }) => indexability,
};

/** `words` are the values that the field can have, where these are few. */
export function useSuggestions(field: string, words: readonly string[]): string[] {
  const counted = COUNTED[field];
  const overview = useQuery({ ...queries.overview(useCrawlId()), enabled: counted !== undefined }).data;
  const found = overview === undefined || counted === undefined ? [] : counted(overview);
  const values = found.flatMap(({ value }) => (value === null || value === "" ? [] : [String(value)]));
  return [...new Set([...(field === "status" ? STATUS_CLASSES : words), ...values])];
}
