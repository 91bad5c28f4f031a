/** A search box: the field alone, and one that searches once typing has paused. */
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { useRested } from "../../lib/timing.ts";
import { TextInput } from "./input.tsx";
import "./search-box.css";

export interface SearchBoxProps {
  label: string;
  placeholder?: string;
  text: string;
  onSearch: (text: string | undefined) => void;
}

export function SearchBox({ label, placeholder = label, text, onSearch }: SearchBoxProps) {
  const [typed, setTyped] = useState(text);
  const rested = useRested(typed, 300);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing that has paused sends a request.
  useEffect(() => {
    if (rested !== text) onSearch(rested === "" ? undefined : rested);
  }, [rested]);
  // Chosen elsewhere, such as in another list.
  useEffect(() => setTyped(text), [text]);
  return <SearchField label={label} placeholder={placeholder} value={typed} onValue={setTyped} />;
}

export interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onValue: (value: string) => void;
}

export function SearchField({ label, placeholder = label, value, onValue }: SearchFieldProps) {
  return (
    <div className="search-box">
      <Search size={14} aria-hidden />
      <TextInput
        type="search"
        data-search
        aria-label={label}
        placeholder={placeholder}
        spellCheck={false}
        value={value}
        onValue={onValue}
      />
    </div>
  );
}
