/** The answer to a fetch, as returned to the caller and stored in the cache, and the buffer that its body is read into. */
import { type HeaderPairs, headerValue } from "./headers.ts";
import type { HttpResponse, Timings, TlsFacts, Truncation } from "./http-types.ts";

type Fields = Omit<HttpResponse, "header" | "location" | "decodedBytes">;

/**
 * Gives the memory of a large buffer back now: the collector may leave several of them lying about before it comes. Nobody
 * may use the buffer any more.
 */
export function free(buffer: Buffer): void {
  if (buffer.length > 1_000_000 && buffer.buffer instanceof ArrayBuffer) buffer.buffer.transfer(0);
}

export class FetchedResponse implements HttpResponse {
  url: string;
  status: number;
  statusText: string;
  httpVersion: "1.1" | "2";
  headers: HeaderPairs;
  body: Buffer;
  readonly decodedBytes: number;
  wireBytes: number;
  truncated: Truncation | null;
  timings: Timings;
  remoteAddress: string | null;
  tls: TlsFacts | null;
  fromCache: boolean;

  constructor(fields: Fields) {
    this.url = fields.url;
    this.status = fields.status;
    this.statusText = fields.statusText;
    this.httpVersion = fields.httpVersion;
    this.headers = fields.headers;
    this.body = fields.body;
    this.decodedBytes = fields.body.length;
    this.wireBytes = fields.wireBytes;
    this.truncated = fields.truncated;
    this.timings = fields.timings;
    this.remoteAddress = fields.remoteAddress;
    this.tls = fields.tls;
    this.fromCache = fields.fromCache;
  }

  get location(): string | null {
    // 304 means that a page has not changed; it is not a redirect.
    return this.status >= 300 && this.status < 400 && this.status !== 304 ? this.header("location") : null;
  }

  header(name: string): string | null {
    return headerValue(this.headers, name.toLowerCase());
  }
}

const SMALLEST = 16 * 1024;
/** A Content-Length is only a claim: no more than this is set aside for it in advance. */
const LARGEST_CLAIM = 1024 * 1024;

const EMPTY = Buffer.alloc(0);

/** Collects a body into one buffer. Bytes are copied: a body sent byte by byte must not become millions of small buffers. */
export class ByteSink {
  #buffer: Buffer = EMPTY;
  #length = 0;
  /** The first chunk is kept as it is: most bodies have only one. */
  #first: Buffer | null = null;
  readonly #claim: number;

  /** `claim` is the expected length, 0 when not known. */
  constructor(claim: number) {
    this.#claim = Math.min(claim, LARGEST_CLAIM);
  }

  write(chunk: Buffer): void {
    if (this.#length === 0) {
      this.#first = chunk;
      this.#length = chunk.length;
      return;
    }
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) this.#grow(length);
    if (this.#first !== null) {
      this.#buffer.set(this.#first, 0);
      this.#first = null;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#first ?? this.#buffer.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#claim, SMALLEST, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    free(this.#buffer);
    this.#buffer = larger;
  }
}
