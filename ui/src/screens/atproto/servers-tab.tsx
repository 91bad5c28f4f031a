/** The servers of an archive: how each is asked, and what failed there. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, RelativeTime } from "../../components/data/labels.tsx";
import { EmptyState, Loaded, ShowMore } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatNumber, formatShare, msOf, plural } from "../../lib/format.ts";
import { useNow } from "../../lib/timing.ts";
import { failureCounts } from "./archive-view.ts";
import { atprotoQueries, type HostRow } from "./atproto-queries.ts";
import { HostSearch } from "./host-search.tsx";
import { useView } from "./use-view.ts";

/** What the server gives at once. */
const MOST = 1_000;

export function ServersTab({ id }: { id: number }) {
  const [view, choose] = useView();
  const [limit, setLimit] = useState(100);
  const hosts = useQuery(atprotoQueries.hosts(id, view.host, limit));
  const now = useNow(10_000);
  return (
    <div className="stack">
      <search className="row">
        <HostSearch text={view.host ?? ""} onSearch={(host) => choose({ host })} />
      </search>
      <Loaded query={hosts}>
        {({ rows, total }) => (
          <Card isFlush title={plural(total, "server")} info="Servers with the most failed repos first.">
            <DataTable
              caption="Servers of the archive"
              columns={columns(now, (host) => choose({ tab: "failures", host, class: undefined }))}
              rows={rows}
              rowKey={({ host }) => host}
              empty={
                <EmptyState
                  title={view.host === undefined ? "No server has been requested yet" : "No server matches"}
                />
              }
            />
            <ShowMore
              shown={rows.length}
              total={total}
              of="servers"
              hasMore={rows.length < total && limit < MOST}
              isBusy={hosts.isFetching}
              onMore={() => setLimit(MOST)}
            />
          </Card>
        )}
      </Loaded>
    </div>
  );
}

const columns = (now: number, onFailures: (host: string) => void): readonly Column<HostRow>[] => [
  {
    id: "host",
    head: "Server",
    isRest: true,
    cell: ({ host }) => <span title={host}>{host.replace("https://", "")}</span>,
    sortBy: ({ host }) => host,
  },
  { id: "state", head: "State", cell: (row) => <HostState row={row} now={now} /> },
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
    info: "The share of its rate at which it is requested. Five failures in a row halve it.",
    cell: ({ pace }) => formatShare(pace, 1),
    sortBy: ({ pace }) => pace,
  },
  {
    id: "failed",
    head: "Failed",
    cell: ({ host, failed }) =>
      Object.keys(failed).length === 0 ? (
        <span className="muted">–</span>
      ) : (
        <button type="button" className="atproto-link" onClick={() => onFailures(host)}>
          {failureCounts(failed)}
        </button>
      ),
    sortBy: ({ failed }) => Object.values(failed).reduce((sum, count) => sum + count, 0),
  },
];

function HostState({ row: { blockedUntil, pace, why }, now }: { row: HostRow; now: number }) {
  if (blockedUntil !== null && msOf(blockedUntil) > now) {
    return (
      <span className="atproto-badges">
        <Badge tone="bad" title={why ?? undefined}>
          Left alone
        </Badge>
        <span className="muted">
          until <RelativeTime at={blockedUntil} />
        </span>
      </span>
    );
  }
  if (pace < 1) {
    return (
      <Badge tone="warn" title={why ?? undefined}>
        Slowed down
      </Badge>
    );
  }
  return <Badge tone="ok">Asked at its rate</Badge>;
}
