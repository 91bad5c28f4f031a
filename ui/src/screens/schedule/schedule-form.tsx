/** The rule of a schedule: when, where on earth, how punctual, and who is told of what. */
import { useId, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Switch } from "../../components/choice.tsx";
import { Field } from "../../components/field.tsx";
import { NumberInput } from "../../components/input.tsx";
import { useToast } from "../../components/toast.tsx";
import { useSetSchedule } from "../../lib/changes.ts";
import type { Schedule } from "../../lib/contract.ts";
import { sameValue } from "../../lib/setting-control.ts";
import { CronField } from "./cron-field.tsx";
import { NextRuns, useCronPreview } from "./next-runs.tsx";
import { draftOf, draftProblems, ruleOf, type ScheduleDraft } from "./schedule-draft.ts";
import { TimezoneField } from "./timezone-field.tsx";
import { WebhookFields } from "./webhook-fields.tsx";

export function ScheduleForm({ projectId, schedule }: { projectId: number; schedule: Schedule | null }) {
  const [draft, setDraft] = useState(() => draftOf(schedule));
  const set = (part: Partial<ScheduleDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = useSetSchedule(projectId);
  const toast = useToast();
  const switchId = useId();
  const preview = useCronPreview(draft.cron, draft.timezone);
  const problems = draftProblems(draft);
  const isChanged = schedule === null || !sameValue(ruleOf(draft), ruleOf(draftOf(schedule)));
  const isGood =
    problems.timezone === null &&
    problems.jitter === null &&
    problems.webhook === null &&
    preview.data?.isValid === true;
  const submit = () =>
    save.mutate(ruleOf(draft), {
      onSuccess: () => toast.show({ tone: "ok", title: schedule === null ? "Scheduled" : "Schedule saved" }),
      onError: (error) => toast.fail(error),
    });
  return (
    <form
      className="main-and-side"
      onSubmit={(event) => {
        event.preventDefault();
        if (isGood && isChanged) submit();
      }}
    >
      <div className="stack">
        <Card title="When">
          <div className="stack">
            <CronField
              cron={draft.cron} // Of a zone that does not exist, the expression is not to blame.
              problem={problems.timezone === null ? (preview.data?.problem ?? null) : null}
              onCron={(cron) => set({ cron })}
            />
            <div className="schedule-pair">
              <TimezoneField
                value={draft.timezone}
                problem={problems.timezone}
                onValue={(timezone) => set({ timezone })}
              />
              <Field
                label="Start up to this much later (minutes)"
                info="A random wait, so that not all crawls of a machine begin in the same second. 0 is on the dot."
                error={problems.jitter}
              >
                {(control) => (
                  <NumberInput
                    {...control}
                    value={draft.jitterMinutes}
                    onValue={(jitterMinutes) => set({ jitterMinutes })}
                  />
                )}
              </Field>
            </div>
            <label className="row" htmlFor={switchId}>
              <Switch id={switchId} isOn={draft.isEnabled} onValue={(isEnabled) => set({ isEnabled })} />
              {draft.isEnabled ? "Switched on" : "Switched off: the rule stays, and nothing starts by itself"}
            </label>
          </div>
        </Card>
        <Card
          title="Tell a webhook"
          info="Trawl sends a JSON message to this address by POST, and tries again for about an hour when nobody takes it."
        >
          <WebhookFields draft={draft} problem={problems.webhook} onDraft={set} />
        </Card>
        <div className="row">
          <Button type="submit" look="primary" disabled={!isGood || !isChanged} isBusy={save.isPending}>
            {schedule === null ? "Schedule crawls" : "Save schedule"}
          </Button>
          {schedule !== null && isChanged && (
            <Button onClick={() => setDraft(draftOf(schedule))}>Discard changes</Button>
          )}
        </div>
      </div>
      <NextRuns preview={preview} timezone={draft.timezone} isEnabled={draft.isEnabled} />
    </form>
  );
}
