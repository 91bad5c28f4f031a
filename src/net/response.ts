/** The answer to a fetch, as handed to the caller and as kept in the cache. */
import { type HeaderPairs, headerValue } from "./headers.ts";
import type { HttpResponse, Timings, Truncation } from "./http-types.ts";

type Fields = Omit<HttpResponse, "header" | "location" | "decodedBytes">;

export class FetchedResponse implements HttpResponse {
  url: string;
  status: number;
  statusText: string;
  httpVersion: "1.1" | "2";
  headers: HeaderPairs;
  body: Buffer;
  wireBytes: number;
  truncated: Truncation | null;
  timings: Timings;
  remoteAddress: string | null;
  fromCache: boolean;

  constructor(fields: Fields) {
    this.url = fields.url;
    this.status = fields.status;
    this.statusText = fields.statusText;
    this.httpVersion = fields.httpVersion;
    this.headers = fields.headers;
    this.body = fields.body;
    this.wireBytes = fields.wireBytes;
    this.truncated = fields.truncated;
    this.timings = fields.timings;
    this.remoteAddress = fields.remoteAddress;
    this.fromCache = fields.fromCache;
  }

  get decodedBytes(): number {
    return this.body.length;
  }

  get location(): string | null {
    // 304 says that a page is as it was, which leads nowhere.
    return this.status >= 300 && this.status < 400 && this.status !== 304 ? this.header("location") : null;
  }

  header(name: string): string | null {
    return headerValue(this.headers, name.toLowerCase());
  }
}
