/** What signals mean to a running archive. Those that end it, SIGINT and SIGTERM, are counted by the command line. */

export interface SignalActions {
  /** SIGHUP: the config is read again. */
  reload: () => void;
  /** SIGUSR1: it tells how it stands. */
  status: () => void;
}

/** What signals come from: `process`, or something else in a test. */
export interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

/** Returns how to let go again. */
export function listenToSignals(source: SignalSource, { reload, status }: SignalActions): () => void {
  const listeners: [signal: string, listener: () => void][] = [
    ["SIGHUP", reload],
    ["SIGUSR1", status],
  ];
  for (const [signal, listener] of listeners) source.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) source.off(signal, listener);
  };
}
