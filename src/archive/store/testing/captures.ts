/** Sample fetches for the tests of WARC and WACZ, and an independent reader for the results. */
import { createReadStream } from "node:fs";
import { WARCParser, type WARCRecord } from "warcio";
import type { Capture } from "../warc/capture.ts";
import { WARC_MAX_BYTES, WarcWriter, type WarcWriterOptions } from "../warc/warc-writer.ts";

/** 2025-01-12T10:00:00Z */
export const START = Date.UTC(2025, 0, 12, 10);

export interface CaptureChanges {
  url?: string;
  at?: number;
  unchangedSha256?: string | null;
  response?: Partial<Capture["response"]>;
}

export const sampleCapture = (
  html: string,
  { url = "https://github.com/o/r", ...changes }: CaptureChanges = {},
): Capture => ({
  at: changes.at ?? START,
  request: { method: "GET", url, headers: [["user-agent", "trawl (+https://example.com)"]] },
  response: {
    status: 200,
    statusText: "OK",
    httpVersion: "1.1",
    headers: [["content-type", "text/html; charset=utf-8"]],
    body: Buffer.from(html),
    truncated: null,
    remoteAddress: "192.0.2.1",
    ...changes.response,
  },
  unchangedSha256: changes.unchangedSha256 ?? null,
});

export const warcWriter = (folder: string, options: Partial<WarcWriterOptions> = {}): Promise<WarcWriter> =>
  WarcWriter.open({
    folder,
    info: { software: "Trawl/test" },
    maxBytes: WARC_MAX_BYTES,
    now: () => START,
    onNotice: (text) => {
      throw new Error(text);
    },
    ...options,
  });

export interface ReadRecord {
  type: string | null;
  header: (name: string) => string | null;
  status: string | null;
  httpHeader: (name: string) => string | null;
  payload: string;
}

/** Read by npm's warcio, which knows nothing of our writer. */
export async function readWarc(path: string): Promise<ReadRecord[]> {
  const parser = new WARCParser(createReadStream(path));
  const records: ReadRecord[] = [];
  for await (const record of parser as AsyncIterable<WARCRecord>) {
    const payload = Buffer.from((await record.readFully(true)) ?? "").toString();
    const { httpHeaders } = record;
    records.push({
      type: record.warcType ?? null,
      header: (name) => record.warcHeader(name) ?? null,
      status: httpHeaders?.statusline ?? null,
      httpHeader: (name) => httpHeaders?.headers.get(name) ?? null,
      payload,
    });
  }
  return records;
}
