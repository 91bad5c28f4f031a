/** What a worker reports about itself with some of its beats: how fast it is, which of its hosts wait, and why. */
import type { LaneReport } from "../kernel/lane.ts";

/** As the kernel reports a lane. The reason is the product's, because it knows better whose rate applies. */
export type HostNow = Omit<LaneReport, "reason"> & { reason: string | null };

export interface ReportedHost {
  host: string;
  state: LaneReport["state"];
  reason: string | null;
  inFlight: number;
  open: number;
  /** By the fleet's clock. */
  nextAt: string | null;
  requests: number;
  pace: number;
}

export interface WorkerReport {
  /** URLs that it has fetched, and how many of them got no answer. */
  fetched: number;
  errors: number;
  urlsPerSecond: number;
  /** What is wrong on the worker's side; null when nothing is. */
  trouble: string | null;
  /** How many of its hosts are in each state, and why, for example `waiting rate`. */
  waiting: Record<string, number>;
  /** The busiest of its hosts. */
  hosts: ReportedHost[];
}

export const NO_REPORT: WorkerReport = {
  fetched: 0,
  errors: 0,
  urlsPerSecond: 0,
  trouble: null,
  waiting: {},
  hosts: [],
};

export const REPORT_MS = 5_000;
const SHOWN = 20;

export class Reporter {
  readonly #monotonic: () => number;
  #last = { at: Number.NEGATIVE_INFINITY, fetched: 0 };

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Null while the last one is still fresh. */
  next(counts: () => Pick<WorkerReport, "fetched" | "errors" | "trouble"> & { hosts: HostNow[] }): WorkerReport | null {
    const at = this.#monotonic();
    const elapsed = at - this.#last.at;
    if (elapsed < REPORT_MS) return null;
    const { hosts, ...own } = counts();
    const urlsPerSecond = Number.isFinite(elapsed) ? ((own.fetched - this.#last.fetched) * 1_000) / elapsed : 0;
    this.#last = { at, fetched: own.fetched };
    const waiting: Record<string, number> = {};
    for (const { state, reason } of hosts) {
      const name = reason === null ? state : `${state} ${reason}`;
      waiting[name] = (waiting[name] ?? 0) + 1;
    }
    const busiest = hosts.sort((a, b) => b.open - a.open).slice(0, SHOWN);
    return { ...own, urlsPerSecond: Math.round(urlsPerSecond * 10) / 10, waiting, hosts: busiest.map(reported) };
  }
}

const reported = ({ lane, state, reason, inFlight, open, nextAt, spent, pace }: HostNow): ReportedHost => {
  const next = nextAt === null ? null : new Date(Math.ceil(nextAt)).toISOString();
  return { host: lane, state, reason, inFlight, open, nextAt: next, requests: spent, pace };
};
