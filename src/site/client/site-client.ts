/** The HTTP client for a site's config. */
import type { Clock } from "../../kernel/clock.ts";
import { HttpClient, type HttpClientOptions, type Lookup, type OnExchange } from "../../net/client.ts";
import type { TrustedHosts } from "../../net/connection/address-guard.ts";
import { parseConnectTo } from "../../net/connection/route.ts";
import { readCertificates } from "../../net/connection/tls-client.ts";
import { CookieJar } from "../../net/cookie-jar.ts";
import type { FetchPermits } from "../../net/fetch-permits.ts";
import type { Scope } from "../../web/scope.ts";
import { secretHeaders } from "../credentials/secret-headers.ts";
import type { SiteConfig } from "../site-config.ts";

/** Limits of a request that are not settings, because healthy servers stay far below them. */
const FETCH_LIMITS = {
  connectMs: 15_000,
  headersMs: 30_000,
  idleMs: 15_000,
  minRateGraceMs: 10_000,
  headerBytes: 128 * 1024,
};

/** `permits`: a cap on requests in flight that several crawls share. */
export const createClient = (
  config: SiteConfig,
  startUrls: string[],
  clock: Clock,
  shared: {
    trusted: TrustedHosts;
    lookup?: Lookup;
    cookies: CookieJar | null;
    permits?: FetchPermits;
    maySend?: () => boolean;
    onLeft?: HttpClientOptions["onLeft"];
    beforeResend?: HttpClientOptions["beforeResend"];
    onExchange?: OnExchange;
    onTrouble?: HttpClientOptions["onTrouble"];
  },
): HttpClient => new HttpClient({ ...clientOptions(config, startUrls, clock), ...shared });

/** The cookies of one crawl, for the site's hosts; null when cookies are off. */
export const siteCookies = (config: SiteConfig, scope: Scope): CookieJar | null =>
  config.cookies ? new CookieJar((url) => scope.classify(url).internal) : null;

export function clientOptions(config: SiteConfig, startUrls: string[], clock: Clock): HttpClientOptions {
  return {
    userAgent: config.userAgent,
    // Plain headers go to the site's own hosts, which the product knows.
    headers: {},
    secrets: secretHeaders(config, startUrls),
    cookies: null,
    proxy: config.proxy,
    connectTo: config.connectTo.map(parseConnectTo),
    ca: config.ca === null ? null : readCertificates(config.ca),
    insecure: config.insecure,
    http2: config.http2,
    connectionsPerOrigin: config.parallelism,
    keepAliveMs: 4_000,
    allowPrivate: config.allowPrivate,
    cacheDir: config.cacheDir,
    cacheMaxAgeMs: config.cacheMaxAge * 1000,
    limits: {
      ...FETCH_LIMITS,
      wireBytes: config.maxBytes,
      decodedBytes: config.maxBytes,
      totalMs: config.timeout * 1000,
      minBytesPerSecond: config.minBytesPerSecond,
    },
    clock,
  };
}
