/** Where messages go, and what is worth one. */
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/input.tsx";
import { NOTICES, type ScheduleDraft } from "./schedule-draft.ts";

interface WebhookFieldsProps {
  draft: ScheduleDraft;
  problem: string | null;
  onDraft: (part: Partial<ScheduleDraft>) => void;
}

export function WebhookFields({ draft: { webhook, notifyOn }, problem, onDraft }: WebhookFieldsProps) {
  return (
    <div className="stack">
      <Field label="Address" help="Empty: nobody is told." error={problem}>
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
