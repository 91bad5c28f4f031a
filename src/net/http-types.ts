/** The types of the HTTP layer: options, requests and responses. */
import type { Socket, TcpNetConnectOpts } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import type { BodyBudget, BodyShare } from "./body-budget.ts";
import type { BodyOverflow } from "./body-intake.ts";
import type { TrustedHosts } from "./connection/address-guard.ts";
import type { ConnectTo } from "./connection/route.ts";
import type { CookieJar } from "./cookie-jar.ts";
import type { FetchError } from "./fetch-errors.ts";
import type { FetchPermits } from "./fetch-permits.ts";
import type { HeaderPairs } from "./headers.ts";

export interface FetchLimits {
  /** Body bytes as sent, before decompression. No more are read. */
  wireBytes: number;
  /** Body bytes after decompression. No more are produced. */
  decodedBytes: number;
  /** The whole fetch, from the moment a connection is given to it. */
  totalMs: number;
  /** DNS, TCP, proxy and TLS together. */
  connectMs: number;
  /** From the request sent to the end of the response headers. */
  headersMs: number;
  /** The longest time without a byte of the body. */
  idleMs: number;
  /** Over each stretch of `minRateGraceMs`; 0 allows any rate. */
  minBytesPerSecond: number;
  minRateGraceMs: number;
  /** Names and values, plus 32 bytes per field as in HTTP/2 (RFC 9113 section 6.5.2), so that the count is limited too. */
  headerBytes: number;
}

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** All addresses of a name, in the order to try them. Rejects with the codes of node:dns. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/** Opens a TCP connection as `net.connect` does. */
export type Dial = (options: TcpNetConnectOpts) => Socket;

/** Headers by origin. Another scheme, port or subdomain is another origin. */
export type OriginHeaders = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface HttpClientOptions {
  userAgent: string;
  /** Sent to every host: no place for credentials. */
  headers: Record<string, string>;
  /** What one origin gets and no other, by origins such as `https://example.com`: credentials of every kind. */
  secrets?: OriginHeaders;
  /** Where cookies are kept; null for none. */
  cookies: CookieJar | null;
  /** `http(s)://user:password@host:port`, or `socks5://…`. */
  proxy: string | null;
  connectTo: ConnectTo[];
  /** PEM text of a CA that is trusted in addition to the usual ones. */
  ca: string | null;
  /** Accepts any certificate. */
  insecure: boolean;
  http2: boolean;
  connectionsPerOrigin: number;
  /** How long an unused connection stays open, unless the server asks for less. */
  keepAliveMs: number;
  limits: FetchLimits;
  /** Allows addresses that are not on the public internet, except metadata services of clouds. */
  allowPrivate: boolean;
  /** The hosts of the start URLs, which may be private. */
  trusted?: TrustedHosts;
  /** A folder of stored answers; null for no cache. */
  cacheDir: string | null;
  cacheMaxAgeMs: number;
  /** The memory that bodies share; that of the process unless given. A request with `mayGrow` takes nothing of it. */
  bodies?: BodyBudget;
  /** A cap on requests in flight that this client shares with others. */
  permits?: FetchPermits;
  /** Asked right before a request is handed to a connection; without it, always. A worker of a fleet may have lost its lease. */
  maySend?: () => boolean;
  /** Called when a request has left, or will not leave any more. */
  onLeft?: OnLeft;
  /** Resolves when a request that did not arrive may be sent again: it counts in the pace of its host. At once unless given. */
  beforeResend?: (host: string) => Promise<void>;
  /** Called for every request that a connection was opened or used for, when it has ended, before its answer is returned. */
  onExchange?: OnExchange;
  /** Called when this machine, not a host, keeps requests from being made: what is wrong, and null when it is over. */
  onTrouble?: (trouble: string | null) => void;
  clock: Clock;
  /** A monotonic clock in milliseconds, for durations. */
  monotonic?: () => number;
  lookup?: Lookup;
  dial?: Dial;
}

