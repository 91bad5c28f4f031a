/**
 * Waits for a database that restarts or fails over: repeats what can safely be repeated, as long as that is worthwhile.
 */
import { type Clock, sleep } from "../../kernel/clock.ts";
import { isBroken } from "./database-errors.ts";

export interface Patience {
  clock: Clock;
  /** Whether a broken connection is still worth another try: until the lease is over. */
  mayRetry: () => boolean;
  onTrouble?: (error: unknown) => void;
}

const RETRY_MS = 250;

/** `work` changes nothing, or makes the same change however often it is carried out. */
export async function patiently<T>({ clock, mayRetry, onTrouble }: Patience, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBroken(error) || !mayRetry()) throw error;
      onTrouble?.(error);
    }
    await sleep(clock, RETRY_MS, undefined);
  }
}
