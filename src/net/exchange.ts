/** One request and its answer: undici's dispatch handler, with the limits, the timings and the decoding. */
import { type Dispatcher, errors } from "undici";
import { type BodyBudget, type BodyShare, SMALL_BODY_BYTES } from "./body-budget.ts";
import { BodyIntake, type BodyOverflow } from "./body-intake.ts";
import type { Carrier } from "./carrier.ts";
import type { Phases } from "./connection/connector.ts";
import { contentCodings } from "./content-coding.ts";
import { Deadlines, type Watch, type Watched } from "./deadlines.ts";
import { type Decoded, noRoom } from "./decompress.ts";
import { classifyError, FetchError, isClosed } from "./fetch-errors.ts";
import { type HeaderPairs, headerPairs, headerValue, headerValues } from "./headers.ts";
import type { ExchangeReport, FetchLimits, HttpResponse, MayGrow, Timings, Truncation } from "./http-types.ts";
import { sentHeaders } from "./request-headers.ts";
import { FetchedResponse } from "./response.ts";

export interface ExchangeContext {
  limits: FetchLimits;
  watch: Watch;
  bodies: BodyBudget;
  monotonic: () => number;
}

type Codings = ReturnType<typeof contentCodings>;

/** What may come that is not content, beyond what the headers and the body itself justify: frames, chunk sizes, interim answers. */
export const OVERHEAD_BYTES = 1024 * 1024;
/** A body in chunks of one byte has five to eight bytes around each. */
const OVERHEAD_PER_BYTE = 8;

const NO_CODINGS: Codings = [];
const NO_PHASES: Phases = { dns: 0, connect: 0, tls: 0 };
/** After so much of a body, its rest may be as long. */
const MUCH_BYTES = 1_000_000;
const ENOUGH = new FetchError("aborted", "enough was read");

export class Exchange implements Dispatcher.DispatchHandler, Watched {
  readonly url: string;
  readonly options: Dispatcher.DispatchOptions;
  readonly response: Promise<HttpResponse>;
  /** Called with the headers as soon as they arrive. */
  onHeaders: ((headers: HeaderPairs) => void) | null = null;
  /** Called when the request is sent, with the ms it took to open a connection. */
  onSent: ((openedMs: number) => void) | null = null;
  /** Asked once more when its connection is open; null: always. */
  maySend: (() => boolean) | null = null;
  /** Called before more of the body is kept. */
  mayGrow: MayGrow | null = null;
  /** Called when it refused; null: the request is given up. */
  overflow: (() => BodyOverflow | null) | null = null;
  /** What the body uses of the shared memory; null until it needs one, if the caller gave none. */
  share: BodyShare | null = null;
  /** Called when the exchange has its result. */
  onSettled: (() => void) | null = null;
  /** Called when the request is about to be sent a second time, with what became of the first. */
  onResend: ((error: FetchError) => void) | null = null;
  /** Resolves when it may be sent a second time; null: at once. */
  beforeResend: (() => Promise<void>) | null = null;

  readonly #context: ExchangeContext;
  #ownShare: BodyShare | null = null;
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
  #body: BodyIntake | null = null;
  #wireBytes = 0;
  #wireLimit = 0;
  #truncated: Truncation | null = null;

  #phases: Phases | null = null;
  #httpVersion: "1.1" | "2" = "1.1";
  #remoteAddress: string | null = null;
  #tls: Carrier["tls"] = null;
  #startedAt = 0;
  #sentAt = 0;
  #headersAt = 0;

