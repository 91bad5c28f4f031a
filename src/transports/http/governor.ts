/**
 * What clients may have active at once: calls, event streams and crawls, each with a limit per client and one for all
 * clients together. A client that reaches its own limit gets 429; if the server as a whole is full, 503; both say when to try again.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { AdmitCrawl } from "../../app/crawls/active-crawls.ts";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { CLIENT_LIMITS, type ClientLimits } from "./limits.ts";

interface Client {
  /** Calls that the client may make now; one is added every `1 / callsPerSecond`. */
  calls: number;
  /** When `calls` was computed. */
  at: number;
  underWay: number;
  streams: number;
  startingCrawls: number;
  readonly crawls: Set<number>;
}

export interface GovernorParts {
  clock: Clock;
  /** Whether a crawl that was started here has not ended yet, paused or not. */
  isCrawling: (crawlId: number) => boolean;
  limits?: Partial<ClientLimits>;
}

/** Beyond this many, idle clients are forgotten. */
const REMEMBERED = 1_000;
/** When to try again if the wait has no known end. */
const SOON = 1;
const CRAWL_ENDS = 10;

export class Governor {
  readonly #parts: GovernorParts;
  readonly #limits: ClientLimits;
  readonly #clients = new Map<string, Client>();
  /** The client whose request is being answered, so that any crawl it starts, through whatever transport, counts as its own. */
  readonly #current = new AsyncLocalStorage<Client>();
  #underWay = 0;
  #streams = 0;

  constructor(parts: GovernorParts) {
    this.#parts = parts;
    this.#limits = { ...CLIENT_LIMITS, ...parts.limits };
  }

  /** Answers a request of this client, or throws. */
  async call<Answer>(name: string, answer: () => Promise<Answer>): Promise<Answer> {
    const client = this.#client(name);
    const { burst, callsPerSecond, callsAtOnce, allCallsAtOnce } = this.#limits;
    const now = this.#parts.clock.now();
    client.calls = Math.min(burst, client.calls + (Math.max(0, now - client.at) * callsPerSecond) / 1_000);
    client.at = now;
    if (client.calls < 1) throw tooMany(`more than ${callsPerSecond} calls per second`, SOON);
    if (client.underWay >= callsAtOnce) throw tooMany(`${client.underWay} calls under way`, SOON);
    if (this.#underWay >= allCallsAtOnce) throw busy(`${this.#underWay} calls are under way`, SOON);
    client.calls--;
    client.underWay++;
    this.#underWay++;
    try {
      return await this.#current.run(client, answer);
    } finally {
      client.underWay--;
      this.#underWay--;
    }
  }

  /** Counts an event stream of this client until the function that it returns is called, or throws. */
  openStream(name: string): () => void {
    const client = this.#client(name);
    const { streams, allStreams } = this.#limits;
    if (client.streams >= streams) throw tooMany(`${client.streams} event streams open`, SOON);
    if (this.#streams >= allStreams) throw busy(`${this.#streams} event streams are open`, SOON);
    client.streams++;
    this.#streams++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      client.streams--;
      this.#streams--;
    };
  }

  /** For the app: every crawl that is started while a request is answered counts for that request's client. */
  readonly admitCrawl: AdmitCrawl = () => {
    const client = this.#current.getStore();
    if (client === undefined) return () => {};
    const { crawls, allCrawls } = this.#limits;
    const own = this.#crawlsOf(client);
    if (own >= crawls) throw tooMany(`${own} crawls under way`, CRAWL_ENDS);
    const all = [...this.#clients.values()].reduce((sum, each) => sum + this.#crawlsOf(each), 0);
    if (all >= allCrawls) throw busy(`${all} crawls are under way`, CRAWL_ENDS);
    client.startingCrawls++;
    return (crawlId) => {
      client.startingCrawls--;
      if (crawlId !== null) client.crawls.add(crawlId);
    };
  };

  #crawlsOf({ startingCrawls, crawls }: Client): number {
    for (const id of [...crawls]) if (!this.#parts.isCrawling(id)) crawls.delete(id);
    return startingCrawls + crawls.size;
  }

  #client(name: string): Client {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    if (this.#clients.size >= REMEMBERED) this.#forgetIdle();
    const { burst } = this.#limits;
    const client = { calls: burst, at: 0, underWay: 0, streams: 0, startingCrawls: 0, crawls: new Set<number>() };
    this.#clients.set(name, client);
    return client;
  }

  #forgetIdle(): void {
    for (const [name, client] of this.#clients) {
      if (client.underWay === 0 && client.streams === 0 && this.#crawlsOf(client) === 0) this.#clients.delete(name);
    }
  }
}

const tooMany = (what: string, retryAfterSeconds: number): TrawlError =>
  new TrawlError("TOO_MANY_REQUESTS", `This client has ${what}, the maximum.`, { retryAfterSeconds });

const busy = (what: string, retryAfterSeconds: number): TrawlError =>
  new TrawlError("SERVER_BUSY", `On this server, ${what}, the maximum.`, { retryAfterSeconds });
