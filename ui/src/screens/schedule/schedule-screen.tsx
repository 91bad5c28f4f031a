/** Schedule: when a project is crawled automatically, who is notified, and how the last runs went. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { RelativeTime } from "../../components/data/labels.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { useDeleteSchedule, useRunSchedule } from "../../lib/changes.ts";
import type { Schedule } from "../../lib/contract.ts";
import { usePlace, useProjectId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { RunTable } from "./run-table.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import "./schedule-screen.css";

export function ScheduleScreen() {
  const projectId = useProjectId();
  const { project } = usePlace();
  const schedules = useQuery(queries.schedules());
  const schedule = schedules.data?.find((one) => one.projectId === projectId) ?? null;
  return (
    <Page
      title="Schedule"
      tabTitle={project === null ? "Schedule" : `Schedule of ${unicodeHost(project.domain)}`}
      subtitle={schedules.data && <Subtitle schedule={schedule} />}
      actions={schedule && <ScheduleActions schedule={schedule} />}
    >
      <Loaded query={schedules} skeleton={<Skeleton lines={8} />}>
        {() => (
          <>
            <ScheduleForm key={`${projectId} ${schedule === null}`} projectId={projectId} schedule={schedule} />
            {schedule !== null && (
              <Card isFlush title="Last runs">
                <RunTable runs={schedule.lastRuns} hasWebhook={schedule.webhook !== null} />
              </Card>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Subtitle({ schedule }: { schedule: Schedule | null }) {
  if (schedule === null) return <span>This project is crawled only when you start it.</span>;
  if (!schedule.isEnabled) return <span>Off: nothing starts automatically.</span>;
  if (schedule.nextRunAt === null) return <span>No future time matches the expression.</span>;
  return (
    <span>
      Next crawl <RelativeTime at={schedule.nextRunAt} />, if Trawl is running then
    </span>
  );
}

function ScheduleActions({ schedule: { projectId, domain } }: { schedule: Schedule }) {
  const run = useRunSchedule(projectId);
  const remove = useDeleteSchedule(projectId);
  const toast = useToast();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const runNow = () =>
    run.mutate(undefined, {
      onSuccess: ({ crawlId }) => void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } }),
      onError: (error) => toast.fail(error),
    });
  return (
    <>
      <Button icon={Play} isBusy={run.isPending} onClick={runNow}>
        Run now
      </Button>
      <Button icon={Trash2} onClick={() => setAsking(true)}>
        Remove…
      </Button>
      {isAsking && (
        <Confirm
          title={`Remove the schedule of ${unicodeHost(domain)}?`}
          action="Remove schedule"
          onConfirm={() => remove.mutateAsync(undefined)}
          onClose={() => setAsking(false)}
        >
          <p>No crawl will start automatically. Its crawls are kept; the list of runs is deleted.</p>
        </Confirm>
      )}
    </>
  );
}
