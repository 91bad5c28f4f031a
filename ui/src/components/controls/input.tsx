/** The controls of forms. Each reports its value, not its event; a `Field` gives it a label. */
import {
  type InputHTMLAttributes,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from "react";
import "./input.css";

type Plain<Attributes> = Omit<Attributes, "value" | "onChange" | "type">;

export interface TextInputProps extends Plain<InputHTMLAttributes<HTMLInputElement>> {
  value: string;
  onValue: (value: string) => void;
  type?: "text" | "url" | "search" | "password" | "date";
  ref?: Ref<HTMLInputElement>;
}

export function TextInput({ value, onValue, type = "text", className, ...rest }: TextInputProps) {
  return (
    <input
      type={type}
      className={`input ${className ?? ""}`}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...rest}
    />
  );
}

export interface TextAreaProps extends Plain<TextareaHTMLAttributes<HTMLTextAreaElement>> {
  value: string;
  onValue: (value: string) => void;
}

export function TextArea({ value, onValue, className, ...rest }: TextAreaProps) {
  return (
    <textarea
      className={`input input-area ${className ?? ""}`}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...rest}
    />
  );
}

export interface NumberInputProps extends Plain<InputHTMLAttributes<HTMLInputElement>> {
  value: number | null;
  /** NaN while the typed text is not a number. */
  onValue: (value: number) => void;
  /** What 0 means: shown instead of it, and what an empty box stands for. */
  zero?: string | null;
}

export function NumberInput({ value, onValue, zero = null, className, ...rest }: NumberInputProps) {
  // The text is kept as typed: "0." may become 0.5 and must not turn into 0 while typing.
  const [text, setText] = useState(() => shown(value, zero));
  if (!Object.is(numberOf(text, zero), value ?? Number.NaN)) setText(shown(value, zero));
  const onText = (typed: string) => {
    setText(typed);
    onValue(numberOf(typed, zero));
  };
  return (
    <input
      inputMode="decimal"
      autoComplete="off"
      className={`input input-number ${className ?? ""}`}
      placeholder={zero ?? undefined}
      value={text}
      onChange={(event) => onText(event.target.value)}
      {...rest}
    />
  );
}

const shown = (value: number | null, zero: string | null): string =>
  value === null || Number.isNaN(value) || (value === 0 && zero !== null) ? "" : String(value);
const numberOf = (text: string, zero: string | null): number => {
  if (text.trim() === "") return zero === null ? Number.NaN : 0;
  return Number(text.replace(",", "."));
};

export interface SelectProps extends Plain<SelectHTMLAttributes<HTMLSelectElement>> {
  value: string;
  onValue: (value: string) => void;
  options: readonly { value: string; label: string }[];
}

export function Select({ value, onValue, options, className, ...rest }: SelectProps) {
  return (
    <select
      className={`input input-select ${className ?? ""}`}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...rest}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

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
  options: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onValue: (chosen: string[]) => void;
}

/** Any of a few options; the result keeps the order of the options. */
export function CheckList({ label, options, chosen, onValue }: CheckListProps) {
  const toggle = (option: string, isOn: boolean) =>
    onValue(options.map(({ value }) => value).filter((one) => (one === option ? isOn : chosen.includes(one))));
  return (
    <fieldset className="check-list" aria-label={label}>
      {options.map(({ value, label: name }) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.target.checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

export interface SegmentedProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string; title?: string }[];
  value: Value;
  onValue: (value: Value) => void;
}

/** One of a few choices, all visible. */
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
