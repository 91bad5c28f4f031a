/** Fetches a repo's CAR, with limits that let large repos through and hold no worker for a host that drips. */

import { type Clock, systemClock } from "../kernel/clock.ts";
import { HttpClient, type HttpClientOptions, type Lookup } from "../net/client.ts";
import type { HttpRequest } from "../net/http-types.ts";
import { parseConnectTo } from "../net/route.ts";
import { readCertificates } from "../net/tls-client.ts";
import type { AtprotoConfig } from "./atproto-config.ts";

export const repoRequest = (pds: string, did: string): HttpRequest => ({
  url: `${pds}/xrpc/com.atproto.sync.getRepo?did=${encodeURIComponent(did)}`,
  headers: { accept: "application/vnd.ipld.car", "accept-encoding": "gzip, zstd" },
});

/** The rate is measured over stretches of this: a host may pause, or be busy. */
const RATE_STRETCH_MS = 60_000;

export const createRepoClient = (config: AtprotoConfig, clock: Clock, lookup?: Lookup): HttpClient =>
  new HttpClient(clientOptions(config, clock, lookup));

function clientOptions(config: AtprotoConfig, clock: Clock, lookup: Lookup | undefined): HttpClientOptions {
  return {
    userAgent: config.userAgent,
    headers: {},
    cookies: null,
    proxy: null,
    connectTo: config.connectTo.map(parseConnectTo),
    ca: config.ca === null ? null : readCertificates(config.ca),
    insecure: false,
    http2: false,
    connectionsPerOrigin: config.workers,
    // Two requests a second to a small host: its connection is there for the next one.
    keepAliveMs: 4_000,
    allowPrivate: config.allowPrivate,
    trustedOrigins: [],
    cacheDir: null,
    cacheMaxAgeMs: 0,
    limits: {
      wireBytes: config.maxRepoSize,
      decodedBytes: config.maxRepoSize,
      // A large repo may take its time, as long as it keeps coming.
      totalMs: Number.POSITIVE_INFINITY,
      connectMs: config.connectTimeout * 1000,
      headersMs: config.firstByteTimeout * 1000,
      idleMs: config.idleTimeout * 1000,
      minBytesPerSecond: config.minRate,
      minRateGraceMs: RATE_STRETCH_MS,
      headerBytes: 64 * 1024,
    },
    clock,
    lookup,
    // A clock that was injected is all the time there is: limits are measured by it, too.
    ...(clock === systemClock ? {} : { monotonic: () => clock.now() }),
  };
}
