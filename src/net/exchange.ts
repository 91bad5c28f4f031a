/** One request and its answer: undici's dispatch handler, with the limits, the timings and the decoding. */
import { type Dispatcher, errors } from "undici";
import type { Phases } from "./connector.ts";
import { contentCodings, decodeBody } from "./content-coding.ts";
import { Deadlines, type Watch, type Watched } from "./deadlines.ts";
import { type Decoded, noRoom } from "./decompress.ts";
import { classifyError, FetchError } from "./fetch-errors.ts";
import { type HeaderPairs, headerPairs, headerValue, headerValues } from "./headers.ts";
import type { ExchangeReport, FetchLimits, HttpResponse, MayGrow, Timings, Truncation } from "./http-types.ts";
import { flatPairs } from "./request-headers.ts";
import { ByteSink, FetchedResponse } from "./response.ts";

/** The connection as an exchange sees it. */
export interface Carrier {
  /** The time it took to open the connection, for the first request on it; null for later ones. */
  takePhases(): Phases | null;
  readonly httpVersion: "1.1" | "2";
  readonly remoteAddress: string | null;
  /** Through a proxy without a tunnel. */
  readonly forwarded: boolean;
  /** Stops opening the connection, if no other request waits for it. */
  cancel(reason: FetchError): void;
  /** Sends the same exchange once more. */
  resend(exchange: Exchange): void;
  /** The exchange no longer needs the connection. */
  release(failed: boolean): void;
}

export interface ExchangeContext {
  limits: FetchLimits;
  watch: Watch;
  monotonic: () => number;
}

type Codings = ReturnType<typeof contentCodings>;

const NO_CODINGS: Codings = [];
const NO_PHASES: Phases = { dns: 0, connect: 0, tls: 0 };
const ENOUGH = new FetchError("aborted", "enough was read");

export class Exchange implements Dispatcher.DispatchHandler, Watched {
  readonly url: string;
  readonly options: Dispatcher.DispatchOptions;
  readonly response: Promise<HttpResponse>;
  /** Called with the headers as soon as they arrive. */
  onHeaders: ((headers: HeaderPairs) => void) | null = null;
  /** Called before more of the body is kept. */
  mayGrow: MayGrow | null = null;
  /** Called when the exchange has its result. */
  onSettled: (() => void) | null = null;
  /** Called when the request is about to be sent a second time, with what became of the first. */
  onResend: ((error: FetchError) => void) | null = null;

  readonly #context: ExchangeContext;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: FetchError) => void;
  #carrier: Carrier | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #resent = false;

  #status = 0;
  #statusText = "";
  #headers: HeaderPairs = [];
  #codings: Codings = NO_CODINGS;
  #sink: ByteSink | null = null;
  #wireBytes = 0;
  #wireLimit = 0;
  #truncated: Truncation | null = null;

  #phases: Phases | null = null;
  #httpVersion: "1.1" | "2" = "1.1";
  #remoteAddress: string | null = null;
  #startedAt = 0;
  #sentAt = 0;
  #headersAt = 0;

  #deadlines: Deadlines | null = null;

