/** Whose clock counts. */
import { useId } from "react";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/input.tsx";

const ZONES = Intl.supportedValuesOf("timeZone");

interface TimezoneFieldProps {
  value: string;
  problem: string | null;
  onValue: (zone: string) => void;
}

export function TimezoneField({ value, problem, onValue }: TimezoneFieldProps) {
  const id = useId();
  return (
    <Field
      label="Time zone"
      info="Summer time is followed. Empty is the zone of the machine that Trawl runs on."
      error={problem}
    >
      {(control) => (
        <>
          <TextInput
            {...control}
            list={id}
            value={value}
            onValue={onValue}
            placeholder="The machine's own"
            spellCheck={false}
            autoComplete="off"
          />
          <datalist id={id}>
            {ZONES.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
