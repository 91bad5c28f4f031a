/** The records of one fetch: a request, and either a response or a revisit of a record that holds the same page. */
import { headerValue } from "../../../net/headers.ts";
import type { HttpResponse } from "../../../net/http-types.ts";
import { REVISIT_MIME } from "./cdxj.ts";
import { type RequestMessage, requestBlock, responseHead } from "./http-block.ts";
import type { Original } from "./originals.ts";
import type { CaptureAbout } from "./warc-file.ts";
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
}

const PROFILE = "http://netpreserve.org/warc/1.1/revisit";

/** The digest that an earlier record must have for this capture to be a revisit of it; null when it is not one. */
export function soughtDigest({ response: { status, body }, unchangedSha256 }: Capture): string | null {
  if (status === 304) return unchangedSha256 === null ? null : `sha256:${unchangedSha256}`;
  // Revisits of empty bodies and error pages are of no use to anyone.
  return status === 200 && body.length > 0 ? digestOf(body) : null;
}

/** The record to index, and what the index says of it. `original` is what `soughtDigest` asked for. */
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
  const mime = original === null ? mimeOf(response) : REVISIT_MIME;
  return { record, about: { url: request.url, mime, status: String(status), digest } };
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

/** Our limits cut by length; a compressed body that ended too early was cut by something else. */
const truncation = ({ truncated }: Capture["response"]): WarcHeaders =>
  truncated === null ? [] : [["WARC-Truncated", truncated === "encoding" ? "unspecified" : "length"]];

/** Indexes say `unk` when the server sent no type. */
const mimeOf = ({ headers }: Capture["response"]): string =>
  /^[^\s;,]+/.exec(headerValue(headers, "content-type") ?? "")?.[0].toLowerCase() ?? "unk";
