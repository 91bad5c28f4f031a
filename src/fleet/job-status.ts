/** What people see of a fleet crawl: its progress, its workers, and what waits and why. */
import { type Job, type JobState, readJob } from "./job.ts";
import { LEASE_TIMES } from "./membership.ts";
import type { Queries } from "./postgres/connection.ts";
import { schemaOf } from "./postgres/schema.ts";
import { NO_REPORT, type ReportedHost, type WorkerReport } from "./worker-report.ts";

export interface FleetStatus {
  name: string;
  state: JobState;
  message: string | null;
  settled: number;
  open: number;
  parked: number;
  /** Batches of finds on their way to another partition. */
  inbox: number;
  /** Null if they are in ClickHouse. */
  records: number | null;
  partitions: { total: number; owned: number; withWork: number };
  workers: WorkerStatus[];
  /** How many hosts are in each state, and why, for example `waiting rate`. */
  waiting: Record<string, number>;
  /** The hosts with the most to do, as last reported by their workers. */
  hosts: ReportedHost[];
  /** Across all workers that are alive. */
  urlsPerSecond: number;
  seconds: number;
  startUrls: string[];
  mode: Job["mode"];
}

export interface WorkerStatus {
  id: string;
  acked: string;
  partitions: number;
  inFlight: number;
  secondsSinceBeat: number;
  isAlive: boolean;
  fetched: number;
  errors: number;
  urlsPerSecond: number;
  trouble: string | null;
}

/** Start URLs and hosts that a status shows. */
const SHOWN = 50;

export async function fleetStatus(queries: Queries, name: string): Promise<FleetStatus> {
  const { state, message, startUrls, mode, records: outside } = await readJob(queries, name);
  const s = schemaOf(name);
  const [sums] = await queries.query<Record<string, number>>(
    `SELECT sum(settled)::float8 AS settled, sum(open)::float8 AS open, sum(parked)::float8 AS parked, count(*)::int AS total,
       count(owner)::int AS owned, count(*) FILTER (WHERE open > parked)::int AS busy,
       (SELECT count(*) FROM ${s}.inbox)::int AS inbox, (SELECT count(*) FROM ${s}.records)::float8 AS records,
       (SELECT extract(epoch FROM coalesce(ended_at, clock_timestamp()) - created_at) FROM ${s}.job)::float8 AS seconds
     FROM ${s}.parts`,
  );
  const rows = await queries.query<WorkerRow>(
    `SELECT w.id, w.acked, w.in_flight AS "inFlight", (SELECT count(*) FROM ${s}.parts p WHERE p.owner = w.id)::int AS partitions,
       extract(epoch FROM clock_timestamp() - w.seen_at)::float8 AS "secondsSinceBeat", w.report FROM ${s}.workers w ORDER BY w.id`,
  );
  const { settled, open, parked, inbox, records, seconds, total, owned, busy } = sums as Record<string, number>;
  return {
    name,
    state,
    message,
    settled: settled!,
    open: open!,
    parked: parked!,
    inbox: inbox!,
    records: outside === null ? records! : null,
    partitions: { total: total!, owned: owned!, withWork: busy! },
    ...ofWorkers(rows),
    seconds: seconds!,
    startUrls: startUrls.slice(0, SHOWN),
    mode,
  };
}

type WorkerRow = Omit<WorkerStatus, keyof WorkerReport | "isAlive"> & { report: string };

function ofWorkers(rows: WorkerRow[]): Pick<FleetStatus, "workers" | "waiting" | "hosts" | "urlsPerSecond"> {
  const waiting: Record<string, number> = {};
  const hosts: ReportedHost[] = [];
  const workers = rows.map(({ report, ...row }): WorkerStatus => {
    const {
      waiting: own,
      hosts: ownHosts,
      ...said
    } = { ...NO_REPORT, ...(JSON.parse(report) as Partial<WorkerReport>) };
    const isAlive = row.secondsSinceBeat * 1_000 < LEASE_TIMES.deadMs;
    // What a dead worker reported last is out of date.
    if (isAlive) {
      for (const [why, count] of Object.entries(own)) waiting[why] = (waiting[why] ?? 0) + count;
      hosts.push(...ownHosts);
    }
    return { ...row, ...said, isAlive };
  });
  const urlsPerSecond = workers.reduce((sum, worker) => sum + (worker.isAlive ? worker.urlsPerSecond : 0), 0);
  hosts.sort((a, b) => b.open - a.open);
  return { workers, waiting, hosts: hosts.slice(0, SHOWN), urlsPerSecond: Math.round(urlsPerSecond * 10) / 10 };
}
