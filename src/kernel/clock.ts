/** Injected time: wall time, because lanes' clocks outlive the process, and timers, so that tests need no sleeps. */

export interface Clock {
  /** Wall time in ms. */
  now(): number;
  /** Calls back once after `ms`; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    // setTimeout fires at once for delays over 2^31 ms: a lane blocked for a month must not spin.
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), 0x7fffffff));
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason if the signal aborts first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      cancel();
      reject(signal!.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}
