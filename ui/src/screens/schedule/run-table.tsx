/** The latest runs of a schedule: when, their result, and whether the message was delivered. */
import { Link } from "@tanstack/react-router";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, RelativeTime } from "../../components/data/labels.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import type { Schedule } from "../../lib/contract.ts";
import { formatDateTime, NOTHING } from "../../lib/format.ts";
import { crawlStateWords, type Tone } from "../../lib/status.ts";

type Run = Schedule["lastRuns"][number];

export function RunTable({ runs, hasWebhook }: { runs: readonly Run[]; hasWebhook: boolean }) {
  return (
    <DataTable
      caption="Last runs of the schedule"
      columns={columns(hasWebhook)}
      rows={runs}
      rowKey={({ at, dueAt }) => `${dueAt} ${at}`}
      empty={<EmptyState title="It has not run yet">The first run appears here, with its result.</EmptyState>}
    />
  );
}

const columns = (hasWebhook: boolean): Column<Run>[] => [
  { id: "at", head: "Started", cell: ({ at }) => <RelativeTime at={at} />, sortBy: ({ at }) => at },
  { id: "due", head: "Due", cell: ({ dueAt }) => formatDateTime(dueAt), sortBy: ({ dueAt }) => dueAt },
  {
    id: "state",
    head: "Result",
    cell: ({ state }) => <Badge tone={RUN_WORDS[state].tone}>{RUN_WORDS[state].label}</Badge>,
    sortBy: ({ state }) => state,
  },
  {
    id: "crawl",
    head: "Crawl",
    cell: ({ crawlId }) =>
      crawlId === null ? (
        NOTHING
      ) : (
        <Link to="/crawls/$crawlId" params={{ crawlId: String(crawlId) }}>
          #{crawlId}
        </Link>
      ),
  },
  {
    id: "message",
    head: "Note",
    isRest: true,
    cell: ({ message }) => <span title={message ?? undefined}>{message}</span>,
  },
  {
    id: "webhook",
    head: "Webhook",
    isRest: true,
    cell: ({ webhook }) => (
      <span title={webhook ?? undefined} className={webhook === null ? "muted" : undefined}>
        {webhook ?? (hasWebhook ? "nothing to report" : "not set")}
      </span>
    ),
  },
];

/** The states of a scheduled run, in words and tones. */
export const RUN_WORDS: Record<Schedule["lastRuns"][number]["state"], { label: string; tone: Tone }> = {
  started: { label: "Running", tone: "accent" },
  completed: crawlStateWords("completed"),
  limit_reached: crawlStateWords("limit_reached"),
  stopped: crawlStateWords("stopped"),
  paused: crawlStateWords("paused"),
  blocked: crawlStateWords("blocked"),
  failed: crawlStateWords("failed"),
  skipped: { label: "Skipped", tone: "quiet" },
};