export type MayGrow = (bytes: number) => boolean;

export interface HttpRequest {
  url: string;
  method?: "GET" | "HEAD" | "POST";
  /** Sent with POST. Such a request is never sent twice, and its answer is not cached. */
  body?: string;
  headers?: Record<string, string>;
  etag?: string | null;
  lastModified?: string | null;
  signal?: AbortSignal;
  /** Called when the request is sent, with the ms it took to open a connection for it; 0 if one was open. */
  onSent?: (openedMs: number) => void;
  /**
   * Called before more of the body is kept, with the new number of bytes: as sent while it arrives, then decompressed. If it
   * returns false, the request is given up, unless `overflow` helps.
   */
  mayGrow?: MayGrow;
  /** Called when `mayGrow` refuses more of the body as sent: where all of it goes until there is memory; null if nowhere. */
  overflow?: () => BodyOverflow | null;
  /** What the body uses of the shared memory, if the caller keeps it beyond the answer; the caller closes it. */
  share?: BodyShare;
  /** This much of the body is read even if the size limits are lower. */
  leastBytes?: number;
  /** The cookies that the answer sets are not kept: for requests that nobody who visits the site would make. */
  dropsCookies?: boolean;
}

/** Milliseconds, with fractions; 0 for a phase that an open connection made unnecessary. Waiting for a free connection or a permit is not counted. */
export interface Timings {
  dns: number;
  /** TCP, and the tunnel if there is a proxy. */
  connect: number;
  tls: number;
  /** From the request sent to the response headers. */
  firstByte: number;
  download: number;
  total: number;
}

/** Why the body is incomplete: `length` and `decoded` are our limits, `encoding` a compressed body that ends too early. */
export type Truncation = "length" | "decoded" | "encoding";

/** The encryption of a connection. */
export interface TlsFacts {
  /** Such as `TLSv1.3`. */
  version: string;
  /** The last day of the server's certificate, as YYYY-MM-DD; null when it is not known. */
  validUntil: string | null;
}

export interface HttpResponse {
  url: string;
  status: number;
  statusText: string;
  httpVersion: "1.1" | "2";
  headers: HeaderPairs;
  /** The first value of that name; null when absent. */
  header(name: string): string | null;
  /** Decompressed. */
  body: Buffer;
  wireBytes: number;
  decodedBytes: number;
  truncated: Truncation | null;
  timings: Timings;
  /** Null behind a proxy and from the cache. */
  remoteAddress: string | null;
  /** Null without encryption and from the cache. */
  tls: TlsFacts | null;
  fromCache: boolean;
  /** The `Location` header of a 3xx other than 304, as sent. */
  location: string | null;
}

/** A request that has ended, with all its secrets. */
export interface ExchangeReport {
  /** Wall time in ms at which a connection took the request. */
  startedAt: number;
  method: string;
  url: string;
  /** The page whose rendering sent it; missing for Trawl's own requests. */
  page?: string;
  /** As sent, in order; with HTTP/2, without the pseudo-headers. */
  requestHeaders: HeaderPairs;
  requestBytes: number;
  /** False when the connection could not be opened, or the request was given up before. */
  isSent: boolean;
  httpVersion: "1.1" | "2";
  /** Null when no header arrived. */
  status: number | null;
  statusText: string;
  responseHeaders: HeaderPairs;
  /** Body bytes as received, and after decompression; the latter is null for a request that failed, and for those of a browser. */
  wireBytes: number;
  decodedBytes: number | null;
  truncated: Truncation | null;
  /** As far as it got; `total` until it failed. */
  timings: Timings;
  remoteAddress: string | null;
  error: FetchError | null;
}

/** A request to a host has left, or, not sent, will not leave any more. */
export type OnLeft = (host: string, isSent: boolean) => void;

export type OnExchange = (report: ExchangeReport) => void;
