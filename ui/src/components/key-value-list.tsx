/** Names with values, such as headers. */
import { X } from "lucide-react";
import { useState } from "react";
import { sameValue } from "../lib/setting-control.ts";
import { IconButton } from "./button.tsx";
import { TextInput } from "./input.tsx";
import "./input.css";

export interface KeyValueListProps {
  label: string;
  pairs: Record<string, string>;
  onValue: (pairs: Record<string, string>) => void;
  keyPlaceholder?: string;
  valuePlaceholder?: string;
}

/** The last row is always empty: filling it adds one. */
export function KeyValueList({
  label,
  pairs,
  onValue,
  keyPlaceholder = "Name",
  valuePlaceholder = "Value",
}: KeyValueListProps) {
  const [rows, setRows] = useState<[string, string][]>(() => Object.entries(pairs));
  // The value was changed from outside: put back to its default, for one.
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
