/** A list of texts that is typed one by one, or pasted. */
import { X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import "./input.css";

export interface TagListProps {
  id?: string;
  label: string;
  values: readonly string[];
  onValue: (values: string[]) => void;
  placeholder?: string;
}

/** A list of texts: Enter adds one, Backspace in the empty box takes the last back, pasted lines become one each. */
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
