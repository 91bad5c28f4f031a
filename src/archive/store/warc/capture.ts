/** The records of one fetch: a request, and either a response or a revisit of a record that holds the same page. */

import { STATUS_CODES } from "node:http";
import { contentCodings } from "../../../net/content-coding.ts";
import type { HeaderPairs } from "../../../net/headers.ts";
import type { HttpResponse } from "../../../net/http-types.ts";
import type { CaptureAbout } from "./cdxj.ts";
import type { Original } from "./originals.ts";
import { httpFacts } from "./warc-index.ts";
import { digestOf, newRecordId, type WarcHeaders, type WarcRecord } from "./warc-record.ts";

export interface Capture {
  /** Wall time in ms when the request was sent. */
  at: number;
  request: RequestMessage;
  response: Pick<
    HttpResponse,
    "status" | "statusText" | "httpVersion" | "headers" | "body" | "truncated" | "remoteAddress"
  >;
  /** With a 304: the SHA-256 of the page that the condition named. */
  unchangedSha256: string | null;
  /** False for what pages need: a revisit counts as a page, so none is written for it. */
  isPage?: boolean;
}

const PROFILE = "http://netpreserve.org/warc/1.1/revisit";

/**
 * The digest that an earlier record must have for this capture to be a revisit of it; null when it is not a revisit.
 */
export function soughtDigest({ response: { status, body }, unchangedSha256, isPage }: Capture): string | null {
  if (isPage === false) return null;
  if (status === 304) return unchangedSha256 === null ? null : `sha256:${unchangedSha256}`;
  // Revisits of empty bodies and error pages are of no use to anyone.
  return status === 200 && body.length > 0 ? digestOf(body) : null;
}

/** The record to index, and what the index says about it. `original` is what `soughtDigest` asked for. */
export function captureRecord(
  { at, request, response }: Capture,
  original: Original | null,
): { record: WarcRecord; about: CaptureAbout } {
  const { status, body } = response;
  const digest = original?.digest ?? digestOf(body);
  const head = responseHead(response);
  const record: WarcRecord = {
    type: original === null ? "response" : "revisit",
    id: newRecordId(),
    at,
    headers: [
      ["WARC-Target-URI", request.url],
      ...wireHeaders(response),
      ...(original === null ? truncation(response) : revisitHeaders(original, status === 304)),
      ["WARC-Payload-Digest", digest],
    ],
    contentType: "application/http; msgtype=response",
    block: original === null ? Buffer.concat([head, body]) : head,
  };
  return { record, about: { url: request.url, ...httpFacts(record.type, head), digest } };
}

export const requestRecord = (capture: Capture, concurrentTo: string): WarcRecord => ({
  type: "request",
  id: newRecordId(),
  at: capture.at,
  headers: [
    ["WARC-Target-URI", capture.request.url],
    ...wireHeaders(capture.response),
    ["WARC-Concurrent-To", concurrentTo],
  ],
  contentType: "application/http; msgtype=request",
  block: requestBlock(capture.request),
});

const wireHeaders = ({ remoteAddress, httpVersion }: Capture["response"]): WarcHeaders => [
  ...(remoteAddress === null ? [] : ([["WARC-IP-Address", remoteAddress]] satisfies WarcHeaders)),
  ["WARC-Protocol", httpVersion === "2" ? "h2" : "http/1.1"],
];

const revisitHeaders = ({ id, url, date }: Original, unchanged: boolean): WarcHeaders => [
  ["WARC-Profile", `${PROFILE}/${unchanged ? "server-not-modified" : "identical-payload-digest"}`],
  ["WARC-Refers-To", id],
  ["WARC-Refers-To-Target-URI", url],
  ["WARC-Refers-To-Date", date],
];

/** Our limits cut by length; if a compressed body ended too early, something else cut it. */
const truncation = ({ truncated }: Capture["response"]): WarcHeaders =>
  truncated === null ? [] : [["WARC-Truncated", truncated === "encoding" ? "unspecified" : "length"]];

/**
 * The HTTP messages inside WARC records, as far as we know what was on the wire.
 *
 * Our client returns bodies without transfer or content coding. As in Browsertrix and pywb, headers that described the
 * coded body are kept under `X-Orig-`, and `Content-Length` is the length of the body that is stored; otherwise a
 * reader would try to decompress it again. HTTP/2 has no text form: it is written as HTTP/1.1, and `WARC-Protocol` says
 * so.
 */
interface RequestMessage {
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
    // More codings than the client undoes. An answer with these has no body to describe.
    return true;
  }
}

function headBytes(first: string, headers: HeaderPairs): Buffer {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.map(oneLine).join("\r\n")}\r\n\r\n`);
}

/** No text from the web may start a header of its own. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, " ");
