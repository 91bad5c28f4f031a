/**
 * The limits of the server, in one table: what one request may contain, and what one client and all clients together may
 * have under way. `docs/server.md` lists them.
 */

/** What the JSON of a body may contain. Counted on the text, before it is parsed and validated. */
export interface BodyLimits {
  bytes: number;
  /** Members of objects and elements of arrays, at all depths. */
  values: number;
}

export const LIMITS = {
  /** Address and headers: addresses contain URLs of pages, which may have 64 K characters. */
  headerBytes: 256 * 1024,
  /** A list may have 100 fields and 50 filters, each a separate parameter. */
  queryParameters: 250,
  /** Enough for settings with 2,000 include and 2,000 exclude patterns, or a robots.txt of 500 KB. */
  body: { bytes: 1024 * 1024, values: 10_000 },
  /** For a request that may carry a list of 100,000 URLs, the maximum for a crawl started over REST or MCP. */
  listBody: { bytes: 10 * 1024 * 1024, values: 110_000 },
  /** The form that signs in. Anyone may send it, so it is measured before the token is known. */
  signInBytes: 4 * 1024,
  /** Members of objects: all settings, and their headers, come to a few hundred. */
  keys: 2_000,
  depth: 32,
} as const satisfies Record<string, number | BodyLimits>;

/** What clients may have active at once: see `governor.ts`. A browser with many tabs makes at most 6 calls at once. */
export interface ClientLimits {
  /** Calls in one burst, such as those of a script that asks about many URLs, */
  burst: number;
  /** and how many are added to that per second. */
  callsPerSecond: number;
  callsAtOnce: number;
  allCallsAtOnce: number;
  /** Event streams; the tabs of a browser share one. */
  streams: number;
  allStreams: number;
  /** Active crawls: each has a thread, and a dozen already use all of a server's fetches. */
  crawls: number;
  allCrawls: number;
  /** Open sockets, of all clients. */
  connections: number;
}

export const CLIENT_LIMITS: ClientLimits = {
  burst: 400,
  callsPerSecond: 100,
  callsAtOnce: 64,
  allCallsAtOnce: 256,
  streams: 20,
  allStreams: 200,
  crawls: 20,
  allCrawls: 40,
  connections: 1_000,
};
