/** How a PDS is treated: rates by its size, halved and blocked when it is in trouble, restored by success. */
import type { LanePolicy } from "../kernel/lane.ts";
import type { AtprotoConfig } from "./atproto-config.ts";

interface SizeRow {
  /** PDSs with fewer repos than this. */
  below: number;
  /** Requests a second; null for `--default-pds-rps`. */
  rps: number | null;
  /** Requests under way at once: a home server must not send ten repos together. */
  concurrency: number;
}

/** Small ones are people's own machines; large ones are infrastructure. */
export const PDS_SIZES: readonly SizeRow[] = [
  { below: 100, rps: 2, concurrency: 4 },
  { below: 1_000, rps: null, concurrency: 10 },
  { below: Number.POSITIVE_INFINITY, rps: 10, concurrency: 50 },
];

/** The slowest a host in trouble is asked, in requests a second. */
const FLOOR_RPS = 0.5;

export const pdsSize = (repos: number): SizeRow => PDS_SIZES.find(({ below }) => repos < below) ?? PDS_SIZES.at(-1)!;

export function pdsLanePolicy(repos: number, config: AtprotoConfig): LanePolicy {
  const { rps, concurrency } = pdsSize(repos);
  const rate = rps ?? config.defaultPdsRps;
  return {
    concurrency: Math.min(concurrency, config.workers),
    intervalMs: 1000 / rate,
    throttledMs: 60_000,
    // A PDS counts over five minutes; some ask for a day after a limit of the day.
    maxThrottledMs: 24 * 60 * 60_000,
    forgetThrottledMs: 30 * 60_000,
    // There is always an interval of its own to lengthen.
    overloadedIntervalMs: 0,
    minPace: Math.min(1, FLOOR_RPS / rate),
    halveEvery: 5,
    recovery: 1,
    blockAfter: config.blockAfter,
    probeMs: config.probeAfter * 1000,
    maxProbeMs: 60 * 60_000,
    giveUpAfter: config.probes,
    // What it was to give is listed as unavailable, and tried again by the next crawl: the cursor need not wait for it.
    onGiveUp: "fail",
  };
}
