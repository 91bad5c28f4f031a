/** On or off, and some of a few. */
import type { InputHTMLAttributes } from "react";
import "./input.css";

export interface SwitchProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange" | "type"> {
  isOn: boolean;
  onValue: (isOn: boolean) => void;
}

export function Switch({ isOn, onValue, ...rest }: SwitchProps) {
  return (
    <input
      type="checkbox"
      role="switch"
      aria-checked={isOn}
      className="switch"
      checked={isOn}
      onChange={(event) => onValue(event.target.checked)}
      {...rest}
    />
  );
}

export interface CheckListProps {
  label: string;
  options: readonly string[];
  chosen: readonly string[];
  onValue: (chosen: string[]) => void;
}

/** Some of a few words; the order stays that of the options. */
export function CheckList({ label, options, chosen, onValue }: CheckListProps) {
  const toggle = (option: string, isOn: boolean) =>
    onValue(options.filter((one) => (one === option ? isOn : chosen.includes(one))));
  return (
    <fieldset className="check-list" aria-label={label}>
      {options.map((option) => (
        <label key={option} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={(event) => toggle(option, event.target.checked)}
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
}
