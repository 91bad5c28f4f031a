/** The fields of a schedule: when, in which time zone, and which webhook is notified of what. */

import { useId } from "react";
import { Field } from "../../components/controls/field.tsx";
import { Select, TextInput } from "../../components/controls/input.tsx";
import { NOTICES, PRESETS, presetLabel, type ScheduleDraft } from "./schedule-draft.ts";

const OWN = "own";

interface CronFieldProps {
  cron: string;
  problem: string | null;
  onCron: (cron: string) => void;
}

/** When: one of the usual intervals, or a custom cron expression. */
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
              { value: OWN, label: "Custom expression" },
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

const ZONES = Intl.supportedValuesOf("timeZone");

interface TimezoneFieldProps {
  value: string;
  problem: string | null;
  onValue: (zone: string) => void;
}

/** The time zone of the schedule. */
export function TimezoneField({ value, problem, onValue }: TimezoneFieldProps) {
  const id = useId();
  return (
    <Field
      label="Time zone"
      info="Daylight saving time is respected. Leave it empty for the time zone of the machine that runs Trawl."
      error={problem}
    >
      {(control) => (
        <>
          <TextInput
            {...control}
            list={id}
            value={value}
            onValue={onValue}
            placeholder="Same as the machine"
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

interface WebhookFieldsProps {
  draft: ScheduleDraft;
  problem: string | null;
  onDraft: (part: Partial<ScheduleDraft>) => void;
}

/** Where messages are sent, and when. */
export function WebhookFields({ draft: { webhook, notifyOn }, problem, onDraft }: WebhookFieldsProps) {
  return (
    <div className="stack">
      <Field label="Address" help="Leave empty for no notifications." error={problem}>
        {(control) => (
          <TextInput
            {...control}
            type="url"
            value={webhook}
            onValue={(value) => onDraft({ webhook: value })}
            placeholder="https://hooks.example.com/…"
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
      <fieldset className="stack-tight" aria-label="Send a message when">
        <span className="muted">Send a message when</span>
        {NOTICES.map(({ value, label }) => (
          <label key={value} className="check">
            <input
              type="checkbox"
              disabled={webhook.trim() === ""}
              checked={notifyOn.includes(value)}
              onChange={({ target }) =>
                onDraft({
                  notifyOn: NOTICES.map((one) => one.value).filter((one) =>
                    one === value ? target.checked : notifyOn.includes(one),
                  ),
                })
              }
            />
            {label}
          </label>
        ))}
      </fieldset>
    </div>
  );
}
