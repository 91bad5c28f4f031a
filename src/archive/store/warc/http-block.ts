/**
 * The HTTP messages inside WARC records, as far as we know what was on the wire.
 *
 * Our client returns bodies without transfer or content coding. As in Browsertrix and pywb, headers that described the
 * coded body are kept under `X-Orig-`, and `Content-Length` is the length of the body that is stored; otherwise a
 * reader would try to decompress it again. HTTP/2 has no text form: it is written as HTTP/1.1, and `WARC-Protocol` says
 * so.
 */
import { STATUS_CODES } from "node:http";
import { contentCodings } from "../../../net/content-coding.ts";
import type { HeaderPairs } from "../../../net/headers.ts";

export interface RequestMessage {
  method: string;
  url: string;
  /** Without `host`. */
  headers: HeaderPairs;
}

export interface ResponseMessage {
  status: number;
  statusText: string;
  headers: HeaderPairs;
  /** Decoded. */
  body: Uint8Array;
}

/** Headers that would let a reader of the archive act as the person who made it. */
const CREDENTIALS = new Set(["authorization", "cookie", "proxy-authorization"]);

export function requestBlock({ method, url, headers }: RequestMessage): Buffer {
  const { host, pathname, search } = new URL(url);
  const shown = headers.filter(([name]) => !CREDENTIALS.has(name.toLowerCase()) && name.toLowerCase() !== "host");
  return headBytes(`${method} ${pathname}${search} HTTP/1.1`, [["host", host], ...shown]);
}

/** The status line and headers of a response; the body follows them in a `response` record. */
export function responseHead({ status, statusText, headers, body }: ResponseMessage): Buffer {
  // HTTP/2 has no reason phrase.
  const reason = statusText || STATUS_CODES[status] || "";
  return headBytes(`HTTP/1.1 ${status} ${reason}`.trimEnd(), consistentHeaders(headers, body));
}

function consistentHeaders(headers: HeaderPairs, body: Uint8Array): HeaderPairs {
  const length = String(body.length);
  const consistent = headers.map(([name, value]): [string, string] => {
    const key = name.toLowerCase();
    const stale =
      key === "transfer-encoding" ||
      (key === "content-encoding" && wasDecoded(value)) ||
      (key === "content-length" && value !== length && body.length > 0);
    return [stale ? `X-Orig-${name}` : name, value];
  });
  // Without a body (304, HEAD), the length that the server sent is that of the body it did not send.
  if (body.length > 0 && !consistent.some(([name]) => name.toLowerCase() === "content-length")) {
    consistent.push(["Content-Length", length]);
  }
  return consistent;
}

function wasDecoded(encoding: string): boolean {
  try {
    return contentCodings(encoding).length > 0;
  } catch {
    // More codings than the client undoes. Such an answer has no body to describe.
    return true;
  }
}

function headBytes(first: string, headers: HeaderPairs): Buffer {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.map(oneLine).join("\r\n")}\r\n\r\n`);
}

/** No text from the web may start a header of its own. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, " ");
