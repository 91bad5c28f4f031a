/** One WARC/1.1 record (ISO 28500:2017) as a gzip member of its own, so that a reader can start at any record. */
import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

export type WarcHeaders = [name: string, value: string][];

export interface WarcRecord {
  type: "warcinfo" | "request" | "response" | "revisit";
  id: string;
  /** Wall time in ms. */
  at: number;
  /** Headers specific to the type; headers that every record has are added. */
  headers: WarcHeaders;
  contentType: string;
  block: Uint8Array;
}

const compress = promisify(gzip);

export const newRecordId = (): string => `<urn:uuid:${randomUUID()}>`;

/**
 * Hex SHA-256, as warcio.js and Browsertrix write it, so the payload digest of a page is its name in the store. (The
 * older SHA-1 in base 32 is read by the same tools, but no longer proves anything.)
 */
export function digestOf(...parts: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return `sha256:${hash.digest("hex")}`;
}

/** To the second, so that the timestamp of an index line is exactly the record's date, as revisits need it. */
export const warcDate = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export const recordMember = (record: WarcRecord): Promise<Buffer> => compress(recordBytes(record));

export function recordBytes({ type, id, at, headers, contentType, block }: WarcRecord): Buffer {
  const all: WarcHeaders = [
    ["WARC-Type", type],
    ["WARC-Record-ID", id],
    ["WARC-Date", warcDate(at)],
    ...headers,
    ["WARC-Block-Digest", digestOf(block)],
    ["Content-Type", contentType],
    ["Content-Length", String(block.length)],
  ];
  // A line break inside a value would start another header.
  const lines = all.map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, " ")}\r\n`);
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join("")}\r\n`), block, Buffer.from("\r\n\r\n")]);
}

/** The headers at the beginning of a record, with names in lower case; null when the bytes are not a record. */
export function parseHeaders(text: string): Map<string, string> | null {
  const end = text.indexOf("\r\n\r\n");
  if (!text.startsWith("WARC/1.") || end === -1) return null;
  const headers = new Map<string, string>();
  for (const line of text.slice(0, end).split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}
