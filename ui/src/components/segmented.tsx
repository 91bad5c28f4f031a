/** One of a few choices, all in sight. */
import { useId } from "react";
import "./segmented.css";

export interface SegmentedProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string; title?: string }[];
  value: Value;
  onValue: (value: Value) => void;
}

export function Segmented<Value extends string>({ label, options, value, onValue }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset className="segmented" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} title={option.title}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onValue(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