  constructor(url: string, options: Dispatcher.DispatchOptions, context: ExchangeContext) {
    this.url = url;
    this.options = options;
    this.#context = context;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** The next bytes of the connection are the status line of an answer, or a 1xx before it. */
  get awaitsHeaders(): boolean {
    return this.#headersAt === 0;
  }

  /** A connection, open or about to be, takes the request. */
  begin(carrier: Carrier): void {
    this.#carrier = carrier;
    this.#startedAt = this.#context.monotonic();
    this.#deadlines = new Deadlines(this.#context.limits, this.#context.watch.start);
    this.#context.watch.add(this);
  }

  abort(): void {
    this.fail(new FetchError("aborted"));
  }

  fail(error: FetchError): void {
    if (this.#settled) return;
    this.#settle();
    this.#reject(error);
    if (this.#controller !== null) this.#controller.abort(error);
    else this.#carrier?.cancel(error);
  }

  check(now: number): void {
    const broken = this.#deadlines!.broken(now, this.#wireBytes);
    if (broken !== null) this.fail(new FetchError(broken));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, not aborted: the connection is unused and can serve the next request.
    if (this.#settled) throw ENOUGH;
    this.#controller = controller;
    const carrier = this.#carrier!;
    this.#phases = carrier.takePhases();
    this.#httpVersion = carrier.httpVersion;
    this.#remoteAddress = carrier.remoteAddress;
    this.#sentAt = this.#context.monotonic();
    this.#deadlines!.sent(this.#context.watch.start);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    // 1xx answers come before the real one; the headers deadline continues, so an endless series of them ends too.
    if (status < 200 || this.#settled) return;
    const { limits, watch, monotonic } = this.#context;
    this.#status = status;
    this.#statusText = statusText ?? "";
    this.#headers = headerPairs(headers, limits.headerBytes);
    if (status === 407 && this.#carrier!.forwarded) throw new FetchError("proxy_failed", "status 407");
    this.#headersAt = monotonic();
    this.#deadlines!.headersRead(watch.start);
    this.onHeaders?.(this.#headers);
    // Several fields form one list (RFC 9110 section 5.3).
    this.#codings = contentCodings(headerValues(this.#headers, "content-encoding").join());
    // Without compression, the decoded limit can be applied while reading.
    this.#wireLimit = this.#codings.length > 0 ? limits.wireBytes : Math.min(limits.wireBytes, limits.decodedBytes);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    const room = this.#wireLimit - this.#wireBytes;
    if (this.mayGrow?.(this.#wireBytes + Math.min(chunk.length, room)) === false) {
      this.fail(noRoom());
      return;
    }
    this.#sink ??= new ByteSink(Number(headerValue(this.#headers, "content-length")) || 0);
    if (chunk.length <= room) {
      this.#wireBytes += chunk.length;
      this.#sink.write(chunk);
      return;
    }
    if (room > 0) this.#sink.write(chunk.subarray(0, room));
    this.#wireBytes += room;
    this.#truncated = this.#wireLimit === this.#context.limits.wireBytes ? "length" : "decoded";
    this.#complete();
    controller.abort(ENOUGH);
  }

  onResponseEnd(): void {
    this.#complete();
    this.#free(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (!this.#settled) {
      const classified = this.#classify(error);
      // RFC 9112 section 9.3.1: a server may close an idle connection just as we send on it. Nothing was answered, so
      // the request is sent again, once, on a new connection. A request with a body may have been processed, so it is not.
      const stale = classified.code === "reset" && this.#sentAt > 0 && this.#phases === null && this.#headersAt === 0;
      if (stale && !this.#resent && this.options.body === undefined) {
        this.onResend?.(classified);
        this.#resent = true;
        this.#sentAt = 0;
        this.#controller = null;
        this.#deadlines!.connecting();
        this.#carrier!.resend(this);
        return;
      }
      this.#settle();
      this.#reject(classified);
    }
    this.#free(true);
  }

  /** Once the request is sent, a connection error is a broken connection, not a failure to connect. */
  #classify(error: Error): FetchError {
    // undici calls every error of its parser after a Content-Length field by this name; before the headers have ended
    // no body can be too short.
    if (this.#headersAt === 0 && error instanceof errors.ResponseContentLengthMismatchError) {
      return new FetchError("bad_response", "contradictory or broken headers", { cause: error });
    }
    const classified = classifyError(error);
    if (this.#sentAt === 0 || !classified.code.startsWith("connect_")) return classified;
    return new FetchError("reset", classified.detail, { cause: error });
  }

  #settle(): void {
    this.#settled = true;
    this.#context.watch.delete(this);
    this.onSettled?.();
  }

  #free(failed: boolean): void {
    const carrier = this.#carrier;
    this.#carrier = null;
    carrier?.release(failed);
  }

  #complete(): void {
    if (this.#settled) return;
    const endedAt = this.#context.monotonic();
    this.#settle();
    const bytes = this.#sink?.bytes() ?? Buffer.alloc(0);
    try {
      const room = { cap: this.#context.limits.decodedBytes, mayGrow: this.mayGrow };
      const decoded = decodeBody(bytes, this.#codings, room, this.#truncated !== null);
      if (!(decoded instanceof Promise)) this.#resolve(this.#answer(decoded, endedAt));
      else
        decoded
          .then((late) => this.#resolve(this.#answer(late, endedAt)))
          .catch((error) => this.#reject(classifyError(error)));
    } catch (error) {
      this.#reject(classifyError(error));
    }
  }

  #answer(decoded: Decoded, endedAt: number): HttpResponse {
    return new FetchedResponse({
      url: this.url,
      status: this.#status,
      statusText: this.#statusText,
      httpVersion: this.#httpVersion,
      headers: this.#headers,
      body: decoded.body,
      wireBytes: this.#wireBytes,
      truncated: this.#truncated ?? decoded.truncated,
      timings: this.#timings(endedAt),
      remoteAddress: this.#remoteAddress,
      fromCache: false,
    });
  }

  /** What became of it, for an observer; null when no connection ever took it. `now`: wall time. */
  report(outcome: HttpResponse | FetchError, now: number): ExchangeReport | null {
    if (this.#deadlines === null) return null;
    const ended = this.#context.monotonic();
    const response = outcome instanceof FetchError ? null : outcome;
    return {
      startedAt: now - (ended - this.#startedAt),
      method: this.options.method,
      url: this.url,
      requestHeaders: this.#sentHeaders(),
      requestBytes: Buffer.byteLength((this.options.body as string | undefined) ?? ""),
      isSent: this.#sentAt > 0,
      httpVersion: this.#httpVersion,
      status: this.#status === 0 ? null : this.#status,
      statusText: this.#statusText,
      responseHeaders: this.#headers,
      wireBytes: this.#wireBytes,
      decodedBytes: response?.decodedBytes ?? null,
      truncated: response?.truncated ?? this.#truncated,
      timings: response?.timings ?? this.#timings(ended),
      remoteAddress: this.#remoteAddress,
      error: response === null ? (outcome as FetchError) : null,
    };
  }

  /** With those that undici adds. HEAD closes its connection. */
  #sentHeaders(): HeaderPairs {
    const { headers, method } = this.options;
    const given = flatPairs(headers as string[]);
    if (this.#httpVersion === "2") return given;
    const host: HeaderPairs = headerValue(given, "host") === null ? [["host", new URL(this.url).host]] : [];
    return [...host, ["connection", method === "HEAD" ? "close" : "keep-alive"], ...given];
  }

  /** A phase that was not reached took no time. */
  #timings(endedAt: number): Timings {
    const { dns, connect, tls } = this.#phases ?? NO_PHASES;
    const [sentAt, headersAt] = [this.#sentAt || endedAt, this.#headersAt || endedAt];
    const total = endedAt - this.#startedAt;
    return { dns, connect, tls, firstByte: headersAt - sentAt, download: endedAt - headersAt, total };
  }
}
