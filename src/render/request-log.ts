/** The requests of one page: the list for the result, and which of them are worth waiting for. */
import type { Protocol } from "puppeteer-core";
import type { FetchError } from "../net/fetch-errors.ts";
import type { PageRequest } from "./contract.ts";
import { requestType } from "./interception.ts";
import { browserFailure, type ExchangeWatch, givenUp, PageExchange } from "./page-exchange.ts";

/** A page can send requests forever; later ones are only counted. */
const MAX_REQUESTS = 2_000;
const MAX_URL = 8_192;

/** Never awaited: these stay open, or nothing on the page depends on their answers. */
const UNAWAITED = new Set<string | undefined>([
  "EventSource",
  "WebSocket",
  "Ping",
  "Media",
  "CSPViolationReport",
  "Prefetch",
  "SignedExchange",
]);

interface Flight {
  entry: PageRequest;
  startedAt: number;
  awaited: boolean;
  /** For the request trace, if there is one. */
  exchange: PageExchange | null;
}

export class RequestLog {
  readonly requests: PageRequest[] = [];
  omitted = 0;
  /** Grows with every request that begins or ends. */
  traffic = 0;
  /** The page has a real-time channel: socket, event stream or worker. */
  live = false;
  readonly #flights = new Map<string, Flight>();
  readonly #blocked = new Set<string>();
  readonly #hidden = new Set<string>();
  readonly #now: () => number;
  /** A request older than this is a long poll, and no longer awaited. */
  readonly #longMs: number;

  readonly #watch: ExchangeWatch | null;

  constructor(now: () => number, longMs: number, watch: ExchangeWatch | null = null) {
    this.#now = now;
    this.#longMs = longMs;
    this.#watch = watch;
  }

  began(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { url, method } = event.request;
    // Data and blob URLs are read from memory.
    if (!/^https?:/i.test(url) || this.#hidden.has(event.requestId)) return;
    const hop = this.#flights.get(event.requestId);
    if (hop !== undefined && event.redirectResponse) {
      this.answered(event.requestId, event.redirectResponse);
      this.#report(hop, event.redirectResponse.encodedDataLength, null);
    }
    const type = requestType(event.type);
    const entry: PageRequest = { url, method, type, status: null, failed: null, blocked: false };
    entry.blocked = this.#blocked.has(`${event.requestId} ${url}`);
    this.#list(entry);
    this.#takeOff(event.requestId, entry, !UNAWAITED.has(event.type), event.request);
    if (event.type === "EventSource") this.live = true;
    // A ping changes nothing on the page, so it does not count as activity.
    if (event.type !== "Ping") this.traffic++;
  }

  beganSocket(event: Protocol.Network.WebSocketCreatedEvent): void {
    this.live = true;
    const entry: PageRequest = {
      url: event.url,
      method: "GET",
      type: "websocket",
      status: null,
      failed: null,
      blocked: false,
    };
    this.#list(entry);
    this.#takeOff(event.requestId, entry, false, { url: event.url });
  }

  /** The browser may report that a request, or a hop of one, is paused before it reports the request itself. */
  blocked(requestId: string, url: string): void {
    const flight = this.#flights.get(requestId);
    if (flight?.entry.url === url) flight.entry.blocked = true;
    else this.#blocked.add(`${requestId} ${url}`);
  }

  /** A request of the browser itself, not of the page. */
  hide(requestId: string): void {
    this.#hidden.add(requestId);
    const flight = this.#flights.get(requestId);
    if (flight === undefined) return;
    this.#flights.delete(requestId);
    const place = this.requests.indexOf(flight.entry);
    if (place !== -1) this.requests.splice(place, 1);
  }

  answered(requestId: string, answer: Parameters<PageExchange["answered"]>[0]): void {
    const flight = this.#flights.get(requestId);
    if (flight === undefined) return;
    flight.entry.status = answer.status;
    flight.exchange?.answered(answer);
  }

  /** `bytes`: everything received. */
  finished(requestId: string, bytes = 0): void {
    this.#land(requestId, bytes, null);
  }

  failed(requestId: string, reason: string): void {
    const flight = this.#flights.get(requestId);
    if (flight === undefined) return;
    if (!flight.entry.blocked) flight.entry.failed = reason;
    this.#land(requestId, 0, reason);
  }

  /** The page has been read, or is no longer wanted: requests still in flight are given up. */
  close(): void {
    for (const flight of this.#flights.values()) this.#report(flight, 0, givenUp());
    this.#flights.clear();
  }

  #takeOff(
    requestId: string,
    entry: PageRequest,
    awaited: boolean,
    request: ConstructorParameters<typeof PageExchange>[1],
  ): void {
    const exchange = this.#watch === null ? null : new PageExchange(this.#watch, request);
    this.#flights.set(requestId, { entry, startedAt: this.#now(), awaited, exchange });
  }

  #land(requestId: string, bytes: number, reason: string | null): void {
    const flight = this.#flights.get(requestId);
    if (flight === undefined) return;
    this.#flights.delete(requestId);
    this.#report(flight, bytes, reason === null ? null : browserFailure(reason));
    this.traffic++;
  }

  /** A blocked request was never sent. */
  #report({ entry, exchange }: Flight, bytes: number, failure: FetchError | null): void {
    if (!entry.blocked) exchange?.end(bytes, failure);
  }

  /** How many requests in flight are worth waiting for. */
  get pending(): number {
    const oldest = this.#now() - this.#longMs;
    let pending = 0;
    for (const flight of this.#flights.values()) if (flight.awaited && flight.startedAt > oldest) pending++;
    return pending;
  }

  #list(entry: PageRequest): void {
    if (this.requests.length < MAX_REQUESTS && entry.url.length <= MAX_URL) this.requests.push(entry);
    else this.omitted++;
  }
}
