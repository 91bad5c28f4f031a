/**
 * News from the server: a stream of events, or polling every two seconds while the stream is down.
 * It has no imports, because it also runs in the worker that all tabs share.
 *
 * An event only says that something changed; the data comes from the API. A lost event therefore causes a delay, never wrong data.
 */

export const EVENT_TYPES = ["crawl:started", "crawl:progress", "crawl:completed", "crawl:stopped"] as const;

export interface CrawlEvent {
  type: (typeof EVENT_TYPES)[number];
  crawlId: number;
  projectId: number;
}

export type NewsMode = "connecting" | "live" | "polling";

/** The part of EventSource that is used. */
export interface Stream {
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void;
  close(): void;
}

/** The listener of the news. */
export interface NewsListener {
  onEvent(event: CrawlEvent): void;
  onMode(mode: NewsMode): void;
  /** Anything may have changed: refetch what is shown. */
  onPoll(): void;
}

/** Where news comes from. */
export interface NewsSource {
  open(): Stream;
  /** Calls back after some time; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  random(): number;
}

/** The source of a page or a worker. */
export const newsSource = (address: string): NewsSource => ({
  open: () => new EventSource(address),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
});

/** How often to poll while there is no stream: a running crawl changes about this often. */
export const POLL_MS = 2_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** Follows the server's news until the returned function is called. */
export function followNews(source: NewsSource, listener: NewsListener): () => void {
  const { open, after, random } = source;
  const { onEvent, onMode, onPoll } = listener;
  let stream: Stream | null = null;
  let failures = 0;
  let cancelPoll: (() => void) | null = null;
  let cancelRetry: (() => void) | null = null;

  const poll = () => {
    onPoll();
    cancelPoll = after(POLL_MS, poll);
  };
  const connect = () => {
    const current = open();
    stream = current;
    current.addEventListener("open", () => {
      const wasAway = failures > 0;
      failures = 0;
      cancelPoll?.();
      cancelPoll = null;
      onMode("live");
      // Events were lost while we were disconnected.
      if (wasAway) onPoll();
    });
    current.addEventListener("error", () => {
      // An EventSource reconnects by itself after a lost connection, but not after an error status: we always do.
      if (stream !== current) return;
      current.close();
      stream = null;
      const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
      failures++;
      onMode("polling");
      if (cancelPoll === null) cancelPoll = after(POLL_MS, poll);
      // Half of the wait is random, so that many tabs do not reconnect at once.
      cancelRetry = after(wait / 2 + (random() * wait) / 2, connect);
    });
    for (const type of EVENT_TYPES) {
      current.addEventListener(type, ({ data }) => {
        const event = parseEvent(type, data);
        if (event !== null) onEvent(event);
      });
    }
  };

  onMode("connecting");
  connect();
  return () => {
    stream?.close();
    stream = null;
    cancelPoll?.();
    cancelRetry?.();
  };
}

/** An event, or null for anything else: a proxy's message must not end the stream. */
export function parseEvent(type: CrawlEvent["type"], data: unknown): CrawlEvent | null {
  try {
    const { crawlId, projectId } = JSON.parse(String(data)) as Record<string, unknown>;
    return typeof crawlId === "number" && typeof projectId === "number" ? { type, crawlId, projectId } : null;
  } catch {
    return null;
  }
}

/** What the shared worker tells its tabs. */
export type NewsMessage = { mode: NewsMode } | { event: CrawlEvent } | { poll: true };

/** What a tab sends to the shared worker when it closes. */
export const LEAVE = "leave";

/** Tabs that share one stream: it is open while there is a tab. A browser opens only six connections to a server. */
export class NewsHub {
  readonly #source: NewsSource;
  readonly #tabs = new Set<(message: NewsMessage) => void>();
  #mode: NewsMode = "connecting";
  #stop: (() => void) | null = null;

  constructor(source: NewsSource) {
    this.#source = source;
  }

  /** Adds a tab; the returned function removes it. */
  join(tell: (message: NewsMessage) => void): () => void {
    this.#tabs.add(tell);
    if (this.#stop !== null) tell({ mode: this.#mode });
    this.#stop ??= followNews(this.#source, {
      onEvent: (event) => this.#toAll({ event }),
      onMode: (mode) => {
        this.#mode = mode;
        this.#toAll({ mode });
      },
      onPoll: () => this.#toAll({ poll: true }),
    });
    return () => {
      this.#tabs.delete(tell);
      if (this.#tabs.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  }

  #toAll(message: NewsMessage): void {
    for (const tell of this.#tabs) tell(message);
  }
}

/** A message of the shared worker, given to a tab's listener. */
export function hearNews(message: NewsMessage, listener: NewsListener): void {
  if ("mode" in message) listener.onMode(message.mode);
  else if ("event" in message) listener.onEvent(message.event);
  else listener.onPoll();
}
