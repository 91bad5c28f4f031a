/** Ctrl-C and its kin, counted: the first asks, the second insists, the third has had enough. */

/**
 * Ctrl-C in a terminal reaches every process of the group, and npx passes on to us what it gets besides: the same
 * press arrives twice. Nobody presses twice within this time.
 */
const SAME_PRESS_MS = 200;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/** Calls `onInterrupt` with the number of presses so far; returns a function that ends the listening. */
export function listenForInterrupts(
  onInterrupt: (presses: number) => void,
  source: SignalSource = process,
  now: () => number = () => performance.now(),
): () => void {
  let presses = 0;
  const listeners = SIGNALS.map((signal) => {
    let last = Number.NEGATIVE_INFINITY;
    const listener = (): void => {
      const at = now();
      if (at - last < SAME_PRESS_MS) return;
      last = at;
      onInterrupt(++presses);
    };
    source.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) source.off(signal, listener);
  };
}
