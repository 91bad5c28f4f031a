/** One fleet as a crawl with its workers: how far it is, what each worker does, and what its hosts wait for. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { EmptyState, Loaded, Note } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { formatDuration, formatNumber, formatRate, NOTHING, plural } from "../../lib/format.ts";
import { hostReasonLabel, hostStateWords } from "../../lib/words.ts";
import { HostTable } from "../live/host-table.tsx";
import { FleetActions, FleetState } from "./fleet-parts.tsx";
import { type Fleet, type FleetWorker, fleetQueries } from "./fleet-queries.ts";

export function FleetScreen() {
  const { fleetName } = useParams({ from: "/fleets/$fleetName" });
  const fleet = useQuery(fleetQueries.one(fleetName));
  return (
    <Page
      title={fleetName}
      tabTitle={`Fleet ${fleetName}`}
      subtitle={
        <>
          <span>
            <Link to="/fleets">All fleets</Link>
          </span>{" "}
          {fleet.data !== undefined && (
            <>
              <span>
                <FleetState fleet={fleet.data} />
              </span>{" "}
              <span className="muted">{startText(fleet.data)}</span>
            </>
          )}
        </>
      }
      actions={fleet.data !== undefined && <FleetActions fleet={fleet.data} />}
    >
      <Loaded query={fleet}>
        {(data) => (
          <div className="stack">
            <Notes fleet={data} />
            <Figures fleet={data} />
            <Workers fleet={data} />
            <HostTable hosts={data.hosts} total={hostCount(data)} isOwn={data.workers.length > 0} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const startText = ({ startUrls, mode }: Fleet): string => {
  if (mode === "list") return "URLs of a list";
  const [first, ...others] = startUrls;
  return others.length === 0 ? first! : `${first} and ${others.length} more`;
};

const hostCount = ({ waiting }: Fleet): number => Object.values(waiting).reduce((sum, count) => sum + count, 0);

function Notes({ fleet: { state, message, workers, open } }: { fleet: Fleet }) {
  const alive = workers.filter(({ isAlive }) => isAlive);
  return (
    <>
      {state === "running" && alive.length === 0 && (
        <Note tone="warn">
          No worker is at work. Join on any machine that reaches the database: <code>trawl fleet work NAME</code>
        </Note>
      )}
      {state === "done" && message === "limit" && (
        <Note>It ended at its limit of URLs; {plural(open, "URL")} were not fetched.</Note>
      )}
      {alive.map(({ id, trouble }) => trouble !== null && <Note key={id} tone="warn">{`${id}: ${trouble}`}</Note>)}
    </>
  );
}

function Figures({ fleet }: { fleet: Fleet }) {
  const { settled, open, parked, urlsPerSecond, partitions, seconds, state } = fleet;
  return (
    <StatRow>
      <Stat label="Fetched" value={formatNumber(settled)} />
      <Stat
        label="Queued"
        value={formatNumber(open)}
        note={parked > 0 ? `${formatNumber(parked)} for hosts that were given up` : undefined}
      />
      <Stat label="Speed" value={state === "running" ? formatRate(urlsPerSecond) : NOTHING} />
      <Stat label="Time" value={formatDuration(seconds * 1_000)} />
      <Stat
        label="Partitions with work"
        value={`${partitions.withWork} of ${partitions.total}`}
        info="A partition is a share of the hosts. Each worker runs some of them."
      />
      <Stat label="Hosts" value={formatNumber(hostCount(fleet))} note={waitingText(fleet)} />
    </StatRow>
  );
}

/** What most hosts wait for. */
function waitingText({ waiting }: Fleet): string | undefined {
  const [most] = Object.entries(waiting).sort((a, b) => b[1] - a[1]);
  if (most === undefined) return undefined;
  const [state, reason = null] = most[0].split(" ") as [
    keyof Fleet["waiting"] & Parameters<typeof hostStateWords>[0],
    string?,
  ];
  const why = hostReasonLabel(reason);
  return `${formatNumber(most[1])} ${hostStateWords(state).label.toLowerCase()}${why === "" ? "" : `: ${why}`}`;
}

function Workers({ fleet: { workers } }: { fleet: Fleet }) {
  return (
    <Card
      isFlush
      title="Workers"
      info="Machines that work on this crawl. A machine that is silent for 15 seconds is replaced."
    >
      <DataTable
        caption="What each worker is doing"
        columns={WORKER_COLUMNS}
        rows={workers}
        rowKey={({ id }) => id}
        maxHeight="340px"
        empty={<EmptyState title="No workers">They leave when the crawl ends.</EmptyState>}
      />
    </Card>
  );
}

function stateOf({ isAlive, acked, trouble, partitions }: FleetWorker): {
  label: string;
  tone: "bad" | "warn" | "ok" | "quiet";
} {
  if (!isAlive) return { label: "Silent", tone: "bad" };
  if (trouble !== null) return { label: "In trouble", tone: "warn" };
  if (acked === "paused") return { label: "Paused", tone: "warn" };
  return partitions === 0 ? { label: "Idle", tone: "quiet" } : { label: "Working", tone: "ok" };
}

const WORKER_COLUMNS: readonly Column<FleetWorker>[] = [
  { id: "id", head: "Worker", isRest: true, cell: ({ id }) => <span title={id}>{id}</span>, sortBy: ({ id }) => id },
  {
    id: "state",
    head: "State",
    cell: (worker) => <Badge tone={stateOf(worker).tone}>{stateOf(worker).label}</Badge>,
    sortBy: (worker) => stateOf(worker).label,
  },
  {
    id: "fetched",
    head: "Fetched",
    isNumber: true,
    cell: ({ fetched }) => formatNumber(fetched),
    sortBy: ({ fetched }) => fetched,
  },
  {
    id: "rate",
    head: "Speed",
    isNumber: true,
    cell: ({ urlsPerSecond, isAlive }) => (isAlive ? formatRate(urlsPerSecond) : NOTHING),
    sortBy: ({ urlsPerSecond }) => urlsPerSecond,
  },
  {
    id: "inFlight",
    head: "In flight",
    isNumber: true,
    cell: ({ inFlight }) => formatNumber(inFlight),
    sortBy: ({ inFlight }) => inFlight,
  },
  {
    id: "partitions",
    head: "Partitions",
    isNumber: true,
    cell: ({ partitions }) => formatNumber(partitions),
    sortBy: ({ partitions }) => partitions,
  },
  {
    id: "errors",
    head: "Errors",
    isNumber: true,
    cell: ({ errors }) => formatNumber(errors),
    sortBy: ({ errors }) => errors,
  },
  {
    id: "beat",
    head: "Heard of",
    isNumber: true,
    cell: ({ secondsSinceBeat }) => `${Math.round(secondsSinceBeat)} s ago`,
    sortBy: ({ secondsSinceBeat }) => secondsSinceBeat,
  },
];
