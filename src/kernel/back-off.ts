/**
 * How long to wait before trying again. Every wait is longer than the one before, up to a limit.
 *
 * This is the only back-off in Trawl: lanes, retries, robots.txt, webhooks and reconnects each give it their own numbers.
 */

export interface BackOff {
  /** The wait after the first failure. */
  firstMs: number;
  /** No wait is longer. */
  maxMs: number;
  /** How much longer each wait is than the one before; 2 unless given. */
  factor?: number;
  /**
   * The random share of the wait, from 0 (the default) to 1, so that tasks that failed together are not retried together.
   */
  jitter?: number;
}

/** Past this many doublings any first wait has reached its limit; the power itself must not become Infinity. */
const MAX_STEPS = 50;

/** The wait in ms after `failures` failures in a row, counted from 1. `random` gives a number in [0, 1). */
export function backOff(policy: BackOff, failures: number, random: () => number = () => 0): number {
  const { firstMs, maxMs, factor = 2, jitter = 0 } = policy;
  const steps = Math.min(Math.max(failures, 1) - 1, MAX_STEPS);
  const wait = Math.min(maxMs, firstMs * factor ** steps);
  return jitter === 0 ? wait : wait * (1 - jitter + jitter * random());
}
