/**
 * Keeps requests to a host apart when a connection has to be opened first.
 *
 * The lane releases a request on time, but the first one leaves only when TCP and TLS are done: the second, released on
 * time, would follow it immediately. So while a host has no connection, one request opens it, the others wait until that
 * request is sent (not until it is answered: its page may be slow), and the interval starts again from there.
 */
import type { CrawlContext } from "../../kernel/product.ts";
import type { HttpRequest } from "../../net/client.ts";
import { hostOf } from "../../web/url.ts";
import type { Fetched, Fetcher } from "./fetcher.ts";

export interface PacedFetcherOptions {
  fetcher: Pick<Fetcher, "fetch" | "isConnected" | "readyAt">;
  /** Ms between two requests to a host. */
  intervalMs: (url: string) => number;
}

/**
 * The delay that is tolerated, as a share of the interval. With long intervals the host closes the connection after
 * every answer, and giving up a turn for each of them would halve the rate.
 */
const SMALL_DELAY = 0.05;

export class PacedFetcher {
  readonly #options: PacedFetcherOptions;
  /** By host: settles when the request that opens the connection has been sent and a new interval has begun. */
  readonly #opening = new Map<string, Promise<void>>();

  constructor(options: PacedFetcherOptions) {
    this.#options = options;
  }

  /** When a request may be made: see `Fetcher`. */
  readyAt(): number {
    return this.#options.fetcher.readyAt();
  }

  /** For a request whose turn has come. */
  async fetch(request: HttpRequest, { pace }: Pick<CrawlContext, "pace">): Promise<Fetched> {
    const { fetcher } = this.#options;
    const host = hostOf(request.url);
    for (let opening = this.#opening.get(host); opening !== undefined; opening = this.#opening.get(host)) {
      await opening;
      await pace(host);
    }
    return fetcher.isConnected(request.url) ? fetcher.fetch(request) : this.#open(request, host, () => pace(host));
  }

  #open(request: HttpRequest, host: string, waitForTurn: () => Promise<void>): Promise<Fetched> {
    const { fetcher, intervalMs } = this.#options;
    const { promise: sent, resolve: onSent } = Promise.withResolvers<number>();
    const fetched = fetcher.fetch({ ...request, onSent });
    // Without a connection it is never sent.
    fetched.catch(() => onSent(0));
    const opening = sent.then(async (openedMs) => {
      // Rejects only when the crawl ends; what has been fetched by then still counts.
      if (openedMs > intervalMs(request.url) * SMALL_DELAY) await waitForTurn().catch(() => {});
      this.#opening.delete(host);
    });
    this.#opening.set(host, opening);
    return fetched;
  }
}
