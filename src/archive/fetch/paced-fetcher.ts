/**
 * Keeps requests to a host apart when a connection has to be opened first.
 *
 * The lane releases a request on time, but the first one leaves only when TCP and TLS are done: the second, released on
 * time, would follow it immediately. So while there is no connection, one request opens it, the others wait for its
 * answer, and the interval starts again from there.
 */
import type { CrawlContext } from "../../kernel/product.ts";
import type { HttpRequest, HttpResponse } from "../../net/client.ts";
import { hostOf } from "../../web/url.ts";
import type { Fetched, Fetcher } from "./fetcher.ts";

export interface PacedFetcherOptions {
  fetcher: Pick<Fetcher, "fetch" | "openSockets" | "readyAt">;
  /** Ms between two requests to a host. */
  intervalMs: (url: string) => number;
}

/**
 * A delay that is tolerated, as a share of the interval. With long intervals the host closes the connection after every
 * answer, and giving up a turn for each of them would halve the rate.
 */
const SMALL_DELAY = 0.05;

export class PacedFetcher {
  readonly #options: PacedFetcherOptions;
  /** Settles when the request that opens the connection has been answered and a new interval has begun. */
  #opening: Promise<void> | null = null;

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
    const waitForTurn = () => pace(hostOf(request.url));
    while (this.#opening !== null) {
      await this.#opening;
      await waitForTurn();
    }
    return fetcher.openSockets() === 0 ? this.#open(request, waitForTurn) : fetcher.fetch(request);
  }

  async #open(request: HttpRequest, waitForTurn: () => Promise<void>): Promise<Fetched> {
    const { fetcher, intervalMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#opening = promise;
    try {
      const fetched = await fetcher.fetch(request);
      // Rejects only when the crawl ends; what was fetched still counts then.
      if (delayOf(fetched.response) > intervalMs(request.url) * SMALL_DELAY) await waitForTurn().catch(() => {});
      return fetched;
    } finally {
      this.#opening = null;
      resolve();
    }
  }
}

/** How long after its turn a request left. */
const delayOf = ({ timings: { dns, connect, tls } }: HttpResponse): number => dns + connect + tls;
