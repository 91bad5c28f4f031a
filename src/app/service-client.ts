/** An HTTP client for a service that is not crawled: a webhook receiver, or a data service. */
import { systemClock } from "../kernel/clock.ts";
import type { HttpClient } from "../net/client.ts";
import type { TrustedHosts } from "../net/connection/address-guard.ts";

export interface ServiceLimits {
  trusted: TrustedHosts;
  timeoutMs: number;
  maxAnswerBytes: number;
}

/** More than the headers of any service. */
const HEADER_BYTES = 65_536;

export async function serviceClient({ trusted, timeoutMs, maxAnswerBytes }: ServiceLimits): Promise<HttpClient> {
  // Loaded here, because most commands need no HTTP client.
  const net = await import("../net/client.ts");
  return new net.HttpClient({
    userAgent: "trawl",
    headers: {},
    cookies: null,
    proxy: null,
    connectTo: [],
    ca: null,
    insecure: false,
    http2: false,
    connectionsPerOrigin: 1,
    keepAliveMs: 5_000,
    allowPrivate: false,
    trusted,
    cacheDir: null,
    cacheMaxAgeMs: 0,
    limits: {
      wireBytes: maxAnswerBytes,
      decodedBytes: maxAnswerBytes,
      totalMs: 2 * timeoutMs,
      connectMs: timeoutMs,
      headersMs: timeoutMs,
      idleMs: timeoutMs,
      minBytesPerSecond: 0,
      minRateGraceMs: timeoutMs,
      headerBytes: HEADER_BYTES,
    },
    clock: systemClock,
  });
}
