/** Controls for settings that are lists: of texts, and of names with values. */
import { X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import "../components/controls/input.css";
import { IconButton } from "../components/controls/button.tsx";
import { TextInput } from "../components/controls/input.tsx";
import { sameValue } from "./setting-control.ts";

export interface TagListProps {
  id?: string;
  label: string;
  values: readonly string[];
  onValue: (values: string[]) => void;
  placeholder?: string;
}

/** A list of texts: Enter adds one, Backspace in the empty box takes back the last, pasted lines become one each. */
export function TagList({ id, label, values, onValue, placeholder }: TagListProps) {
  const [text, setText] = useState("");
  const add = (typed: string) => {
    const added = typed.split(/\r?\n/).map((line) => line.trim());
    onValue([...new Set([...values, ...added.filter(Boolean)])]);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && text.trim() !== "") {
      event.preventDefault();
      add(text);
    } else if (event.key === "Backspace" && text === "" && values.length > 0) {
      setText(values.at(-1)!);
      onValue(values.slice(0, -1));
      event.preventDefault();
    }
  };
  return (
    <div className="tag-list">
      {values.length > 0 && (
        <ul aria-label={label}>
          {values.map((value) => (
            <li key={value} className="tag">
              <span className="cut mono" title={value}>
                {value}
              </span>
              <button
                type="button"
                aria-label={`Remove ${value}`}
                onClick={() => onValue(values.filter((one) => one !== value))}
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        className="tag-input"
        value={text}
        placeholder={placeholder ?? "Type and press Enter"}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text");
          if (!pasted.includes("\n")) return;
          event.preventDefault();
          add(pasted);
        }}
        onBlur={() => text.trim() !== "" && add(text)}
      />
    </div>
  );
}

export interface KeyValueListProps {
  label: string;
  pairs: Record<string, string>;
  onValue: (pairs: Record<string, string>) => void;
  keyPlaceholder?: string;
  valuePlaceholder?: string;
}

/** Names with values, such as headers. The last row is always empty: filling it in adds one. */
export function KeyValueList({
  label,
  pairs,
  onValue,
  keyPlaceholder = "Name",
  valuePlaceholder = "Value",
}: KeyValueListProps) {
  const [rows, setRows] = useState<[string, string][]>(() => Object.entries(pairs));
  // The value was changed from outside, for example reset to its default.
  if (!sameValue(pairsOf(rows), pairs)) setRows(Object.entries(pairs));
  const all: [string, string][] = [...rows, ["", ""]];
  const set = (next: [string, string][]) => {
    const kept = next.filter(([name, value]) => name !== "" || value !== "");
    setRows(kept);
    onValue(pairsOf(kept));
  };
  const change = (at: number, pair: [string, string]) => set(all.map((one, index) => (index === at ? pair : one)));
  return (
    <fieldset className="pairs" aria-label={label}>
      {all.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place; its name changes with every key typed.
        <div className="pairs-row" key={at}>
          <TextInput
            aria-label={`${keyPlaceholder} ${at + 1}`}
            placeholder={keyPlaceholder}
            value={name}
            onValue={(text) => change(at, [text, value])}
          />
          <TextInput
            aria-label={`${valuePlaceholder} ${at + 1}`}
            placeholder={valuePlaceholder}
            value={value}
            onValue={(text) => change(at, [name, text])}
          />
          <IconButton
            label={`Remove ${name || "row"}`}
            icon={X}
            disabled={at === all.length - 1}
            onClick={() => set(all.filter((_, index) => index !== at))}
          />
        </div>
      ))}
    </fieldset>
  );
}

const pairsOf = (rows: readonly [string, string][]): Record<string, string> =>
  Object.fromEntries(rows.filter(([name]) => name.trim() !== "").map(([name, value]) => [name.trim(), value]));
