/**
 * News from the server: a stream of events, or polling every two seconds while the stream is down.
 *
 * An event only says that something changed; the data comes from the API. A lost event therefore causes a delay, never wrong data.
 */
import type { QueryKey } from "@tanstack/react-query";
import { keys } from "./queries.ts";

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

export interface NewsOptions {
  open(): Stream;
  /** Calls back after some time; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  random(): number;
  onEvent(event: CrawlEvent): void;
  onMode(mode: NewsMode): void;
  /** Anything may have changed: refetch what is shown. */
  onPoll(): void;
}

/** How often to poll while there is no stream: a running crawl changes about this often. */
export const POLL_MS = 2_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** Follows the server's news until the returned function is called. */
export function followNews(options: NewsOptions): () => void {
  const { open, after, random, onEvent, onMode, onPoll } = options;
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

/** While a crawl runs, its tables and charts are refetched this often; only its progress follows every event. */
export const RESULTS_MS = 5_000;

/** The queries that an event makes old. `resultsDue`: the results of a running crawl are old enough to refetch. */
export function staleAfter(event: CrawlEvent, resultsDue: boolean): QueryKey[] {
  if (event.type === "crawl:progress" && !resultsDue) return [keys.active, keys.live(event.crawlId)];
  const changed: QueryKey[] = [keys.active, keys.crawl(event.crawlId)];
  if (event.type === "crawl:progress") return changed;
  return [...changed, keys.projects, keys.project(event.projectId), keys.schedules];
}
