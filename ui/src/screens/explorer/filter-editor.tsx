/** Edits a filter: one condition, or several of which one must match. */
import { Plus, X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Button, IconButton } from "../../components/controls/button.tsx";
import type { Field } from "../../lib/contract.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { type ConditionDraft, draftOf, type Filter, filterFrom, filterProblem, NEW_CONDITION } from "./filter-text.ts";

interface FilterEditorProps {
  fields: readonly Field[];
  /** Empty for a new one. */
  filters: readonly Filter[];
  onDone: (filters: Filter[]) => void;
}

interface Row {
  key: number;
  draft: ConditionDraft;
}

export function FilterEditor({ fields, filters, onDone }: FilterEditorProps) {
  const [rows, setRows] = useState<Row[]>(() =>
    (filters.length === 0 ? [NEW_CONDITION] : filters.map(draftOf)).map((draft, key) => ({ key, draft })),
  );
  const [isTried, setTried] = useState(false);
  const nextKey = useRef(rows.length);
  const orButton = useRef<HTMLButtonElement>(null);
  const isNew = filters.length === 0;
  const made = rows.map(({ draft: { field, choice, value } }) => filterFrom(field, choice, value.trim()));
  const problems = made.map((one) =>
    filterProblem(
      one,
      fields.find(({ name }) => name === one.field),
    ),
  );
  const change = (key: number, draft: ConditionDraft) =>
    setRows((before) => before.map((row) => (row.key === key ? { key, draft } : row)));
  const addRow = () => {
    setTried(false);
    const { field, choice } = rows.at(-1)!.draft;
    // Most often another value of the same field is meant.
    setRows([...rows, { key: nextKey.current++, draft: { field, choice, value: "" } }]);
  };
  const removeRow = (key: number) => {
    setRows(rows.filter((row) => row.key !== key));
    // The button that had the focus goes with its condition.
    orButton.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problems.every((problem) => problem === null)) onDone(made);
  };
  return (
    <form className="filter-editor" onSubmit={submit}>
      {rows.map(({ key, draft }, at) => (
        <fieldset
          key={key}
          className="filter-condition"
          aria-label={rows.length > 1 ? `Condition ${at + 1}` : undefined}
        >
          {at > 0 && (
            <div className="row-apart filter-or">
              <span className="muted">or</span>
              <IconButton label={`Remove condition ${at + 1}`} icon={X} onClick={() => removeRow(key)} />
            </div>
          )}
          <ConditionFields
            fields={fields}
            draft={draft}
            onDraft={(next) => change(key, next)}
            problem={isTried ? problems[at]! : null}
            isFocused={at === rows.length - 1 && (at > 0 || !isNew)}
          />
        </fieldset>
      ))}
      <div className="row-apart">
        <Button ref={orButton} look="quiet" icon={Plus} onClick={addRow}>
          Or…
        </Button>
        <Button type="submit" look="primary">
          {isNew ? "Add filter" : "Change filter"}
        </Button>
      </div>
    </form>
  );
}
