/** How a PDS is treated: rates by its tier, halved and blocked when it is in trouble, restored by success. */
import type { LanePolicy } from "../kernel/lane.ts";
import { type AtprotoConfig, workersOf } from "./atproto-config.ts";

interface Tier {
  meaning: string;
  /** Requests per second; null for `--default-pds-rps`. */
  rps: number | null;
  /** Requests in flight at once: a home server should not have to send ten repos at the same time. */
  concurrency: number;
  /** Accounts taken of its list; null for as many as its relay and `--max-accounts` allow. */
  accounts: number | null;
}

/** The first three follow from a host's size; all of them can be assigned. */
export const HOST_TIERS = {
  small: {
    meaning: "2 requests per second, as a host with fewer than 100 repos",
    rps: 2,
    concurrency: 4,
    accounts: null,
  },
  medium: {
    meaning: "--default-pds-rps, as a host with fewer than 1,000 repos",
    rps: null,
    concurrency: 10,
    accounts: null,
  },
  large: { meaning: "10 requests per second, as a larger host", rps: 10, concurrency: 50, accounts: null },
  trusted: {
    meaning: "20 requests per second, and as many accounts as it lists",
    rps: 20,
    concurrency: 100,
    accounts: Number.POSITIVE_INFINITY,
  },
  limited: { meaning: "2 requests per second, and 1,000 accounts at most", rps: 2, concurrency: 4, accounts: 1_000 },
} as const satisfies Record<string, Tier>;

export type TierName = keyof typeof HOST_TIERS;
export const TIER_NAMES = Object.keys(HOST_TIERS) as TierName[];
export const isTierName = (text: string): text is TierName => Object.hasOwn(HOST_TIERS, text);

/** The lowest rate for a host in trouble, in requests per second. */
const FLOOR_RPS = 0.5;

/** Small ones are personal machines; large ones are infrastructure. */
export const tierBySize = (repos: number): TierName => (repos < 100 ? "small" : repos < 1_000 ? "medium" : "large");

export function pdsLanePolicy(tier: TierName, config: AtprotoConfig): LanePolicy {
  const { rps, concurrency } = HOST_TIERS[tier];
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
