/** The requests of sources: sent in the turn of the host's lane, retried when that may help, and limited in size. */
import { backOff } from "../../kernel/back-off.ts";
import { type Clock, sleep } from "../../kernel/clock.ts";
import type { Turn } from "../../kernel/product.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import type { HttpRequest, HttpResponse } from "../../net/http-types.ts";
import { isRetryable, laneSignal } from "../../politeness/host-lane.ts";

export interface SourceClientOptions {
  fetch: (request: HttpRequest) => Promise<HttpResponse>;
  turn: (lane: string) => Promise<Turn>;
  clock: Clock;
  signal?: AbortSignal;
  /** How often a request is tried; 5 times unless given. */
  attempts?: number;
  /** How long one attempt may take, waiting for its turn included; unlimited unless given. */
  patienceMs?: number;
  /** Called with the status of each answer, `error` for none, and how long it took. */
  onAnswer?: (status: string, seconds: number, url: string) => void;
}

/** A page of 1,000 repos has 150 KB, one of PLC operations 1.5 MB. */
const MAX_TEXT_BYTES = 64_000_000;
const ATTEMPTS = 5;
const RETRY = { firstMs: 1_000, maxMs: 60_000 };
/** How often one page of a source may be throttled; the lane waits each time as long as the server asked. */
const MOST_THROTTLES = 100;

/** An answer that a source cannot use. `status` is null when the server did not answer. */
export class SourceError extends Error {
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.name = "SourceError";
    this.status = status;
  }

  get isNotFound(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

export class SourceClient {
  readonly #options: SourceClientOptions;

  constructor(options: SourceClientOptions) {
    this.#options = options;
  }

  async json(url: string): Promise<unknown> {
    const text = await this.text(url);
    try {
      return JSON.parse(text);
    } catch {
      throw new SourceError(`${url} answered something that is not JSON`, 200);
    }
  }

  /** The body of a 200. Rejects with a SourceError, or with the lane's error when the crawl stops. */
  async text(url: string): Promise<string> {
    let throttles = 0;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(url);
      const status = answer instanceof FetchError ? null : answer.status;
      if (status === 200) {
        const { body, truncated } = answer as HttpResponse;
        if (truncated !== null || body.length > MAX_TEXT_BYTES) throw new SourceError(`${url} answered too much`, 200);
        return body.toString("utf8");
      }
      if (status === 429 && ++throttles <= MOST_THROTTLES) {
        attempt--;
        continue;
      }
      const outcome = answer instanceof FetchError ? answer : answer.status;
      if (attempt >= (this.#options.attempts ?? ATTEMPTS) || !isRetryable(outcome))
        throw new SourceError(describe(url, answer), status);
      await sleep(this.#options.clock, backOff(RETRY, attempt), this.#options.signal);
    }
  }

  async #once(url: string): Promise<HttpResponse | FetchError> {
    const { clock, signal, patienceMs } = this.#options;
    if (patienceMs === undefined) return this.#send(url, signal);
    const giveUp = new AbortController();
    const cancel = clock.after(patienceMs, () => giveUp.abort());
    const late = new Promise<FetchError>((resolve) => {
      giveUp.signal.addEventListener("abort", () => resolve(new FetchError("total_timeout")), { once: true });
    });
    const signals = signal === undefined ? giveUp.signal : AbortSignal.any([signal, giveUp.signal]);
    const sent = this.#send(url, signals);
    // When it is given up, nobody waits for its turn any more.
    sent.catch(() => {});
    try {
      return await Promise.race([sent, late]);
    } finally {
      cancel();
    }
  }

  async #send(url: string, signal: AbortSignal | undefined): Promise<HttpResponse | FetchError> {
    const { fetch, turn, clock, onAnswer } = this.#options;
    const { done } = await turn(new URL(url).origin);
    const begun = clock.now();
    let answer: HttpResponse | FetchError;
    try {
      answer = await fetch({ url, signal, headers: { accept: "application/json, */*;q=0.1" } });
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      answer = error;
    }
    done(laneSignal(answer, clock.now()));
    onAnswer?.(answer instanceof FetchError ? "error" : `${answer.status}`, (clock.now() - begun) / 1000, url);
    if (answer instanceof FetchError && answer.code === "aborted") throw answer;
    return answer;
  }
}

const describe = (url: string, answer: HttpResponse | FetchError): string =>
  answer instanceof FetchError ? `${url}: ${answer.message}` : `${url} answered ${answer.status}`;