  #deadlines: Deadlines | null = null;
  /** Nothing is read until there is memory for more, or what came is on the disk. */
  #isWaiting = false;

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
    this.#deadlines = new Deadlines(this.#context.limits);
    this.#context.watch.add(this);
  }

  abort(): void {
    this.fail(new FetchError("aborted"));
  }

  fail(error: FetchError): void {
    if (this.#settled) return;
    this.#settle();
    this.#release();
    this.#reject(error);
    if (this.#controller !== null) this.#controller.abort(error);
    else this.#carrier?.cancel(error);
  }

  check(now: number): void {
    // That it waits for memory or the disk is not the server's fault.
    if (this.#isWaiting) return;
    const broken = this.#deadlines!.broken(now, this.#wireBytes);
    if (broken !== null) this.fail(new FetchError(broken));
    else this.arrived();
  }

  /** Something may have arrived: there is a limit to all bytes, and the total time goes on however busy this process is. */
  arrived(): void {
    if (this.#isWaiting) return;
    const { limits, monotonic } = this.#context;
    if (monotonic() - this.#startedAt > limits.totalMs) this.fail(new FetchError("total_timeout"));
    else this.checkBytes();
  }

  /** Ends an answer that consists of anything but content. The connection is closed with it. */
  checkBytes(): void {
    const carrier = this.#carrier;
    if (this.#settled || carrier === null || this.#sentAt === 0) return;
    const { headerBytes, wireBytes } = this.#context.limits;
    const { bytesRead, bodyBytes, carried } = carrier;
    const overhead = bytesRead - bodyBytes;
    const allowed =
      OVERHEAD_BYTES + 2 * headerBytes * carried + Math.min(OVERHEAD_PER_BYTE * bodyBytes, wireBytes * carried);
    if (overhead <= allowed) return;
    const error = new FetchError("too_much_overhead", `${overhead} bytes that are not content`);
    this.fail(error);
    carrier.close(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#settled && this.maySend?.() === false) this.abort();
    // Thrown, not aborted: the connection is unused and can serve the next request.
    if (this.#settled) throw ENOUGH;
    // undici sends a request that the server refused over HTTP/2 a second time by itself, at once. That is for the caller to
    // decide, who knows the host's pace.
    if (this.#sentAt > 0) throw new FetchError("reset", "the server refused the request");
    this.#controller = controller;
    const carrier = this.#carrier!;
    this.#phases = carrier.takePhases();
    this.#httpVersion = carrier.httpVersion;
    this.#remoteAddress = carrier.remoteAddress;
    this.#tls = carrier.tls;
    this.#sentAt = this.#context.monotonic();
    this.#deadlines!.sent(this.#context.watch.start);
    const { dns, connect, tls } = this.#phases ?? NO_PHASES;
    this.onSent?.(dns + connect + tls);
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
    if (this.#carrier !== null) this.#carrier.bodyBytes += chunk.length;
    if (this.#settled) return;
    const kept = chunk.subarray(0, this.#wireLimit - this.#wireBytes);
    this.#body ??= new BodyIntake(Number(headerValue(this.#headers, "content-length")) || 0, this);
    const stored = this.#body.write(kept);
    if (stored === false) {
      this.fail(noRoom());
      return;
    }
    if (stored !== true) stored.catch((error) => this.fail(classifyError(error)));
    this.#wireBytes += kept.length;
    if (kept.length === chunk.length) {
      if (stored !== true) this.#waitFor(controller, (goOn) => void stored.then(goOn, () => {}));
      else if (!this.#count(chunk.length)) this.#waitFor(controller, (goOn) => this.share!.wait(goOn));
      return;
    }
    this.#truncated = this.#wireLimit === this.#context.limits.wireBytes ? "length" : "decoded";
    const carrier = this.#carrier;
    this.#complete();
    controller.abort(ENOUGH);
    if (this.#wireBytes >= MUCH_BYTES) carrier?.retire();
  }

  /** Whether there is memory for more. Small bodies are counted only if the caller wants to keep them. */
  #count(bytes: number): boolean {
    if (this.mayGrow !== null) return true;
    if (this.share !== null) return this.share.add(bytes);
    if (this.#wireBytes <= SMALL_BODY_BYTES) return true;
    this.share = this.#ownShare = this.#context.bodies.open();
    return this.share.add(this.#wireBytes);
  }

  #waitFor(controller: Dispatcher.DispatchController, wait: (goOn: () => void) => void): void {
    if (this.#isWaiting) return;
    const { monotonic, watch } = this.#context;
    const since = monotonic();
    this.#isWaiting = true;
    controller.pause();
    const goOn = () => {
      this.#isWaiting = false;
      if (this.#settled) return;
      const waited = monotonic() - since;
      this.#deadlines!.waited(watch.start, waited);
      this.#startedAt += waited;
      controller.resume();
    };
    // Later, because undici's parser may be in the middle of another body, whose end gave room to this one.
    wait(() => queueMicrotask(goOn));
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
      const stale = isClosed(error) && this.#sentAt > 0 && this.#phases === null && this.#headersAt === 0;
      if (stale && !this.#resent && this.options.body === undefined) {
        this.onResend?.(classified);
        this.#resent = true;
        this.#sentAt = 0;
        this.#controller = null;
        this.#context.watch.delete(this);
        this.#carrier!.resend(this);
        return;
      }
      this.#settle();
      this.#release();
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
    const classified = this.#withAnswer(classifyError(error), this.#context.monotonic());
    if (this.#sentAt === 0 || !classified.code.startsWith("connect_")) return classified;
    return new FetchError("reset", classified.detail, { cause: error });
  }

  /** The answer is out of our hands, or never came. */
  #release(): void {
    this.#ownShare?.[Symbol.dispose]();
    this.#ownShare = null;
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
    try {
      const { limits, bodies } = this.#context;
      if (this.#codings.length > 0 && this.mayGrow === null) this.share ??= this.#ownShare = bodies.open();
      const room = { cap: limits.decodedBytes, mayGrow: this.mayGrow, share: this.share };
      const decoded = (this.#body ?? new BodyIntake(0, this)).decode(this.#codings, room, this.#truncated !== null);
      if (!(decoded instanceof Promise)) this.#deliver(decoded, endedAt);
      else decoded.then((late) => this.#deliver(late, endedAt)).catch((error) => this.#refuse(error, endedAt));
    } catch (error) {
      this.#refuse(error, endedAt);
    }
  }

  #deliver(decoded: Decoded, endedAt: number): void {
    this.#release();
    this.#resolve(this.#answer(decoded, endedAt));
  }

  #refuse(error: unknown, endedAt: number): void {
    this.#release();
    const refused = this.#withAnswer(classifyError(error), endedAt);
    // Of redirects and errors the body is not needed.
    if (refused.answer !== null && (this.#status < 200 || this.#status > 299)) this.#resolve(refused.answer);
    else this.#reject(refused);
  }

  /** A body that cannot be decoded does not make the status and headers worthless. */
  #withAnswer(error: FetchError, endedAt: number): FetchError {
    if (error.code === "bad_encoding" && this.#status !== 0)
      error.answer = this.#answer({ body: Buffer.alloc(0), truncated: "encoding" }, endedAt);
    return error;
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
      tls: this.#tls,
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
      requestHeaders: sentHeaders(this.options, this.url, this.#httpVersion),
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

  /** A phase that was not reached took no time. */
  #timings(endedAt: number): Timings {
    const { dns, connect, tls } = this.#phases ?? NO_PHASES;
    const [sentAt, headersAt] = [this.#sentAt || endedAt, this.#headersAt || endedAt];
    const total = endedAt - this.#startedAt;
    return { dns, connect, tls, firstByte: headersAt - sentAt, download: endedAt - headersAt, total };
  }
}
