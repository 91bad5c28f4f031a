/** How a PDS is treated: rates by its size, halved and blocked when it is in trouble, restored by success. */
import type { LanePolicy } from "../kernel/lane.ts";
import { type AtprotoConfig, workersOf } from "./atproto-config.ts";

interface SizeRow {
  /** PDSs with fewer repos than this. */
  below: number;
  /** Requests per second; null for `--default-pds-rps`. */
  rps: number | null;
  /** Requests in flight at once: a home server should not have to send ten repos at the same time. */
  concurrency: number;
}

/** Small ones are personal machines; large ones are infrastructure. */
export const PDS_SIZES: readonly SizeRow[] = [
  { below: 100, rps: 2, concurrency: 4 },
  { below: 1_000, rps: null, concurrency: 10 },
  { below: Number.POSITIVE_INFINITY, rps: 10, concurrency: 50 },
];

/** The lowest rate for a host in trouble, in requests per second. */
const FLOOR_RPS = 0.5;

export const pdsSize = (repos: number): SizeRow => PDS_SIZES.find(({ below }) => repos < below) ?? PDS_SIZES.at(-1)!;

export function pdsLanePolicy(repos: number, config: AtprotoConfig): LanePolicy {
  const { rps, concurrency } = pdsSize(repos);
  const rate = rps ?? config.defaultPdsRps;
  return {
    concurrency: Math.min(concurrency, workersOf(config)),
    intervalMs: 1000 / rate,
    throttledMs: 60_000,
    // A PDS limits requests per five minutes; some have daily limits and ask for a day.
    maxThrottledMs: 24 * 60 * 60_000,
    forgetThrottledMs: 30 * 60_000,
    // There is always an interval that can be lengthened.
    overloadedIntervalMs: 0,
    minPace: Math.min(1, FLOOR_RPS / rate),
    halveEvery: 5,
    recovery: 1,
    blockAfter: config.blockAfter,
    probeMs: config.probeAfter * 1000,
    maxProbeMs: 60 * 60_000,
    giveUpAfter: config.probes,
    // Its repos are listed as unavailable and retried by the next crawl: the cursor need not wait for them.
    onGiveUp: "fail",
    // Listing a large host takes thousands of pages: its repos must not wait for the last one.
    fairTurns: true,
  };
}
