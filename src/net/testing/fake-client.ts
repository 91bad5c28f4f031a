/** A client that answers from a table, for tests. */
import type { HttpRequest, HttpResponse } from "../client.ts";
import { FetchError, type FetchErrorCode } from "../fetch-errors.ts";
import type { HeaderPairs } from "../headers.ts";
import { FetchedResponse } from "../response.ts";

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** An answer, an error by its code, or one of these for each request in turn (the last for all that follow). */
export type Scripted = FakeAnswer | FetchErrorCode | (FakeAnswer | FetchErrorCode)[];

export const fakeResponse = (url: string, { status = 200, headers = {}, body = "" }: FakeAnswer): HttpResponse =>
  new FetchedResponse({
    url,
    status,
    statusText: "",
    httpVersion: "1.1",
    headers: Object.entries(headers) as HeaderPairs,
    body: Buffer.from(body),
    wireBytes: body.length,
    truncated: null,
    timings: { dns: 0, connect: 0, tls: 0, firstByte: 1, download: 1, total: 2 },
    remoteAddress: "192.0.2.1",
    tls: null,
    fromCache: false,
  });

export class FakeClient {
  /** `METHOD url` of every request, in order. */
  readonly asked: string[] = [];
  readonly requests: HttpRequest[] = [];
  readonly #answers: Record<string, Scripted>;

  constructor(answers: Record<string, Scripted>) {
    this.#answers = answers;
  }

  /** URLs that are not in the table answer 404. */
  async fetch(request: HttpRequest): Promise<HttpResponse> {
    const { url, method = "GET" } = request;
    this.asked.push(`${method} ${url}`);
    this.requests.push(request);
    if (request.signal?.aborted) throw new FetchError("aborted");
    const script = this.#answers[`${method} ${url}`] ?? this.#answers[url] ?? { status: 404 };
    const times = this.asked.filter((line) => line === `${method} ${url}`).length;
    const answer = Array.isArray(script) ? script[Math.min(times, script.length) - 1]! : script;
    if (typeof answer === "string") throw new FetchError(answer);
    return fakeResponse(url, answer);
  }
}
