/** The form of a schedule: when, in which time zone, with which delay, and who is notified of what. */

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Field } from "../../components/controls/field.tsx";
import { NumberInput, Switch } from "../../components/controls/input.tsx";
import { RelativeTime } from "../../components/data/labels.tsx";
import { Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card } from "../../components/layout/page.tsx";
import { useSetSchedule } from "../../lib/changes.ts";
import type { CronPreview, Schedule } from "../../lib/contract.ts";
import { formatDateTime, formatDateTimeIn } from "../../lib/format.ts";
import { queries } from "../../lib/queries.ts";
import { useRested } from "../../lib/timing.ts";
import { sameValue } from "../../settings/setting-control.ts";
import { draftOf, draftProblems, ruleOf, type ScheduleDraft } from "./schedule-draft.ts";
import { CronField, TimezoneField, WebhookFields } from "./schedule-fields.tsx";

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
              cron={draft.cron} // If the time zone does not exist, the expression is not to blame.
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
                label="Random delay (minutes)"
                info="The crawl starts up to this much later, so that the crawls of one machine do not all start at once. 0 starts on time."
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
              {draft.isEnabled ? "On" : "Off: the schedule is kept, but starts no crawls"}
            </label>
          </div>
        </Card>
        <Card
          title="Notify a webhook"
          info="Trawl posts a JSON message to this address, and retries for about an hour if that fails."
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

export function useCronPreview(cron: string, timezone: string): UseQueryResult<CronPreview> {
  const asked = useRested(cron.trim());
  const zone = useRested(timezone.trim());
  return useQuery({ ...queries.cronPreview(asked, zone === "" ? null : zone), enabled: asked !== "" });
}

interface NextRunsProps {
  preview: UseQueryResult<CronPreview>;
  timezone: string;
  isEnabled: boolean;
}

/** The next five runs, as the expression is typed. */
export function NextRuns({ preview, timezone, isEnabled }: NextRunsProps) {
  const zone = timezone.trim();
  return (
    <Card
      title="Next five runs"
      info="Without the random delay. In the chosen time zone, or in this browser's if none is chosen."
    >
      <Loaded query={preview} skeleton={<Skeleton lines={5} />}>
        {({ isValid, nextRuns }) => {
          if (!isValid) return <p className="muted">Shown once the expression and the time zone are valid.</p>;
          if (nextRuns.length === 0) return <p className="muted">No future time matches.</p>;
          return (
            <div className="stack-tight">
              <ol className="next-runs">
                {nextRuns.map((at) => (
                  <li key={at}>
                    <span>{zone === "" ? formatDateTime(at) : formatDateTimeIn(at, zone)}</span>
                    <span className="muted">
                      <RelativeTime at={at} />
                    </span>
                  </li>
                ))}
              </ol>
              {zone !== "" && <p className="muted">{`Times in ${zone}.`}</p>}
              {!isEnabled && <p className="muted">The schedule is off: none of these will start.</p>}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
