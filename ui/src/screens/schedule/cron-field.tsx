/** When: one of the usual rhythms, or a cron expression of one's own. */
import { Field } from "../../components/field.tsx";
import { Select, TextInput } from "../../components/input.tsx";
import { PRESETS, presetLabel } from "./schedule-draft.ts";

const OWN = "own";

interface CronFieldProps {
  cron: string;
  problem: string | null;
  onCron: (cron: string) => void;
}

export function CronField({ cron, problem, onCron }: CronFieldProps) {
  return (
    <div className="schedule-pair">
      <Field label="How often">
        {(control) => (
          <Select
            {...control}
            value={presetLabel(cron) === null ? OWN : cron.trim()}
            onValue={(value) => value !== OWN && onCron(value)}
            options={[
              ...PRESETS.map(({ cron, label }) => ({ value: cron, label })),
              { value: OWN, label: "By my own expression" },
            ]}
          />
        )}
      </Field>
      <Field
        label="Cron expression"
        info="Five fields: minute, hour, day of the month, month, weekday (0 or 7 is Sunday). * is every, 1-5 a range, */15 every fifteenth. @daily and @weekly work too."
        error={problem}
      >
        {(control) => (
          <TextInput
            {...control}
            className="mono"
            value={cron}
            onValue={onCron}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
    </div>
  );
}
