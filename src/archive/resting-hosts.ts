/**
 * Hosts that rest: until when, and why. Without this list, an archive that waits for a host would look as if it hung.
 */
import { isGivenUp, type LaneState } from "../kernel/lane.ts";
import type { Lane } from "../kernel/lanes.ts";
import { readLines } from "../storage/read-lines.ts";
import { decodeCommit } from "./ledger/commit-line.ts";

export interface RestingHost {
  host: string;
  /**
   * Unix time in seconds; null when the host is not requested again in this run, and the next run may request it at
   * once.
   */
  until: number | null;
  /** What the host said or did. */
  why: string;
}

/** Null for a host that does not rest. */
function restingHost(host: string, state: LaneState, now: number, isParked: boolean, next = 0): RestingHost | null {
  const until = Math.max(state.throttledUntil, state.blocks > 0 ? state.blockedUntil : 0, next);
  if (until <= now && !isParked) return null;
  return { host, until: until > now ? Math.ceil(until / 1_000) : null, why: state.why ?? "it does not answer" };
}

/** The hosts of a crawl that rest and have pages waiting. */
export function restingHosts(lanes: Iterable<Lane>, now: number): RestingHost[] {
  const resting: RestingHost[] = [];
  for (const { key, state, policy, open, inFlight, window, retries } of lanes) {
    // Only pages that the host has turned away are left.
    const isLast = state.why !== undefined && inFlight === 0 && window.size === 0 && !window.spilled;
    const next = isLast ? (retries[0]?.notBefore ?? 0) : 0;
    const host = open === 0 ? null : restingHost(key, state, now, isGivenUp(state, policy), next);
    if (host !== null) resting.push(host);
  }
  return resting;
}

/** The same from the commits of a ledger, which another process may be writing. */
export async function storedRests(commitsPath: string, now: number): Promise<RestingHost[]> {
  const lanes = new Map<string, LaneState>();
  for await (const { bytes, flaw } of readLines(commitsPath)) {
    const commit = flaw === null ? decodeCommit(bytes) : null;
    for (const [host, state] of commit?.lanes ?? []) lanes.set(host, state);
  }
  return [...lanes].flatMap(([host, state]) => restingHost(host, state, now, false) ?? []);
}
