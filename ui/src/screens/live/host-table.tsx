/** What each host is doing, and why one waits. */

import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { LiveHost } from "../../lib/contract.ts";
import { formatNumber, formatShare, plural } from "../../lib/format.ts";
import { useNow } from "../../lib/timing.ts";
import { hostReasonLabel, hostStateWords } from "../../lib/words.ts";
import { waitText } from "./live-figures.ts";

export function HostTable({ hosts, total, isOwn }: { hosts: readonly LiveHost[]; total: number; isOwn: boolean }) {
  const now = useNow(1_000);
  return (
    <Card
      isFlush
      title="Hosts"
      info="Each host has its own pace, which depends on its crawl-delay, its 429 and 503 answers, and its response times."
      actions={total > hosts.length && <span className="muted">{`${hosts.length} of ${plural(total, "host")}`}</span>}
    >
      <DataTable
        caption="What each host is doing"
        columns={columns(now)}
        rows={hosts}
        rowKey={({ host }) => host}
        maxHeight="340px"
        empty={
          <EmptyState title="No hosts yet">
            {isOwn
              ? "The first one appears when its robots.txt is fetched."
              : "Only the process that runs the crawl knows the pace of its hosts."}
          </EmptyState>
        }
      />
    </Card>
  );
}

const columns = (now: number): Column<LiveHost>[] => [
  { id: "host", head: "Host", cell: ({ host }) => <span title={host}>{host}</span>, sortBy: ({ host }) => host },
  {
    id: "state",
    head: "State",
    cell: ({ state }) => <Badge tone={hostStateWords(state).tone}>{hostStateWords(state).label}</Badge>,
    sortBy: ({ state }) => state,
  },
  {
    id: "why",
    head: "Why",
    isRest: true,
    cell: (host) => {
      const text = [hostReasonLabel(host.reason), waitText(host, now)].filter(Boolean).join(" · ");
      return <span title={text}>{text}</span>;
    },
  },
  {
    id: "inFlight",
    head: "In flight",
    isNumber: true,
    cell: ({ inFlight }) => formatNumber(inFlight),
    sortBy: ({ inFlight }) => inFlight,
  },
  { id: "open", head: "Queued", isNumber: true, cell: ({ open }) => formatNumber(open), sortBy: ({ open }) => open },
  {
    id: "requests",
    head: "Requests",
    isNumber: true,
    cell: ({ requests }) => formatNumber(requests),
    sortBy: ({ requests }) => requests,
  },
  {
    id: "pace",
    head: "Pace",
    isNumber: true,
    info: "Share of full speed. It halves when the host is overloaded, and recovers with every good answer.",
    cell: ({ pace }) => formatShare(pace, 1),
    sortBy: ({ pace }) => pace,
  },
];
