/** The table of fetch errors: a stable code, what it means, and whether a retry may help. */
import type { HttpResponse } from "./http-types.ts";

interface FetchErrorEntry {
  message: string;
  /** What the user can do about it. */
  hint: string;
  /** Whether the same request may succeed a little later. */
  retryable: boolean;
  /** Who can fix it: the site, the network in between, the user (settings), or no one (the crawl was stopped). */
  fault: "site" | "network" | "settings" | "nobody";
}

export const FETCH_ERRORS = {
  bad_url: {
    message: "The address is not an http or https URL.",
    hint: "Check how the link is written on the page.",
    retryable: false,
    fault: "site",
  },
  bad_request: {
    message: "The request cannot be sent as HTTP.",
    hint: "Check the configured headers: one contains a character that HTTP does not allow.",
    retryable: false,
    fault: "settings",
  },
  dns_not_found: {
    message: "The host name does not exist.",
    hint: "Check the spelling; the domain may have expired.",
    retryable: false,
    fault: "site",
  },
  dns_failed: {
    message: "The host name could not be looked up.",
    hint: "The name server did not answer: check your network, or try again later.",
    retryable: true,
    fault: "network",
  },
  private_address: {
    message: "The host has a private or reserved address.",
    hint: "Links to internal addresses are not followed; `--allow-private` allows them, if you mean to crawl an internal site.",
    retryable: false,
    fault: "settings",
  },
  address_changed: {
    message: "The host was on a private network and is now on the internet.",
    hint: "Check your network or VPN and resume; if the host has moved, start a new crawl of it.",
    retryable: false,
    fault: "network",
  },
  connect_refused: {
    message: "The server refused the connection.",
    hint: "No program accepts connections on that port: check the address, and whether the server is running.",
    retryable: true,
    fault: "site",
  },
  connect_failed: {
    message: "The server cannot be reached.",
    hint: "There is no route to it: check your network, and whether the host has a working IPv4 or IPv6 address.",
    retryable: true,
    fault: "network",
  },
  connect_timeout: {
    message: "The connection took too long.",
    hint: "The server or a firewall does not answer: try again later.",
    retryable: true,
    fault: "site",
  },
  tls_failed: {
    message: "The secure connection failed.",
    hint: "The certificate is expired, unknown or for another name; pass its CA with `--ca`, or `--insecure` for a test site.",
    retryable: false,
    fault: "site",
  },
  proxy_failed: {
    message: "The proxy did not let the request through.",
    hint: "Check the proxy's address, user name and password.",
    retryable: true,
    fault: "settings",
  },
  reset: {
    message: "The connection broke before the answer was complete.",
    hint: "The server may be overloaded or blocking crawlers: slow down with `--rate`, and try again.",
    retryable: true,
    fault: "site",
  },
  headers_timeout: {
    message: "The server took too long to begin its answer.",
    hint: "The page is slow to build: slow down with `--rate`, or try again later.",
    retryable: true,
    fault: "site",
  },
  idle_timeout: {
    message: "The server stopped sending in the middle of its answer.",
    hint: "Try again later; if it happens often, slow down with `--rate`.",
    retryable: true,
    fault: "site",
  },
  total_timeout: {
    message: "The whole fetch took too long.",
    hint: "Raise `--timeout` if the file is meant to be large.",
    retryable: false,
    fault: "site",
  },
  too_slow: {
    message: "The server sent its answer too slowly.",
    hint: "It may be a tarpit for crawlers; if the site is just slow, lower `--min-bytes-per-second`.",
    retryable: false,
    fault: "site",
  },
  too_many_headers: {
    message: "The answer's headers are too many or too long.",
    hint: "The server is broken, or a trap for crawlers: browsers do not accept that many either.",
    retryable: false,
    fault: "site",
  },
  too_much_overhead: {
    message: "The server sent too many bytes that are not content.",
    hint: "Endless status lines, interim answers, chunk extensions or frames: a trap for crawlers, or a broken server.",
    retryable: false,
    fault: "site",
  },
  bad_response: {
    message: "The answer is not valid HTTP.",
    hint: "Another service may be using the port, or the server is broken.",
    retryable: false,
    fault: "site",
  },
  bad_encoding: {
    message: "The body cannot be decompressed.",
    hint: "The server declares a content encoding that the body does not have; browsers cannot show this page either.",
    retryable: false,
    fault: "site",
  },
  // Not an error of the exchange: there is an answer, but it is not the page. See `politeness/challenge.ts`.
  challenge: {
    message: "The site answered with a bot check instead of the page.",
    hint: "Its bot protection blocked Trawl. If the site is yours, allow this crawler by address or user agent; otherwise ask its owner, or try again later with `--rate 1`.",
    retryable: false,
    fault: "site",
  },
  aborted: {
    message: "The fetch was stopped.",
    hint: "Resume the crawl to fetch it.",
    retryable: false,
    fault: "nobody",
  },
  closed: {
    message: "The HTTP client is closed.",
    hint: "Resume the crawl to fetch it.",
    retryable: false,
    fault: "nobody",
  },
  failed: {
    message: "The fetch failed for an unexpected reason.",
    hint: "Please report it, with the URL and the detail.",
    retryable: true,
    fault: "network",
  },
} as const satisfies Record<string, FetchErrorEntry>;

export type FetchErrorCode = keyof typeof FETCH_ERRORS;

