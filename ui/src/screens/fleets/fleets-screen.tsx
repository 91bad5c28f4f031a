/** The crawls that many machines share, in the database that this server was given. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Network } from "lucide-react";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { formatNumber, formatRate, NOTHING } from "../../lib/format.ts";
import { FleetState } from "./fleet-parts.tsx";
import { type AnyFleet, fleetQueries } from "./fleet-queries.ts";

export function FleetsScreen() {
  const fleets = useQuery(fleetQueries.list());
  return (
    <Page title="Fleets" subtitle={<span>Crawls that several machines work on together.</span>}>
      <Loaded query={fleets}>
        {({ isConfigured, rows }) =>
          rows.length === 0 ? (
            <EmptyState icon={Network} title={isConfigured ? "No fleets yet" : "No fleet database"}>
              {isConfigured ? (
                <>
                  Start one on the command line, and it is listed here:{" "}
                  <code>trawl fleet start web1 https://example.com</code>
                </>
              ) : (
                <>
                  Machines that crawl together share a PostgreSQL. To see its crawls here, set{" "}
                  <code>TRAWL_POSTGRES</code> to its address before <code>trawl serve</code>.
                </>
              )}
            </EmptyState>
          ) : (
            <Card isFlush>
              <DataTable caption="Fleets" columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

const counted = (count: (fleet: Exclude<AnyFleet, { state: "unreadable" }>) => number) => (fleet: AnyFleet) =>
  fleet.state === "unreadable" ? null : count(fleet);
const workers = counted((fleet) => fleet.workers.filter(({ isAlive }) => isAlive).length);
const settled = counted((fleet) => fleet.settled);
const open = counted((fleet) => fleet.open);
const rate = counted(({ urlsPerSecond }) => urlsPerSecond);

const COLUMNS: readonly Column<AnyFleet>[] = [
  {
    id: "name",
    head: "Name",
    isRest: true,
    cell: ({ name, state }) =>
      state === "unreadable" ? (
        name
      ) : (
        <Link to="/fleets/$fleetName" params={{ fleetName: name }}>
          {name}
        </Link>
      ),
    sortBy: ({ name }) => name,
  },
  { id: "state", head: "State", cell: (fleet) => <FleetState fleet={fleet} />, sortBy: ({ state }) => state },
  { id: "workers", head: "Workers", isNumber: true, cell: (fleet) => formatNumber(workers(fleet)), sortBy: workers },
  { id: "settled", head: "Fetched", isNumber: true, cell: (fleet) => formatNumber(settled(fleet)), sortBy: settled },
  { id: "open", head: "Queued", isNumber: true, cell: (fleet) => formatNumber(open(fleet)), sortBy: open },
  {
    id: "rate",
    head: "Speed",
    isNumber: true,
    cell: (fleet) => (fleet.state === "running" ? formatRate(rate(fleet)) : NOTHING),
    sortBy: rate,
  },
];
