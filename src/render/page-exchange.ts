/** One request of a page as a report for the request trace, put together from what the browser says about it. */
import type { Protocol } from "puppeteer-core";
import { FetchError } from "../net/fetch-errors.ts";
import type { HeaderPairs } from "../net/headers.ts";
import type { ExchangeReport, OnExchange } from "../net/http-types.ts";

export interface ExchangeWatch {
  /** The address of the page that is rendered. */
  page: string;
  onExchange: OnExchange;
  /** Wall time in ms. */
  wallTime: () => number;
  /** In ms. Not the browser's clock, which is the page's own and runs faster than real time. */
  now: () => number;
}

type Answer = Pick<Protocol.Network.Response, "status"> & Partial<Protocol.Network.Response>;

export class PageExchange {
  readonly #watch: ExchangeWatch;
  readonly #request: Pick<ExchangeReport, "startedAt" | "method" | "url" | "requestHeaders" | "requestBytes">;
  readonly #began: number;
  #answer: Answer | null = null;
  #answeredAt: number | null = null;

  constructor(watch: ExchangeWatch, { url, method, headers = {}, postData = "" }: Partial<Protocol.Network.Request>) {
    this.#watch = watch;
    this.#began = watch.now();
    this.#request = {
      startedAt: watch.wallTime(),
      method: method ?? "GET",
      url: url!,
      requestHeaders: pairs(headers),
      requestBytes: Buffer.byteLength(postData),
    };
  }

  answered(answer: Answer): void {
    this.#answer = answer;
    this.#answeredAt = this.#watch.now();
  }

  /**
   * `bytes`: everything received, headers included, as the browser counts. `failure`: why there is no complete answer.
   */
  end(bytes: number, failure: FetchError | null): void {
    const { page, now, onExchange } = this.#watch;
    const [total, answer] = [now() - this.#began, this.#answer];
    const firstByte = this.#answeredAt === null ? 0 : this.#answeredAt - this.#began;
    onExchange({
      ...this.#request,
      page,
      isSent: answer !== null,
      httpVersion: answer?.protocol === "h2" ? "2" : "1.1",
      status: answer?.status ?? null,
      statusText: answer?.statusText ?? "",
      responseHeaders: pairs(answer?.headers ?? {}),
      // Includes the framing of chunks, which the browser does not report separately.
      wireBytes: Math.max(0, bytes - (answer?.encodedDataLength ?? 0)),
      decodedBytes: null,
      truncated: null,
      timings: { dns: 0, connect: 0, tls: 0, firstByte, download: answer === null ? 0 : total - firstByte, total },
      // The browser would name the proxy that carries all its traffic.
      remoteAddress: null,
      error: failure,
    });
  }
}

/** The browser joins the lines of a header that was sent several times. */
const pairs = (headers: Record<string, string>): HeaderPairs =>
  Object.entries(headers).flatMap(([name, values]) =>
    values.split("\n").map((value): [string, string] => [name.toLowerCase(), value]),
  );

const CODES: readonly [text: RegExp, code: FetchError["code"]][] = [
  [/NAME_NOT_RESOLVED/, "dns_not_found"],
  [/CONNECTION_REFUSED/, "connect_refused"],
  [/CONNECTION_RESET|CONNECTION_CLOSED|EMPTY_RESPONSE/, "reset"],
  [/TUNNEL|PROXY|SOCKS/, "proxy_failed"],
  [/CERT|SSL/, "tls_failed"],
  [/TIMED_OUT/, "connect_timeout"],
  [/ABORTED/, "aborted"],
];

/**
 * The browser's error, such as `net::ERR_CONNECTION_REFUSED`, with the code that Trawl's own requests would give it.
 */
export const browserFailure = (text: string): FetchError =>
  new FetchError(CODES.find(([known]) => known.test(text))?.[1] ?? "failed", text);

export const givenUp = (): FetchError => new FetchError("aborted", "the page was read before the answer came");
