/** The HTTP clients that the config of an archive asks for, one per proxy. */
import type { Clock } from "../../kernel/clock.ts";
import { HttpClient, type HttpClientOptions } from "../../net/client.ts";
import { TrustedHosts } from "../../net/connection/address-guard.ts";
import type { ConnectTo } from "../../net/connection/route.ts";
import { ACCEPT_ENCODING } from "../../net/content-coding.ts";
import type { HeaderPairs } from "../../net/headers.ts";
import type { ArchiveConfig } from "../config/archive-config.ts";

/** Other ways to reach hosts: for tests, mirrors and gateways. */
export interface Reach {
  connectTo: ConnectTo[];
  /** Certificates to trust in addition to the usual ones, as PEM text. */
  ca: string | null;
}

const MEGABYTE = 1_000_000;

export const createClient = (config: ArchiveConfig, reach: Reach, proxy: string | null, clock: Clock): HttpClient =>
  new HttpClient(clientOptions(config, reach, proxy, clock));

/** The headers of every request, as written to a WARC. */
export const requestHeaders = (config: ArchiveConfig): HeaderPairs => [
  ["user-agent", config.user_agent],
  ["accept-encoding", ACCEPT_ENCODING],
  ...Object.entries(ownHeaders(config)),
];

/** For a private host without a port, the usual two. */
const withPorts = (host: string): string[] => (/:\d+$/.test(host) ? [host] : [`${host}:443`, `${host}:80`]);

const ownHeaders = (config: ArchiveConfig): Record<string, string> => ({
  accept: [...config.scope.content_types, "*/*;q=0.1"].join(","),
  "accept-language": config.accept_language,
  "cache-control": "no-cache",
});

function clientOptions(config: ArchiveConfig, reach: Reach, proxy: string | null, clock: Clock): HttpClientOptions {
  const { limits } = config;
  return {
    userAgent: config.user_agent,
    headers: ownHeaders(config),
    cookies: null,
    proxy,
    connectTo: reach.connectTo,
    ca: reach.ca,
    insecure: false,
    http2: limits.http2,
    connectionsPerOrigin: limits.per_host_concurrency,
    keepAliveMs: 4_000,
    allowPrivate: false,
    trusted: new TrustedHosts(config.scope.private_hosts.flatMap(withPorts)),
    cacheDir: null,
    cacheMaxAgeMs: 0,
    limits: {
      wireBytes: limits.max_page_mb * MEGABYTE,
      decodedBytes: limits.max_page_mb * MEGABYTE,
      totalMs: limits.total_timeout_ms,
      connectMs: limits.connect_timeout_ms,
      headersMs: limits.read_timeout_ms,
      idleMs: limits.read_timeout_ms,
      minBytesPerSecond: 0,
      minRateGraceMs: 10_000,
      headerBytes: 128 * 1024,
    },
    clock,
  };
}