/** The only error a fetch rejects with. `detail` is the underlying reason, such as `CERT_HAS_EXPIRED`, if known. */
export class FetchError extends Error {
  readonly code: FetchErrorCode;
  readonly retryable: boolean;
  readonly detail: string | null;
  /** What is known of an answer whose body cannot be decoded: everything but the body. */
  answer: HttpResponse | null = null;

  constructor(code: FetchErrorCode, detail: string | null = null, options?: ErrorOptions) {
    const { message, retryable } = FETCH_ERRORS[code];
    super(detail === null ? message : `${message} (${detail})`, options);
    this.name = "FetchError";
    this.code = code;
    this.retryable = retryable;
    this.detail = detail;
  }
}

const CODES: Record<string, FetchErrorCode> = {
  ENOTFOUND: "dns_not_found",
  ENODATA: "dns_not_found",
  ECONNREFUSED: "connect_refused",
  EHOSTUNREACH: "connect_failed",
  ENETUNREACH: "connect_failed",
  EHOSTDOWN: "connect_failed",
  ENETDOWN: "connect_failed",
  EADDRNOTAVAIL: "connect_failed",
  EACCES: "connect_failed",
  EPERM: "connect_failed",
  EMFILE: "connect_failed",
  ENFILE: "connect_failed",
  ENOMEM: "connect_failed",
  ENOBUFS: "connect_failed",
  ETIMEDOUT: "connect_timeout",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  EPROTO: "tls_failed",
  UND_ERR_SOCKET: "reset",
  UND_ERR_INFO: "reset",
  // A body shorter than its Content-Length, or chunks cut off: the sender closed the connection.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "reset",
  UND_ERR_HEADERS_OVERFLOW: "too_many_headers",
  UND_ERR_INVALID_ARG: "bad_request",
  UND_ERR_NOT_SUPPORTED: "bad_request",
  UND_ERR_DESTROYED: "closed",
  UND_ERR_CLOSED: "closed",
  UND_ERR_ABORTED: "aborted",
  ERR_HTTP2_STREAM_ERROR: "reset",
  ERR_HTTP2_STREAM_CANCEL: "reset",
  ERR_HTTP2_SESSION_ERROR: "reset",
  ERR_HTTP2_GOAWAY_SESSION: "reset",
  ERR_HTTP2_INVALID_SESSION: "reset",
  // The peer chose HTTP/2 in the handshake, then sent something else.
  ERR_HTTP2_ERROR: "bad_response",
  // Thousands of empty frames, which carry nothing and cost time.
  ERR_HTTP2_TOO_MANY_INVALID_FRAMES: "bad_response",
};

/** HTTP/2 error codes (RFC 9113 section 7) that mean the peer broke the protocol, not that it closed the connection. */
const HTTP2_PROTOCOL_ERRORS = new Set([0x1, 0x3, 0x6, 0x9]);

/** ENHANCE_YOUR_CALM: the peer asks to slow down, as with a 429. */
const HTTP2_CALM = 0xb;
export const CALM_DOWN = "ENHANCE_YOUR_CALM";

interface SystemError extends Error {
  code?: unknown;
  http2ErrorCode?: unknown;
  errors?: unknown;
}

/** Turns what undici, node:net, node:tls, node:dns and node:http2 throw into a FetchError. */
export function classifyError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (!(error instanceof Error)) return new FetchError("failed", String(error));
  const system = error as SystemError;
  // With several addresses, Node reports one error for each; the first is for the preferred address.
  if (Array.isArray(system.errors) && system.errors.length > 0 && CODES[String(system.code)] === undefined) {
    return classifyError(system.errors[0]);
  }
  if (typeof system.http2ErrorCode === "number" && HTTP2_PROTOCOL_ERRORS.has(system.http2ErrorCode)) {
    return new FetchError("bad_response", error.message, { cause: error });
  }
  if (system.http2ErrorCode === HTTP2_CALM) return new FetchError("reset", CALM_DOWN, { cause: error });
  const code = typeof system.code === "string" ? system.code : "";
  const known = CODES[code];
  if (known === "bad_request") return new FetchError(known, error.message, { cause: error });
  // undici's parser was given something it thought impossible, such as the status 000. That it checks for this means nothing to users.
  if (code === "ERR_ASSERTION") return new FetchError("bad_response", null, { cause: error });
  if (known !== undefined) return new FetchError(known, code.startsWith("E") ? code : error.message, { cause: error });
  if (error.name === "HTTPParserError") {
    // undici's parser errors have no code, only the parser's message.
    const cutOff = error.message.includes("Invalid EOF state");
    return new FetchError(cutOff ? "reset" : "bad_response", error.message, { cause: error });
  }
  if (code.startsWith("EAI_") || code === "ETIMEOUT" || code === "ESERVFAIL" || code === "EREFUSED") {
    return new FetchError("dns_failed", code, { cause: error });
  }
  return new FetchError("failed", code || error.message, { cause: error });
}

/** The same for errors during the TLS handshake, where most codes are OpenSSL names. */
export function classifyTlsError(error: unknown): FetchError {
  const classified = classifyError(error);
  if (classified.code !== "failed") return classified;
  return new FetchError("tls_failed", classified.detail, { cause: error });
}

/** The connection is closed, rather than one of its HTTP/2 streams: that is an answer to this very request. */
export function isClosed(error: Error): boolean {
  if (error instanceof FetchError) return false;
  const { code, http2ErrorCode, message } = error as Error & { code?: unknown; http2ErrorCode?: unknown };
  const isStream =
    typeof http2ErrorCode === "number" || String(code).startsWith("ERR_HTTP2_") || /HTTP\/2/.test(message);
  return !isStream && classifyError(error).code === "reset";
}
