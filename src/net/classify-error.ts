/** Turns what undici, node:net, node:tls, node:dns and node:http2 throw into one FetchError code. */
import { FetchError, type FetchErrorCode } from "./fetch-errors.ts";

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
  ETIMEDOUT: "connect_timeout",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  EPROTO: "tls_failed",
  UND_ERR_SOCKET: "reset",
  UND_ERR_INFO: "reset",
  // A body shorter than its Content-Length, or chunks cut off: the sender went away.
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
  // The peer chose HTTP/2 in the handshake and then speaks something else.
  ERR_HTTP2_ERROR: "bad_response",
};

/** HTTP/2 error codes (RFC 9113 section 7) that say the peer speaks the protocol badly, not that it went away. */
const HTTP2_PROTOCOL_ERRORS = new Set([0x1, 0x3, 0x6, 0x9]);

interface SystemError extends Error {
  code?: unknown;
  http2ErrorCode?: unknown;
  errors?: unknown;
}

export function classifyError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (!(error instanceof Error)) return new FetchError("failed", String(error));
  const system = error as SystemError;
  // With several addresses Node reports one error each; the first is for the address it preferred.
  if (Array.isArray(system.errors) && system.errors.length > 0 && CODES[String(system.code)] === undefined) {
    return classifyError(system.errors[0]);
  }
  if (typeof system.http2ErrorCode === "number" && HTTP2_PROTOCOL_ERRORS.has(system.http2ErrorCode)) {
    return new FetchError("bad_response", error.message, { cause: error });
  }
  const code = typeof system.code === "string" ? system.code : "";
  const known = CODES[code];
  if (known === "bad_request") return new FetchError(known, error.message, { cause: error });
  if (known !== undefined) return new FetchError(known, code.startsWith("E") ? code : error.message, { cause: error });
  if (error.name === "HTTPParserError") {
    // undici gives its parser's errors no code, only the parser's own words.
    const cutOff = error.message.includes("Invalid EOF state");
    return new FetchError(cutOff ? "reset" : "bad_response", error.message, { cause: error });
  }
  if (code.startsWith("EAI_") || code === "ETIMEOUT" || code === "ESERVFAIL" || code === "EREFUSED") {
    return new FetchError("dns_failed", code, { cause: error });
  }
  return new FetchError("failed", code || error.message, { cause: error });
}

/** The same for an error met while the TLS handshake ran, where most codes are OpenSSL's own names. */
export function classifyTlsError(error: unknown): FetchError {
  const classified = classifyError(error);
  if (classified.code !== "failed") return classified;
  return new FetchError("tls_failed", classified.detail, { cause: error });
}
