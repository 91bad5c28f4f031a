/** Schedules: all projects that are crawled automatically, and how their last run went. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, RelativeTime } from "../../components/data/labels.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import type { Schedule } from "../../lib/contract.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { RUN_WORDS } from "./run-table.tsx";
import { presetLabel } from "./schedule-draft.ts";

export function SchedulesScreen() {
  const schedules = useQuery(queries.schedules());
  return (
    <Page title="Schedules" subtitle={<span>Crawls that start automatically while Trawl is running.</span>}>
      <Loaded query={schedules}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={CalendarClock} title="Nothing is scheduled">
              Open a project and choose Schedule to crawl it automatically and be notified of changes.
            </EmptyState>
          ) : (
            <Card isFlush>
              <DataTable caption="All schedules" columns={COLUMNS} rows={rows} rowKey={({ projectId }) => projectId} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: Column<Schedule>[] = [
  {
    id: "project",
    head: "Project",
    cell: ({ projectId, domain }) => (
      <Link to="/projects/$projectId/schedule" params={{ projectId: String(projectId) }}>
        {unicodeHost(domain)}
      </Link>
    ),
    sortBy: ({ domain }) => unicodeHost(domain),
  },
  {
    id: "cron",
    head: "When",
    isRest: true,
    cell: ({ cron, timezone }) => (
      <>
        {presetLabel(cron) ?? <code>{cron}</code>}
        {timezone !== null && <span className="muted">{` · ${timezone}`}</span>}
      </>
    ),
    sortBy: ({ cron }) => cron,
  },
  {
    id: "next",
    head: "Next",
    cell: ({ isEnabled, nextRunAt }) => (isEnabled ? <RelativeTime at={nextRunAt} /> : <Badge>Off</Badge>),
    sortBy: ({ nextRunAt }) => nextRunAt,
  },
  {
    id: "last",
    head: "Last run",
    cell: ({ lastRuns: [last] }) =>
      last === undefined ? (
        <span className="muted">not yet</span>
      ) : (
        <>
          <Badge tone={RUN_WORDS[last.state].tone} title={last.message ?? undefined}>
            {RUN_WORDS[last.state].label}
          </Badge>{" "}
          <RelativeTime at={last.at} />
        </>
      ),
    sortBy: ({ lastRuns: [last] }) => last?.at,
  },
  {
    id: "webhook",
    head: "Webhook",
    cell: ({ webhook }) => (webhook === null ? <span className="muted">none</span> : "set"),
    sortBy: ({ webhook }) => webhook !== null,
  },
];
