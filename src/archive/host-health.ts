/**
 * Decides who is at fault when a page cannot be fetched: the page or its host. A page is given up only when its host
 * answered another request that was sent no earlier.
 */
import type { Note } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";

const NOTE_PREFIX = "good:";

interface Health {
  /** The number of the last request that was answered well. */
  good: number;
  /** Another page failed too, and no request has been answered well since. */
  isIll: boolean;
  /** A page that the host served. It is requested again to see whether the host still answers. */
  page: string | null;
  /** The page that the ledger remembers. */
  noted: string | null;
}

/** How many times in a row the host turned a page away, and how many of these times it answered other pages. */
export interface SentAway {
  times: number;
  alone: number;
}

export class HostHealth {
  readonly #hosts = new Map<string, Health>();
  /** By id. */
  readonly #sentAway = new Map<number, SentAway & { request: number }>();
  #requests = 0;

  recoverNote({ key, value }: Note): void {
    if (key.startsWith(NOTE_PREFIX)) this.#of(key.slice(NOTE_PREFIX.length)).noted = value;
  }

  /** A request is about to be sent. Returns its number. */
  sent(): number {
    return ++this.#requests;
  }

  answered(host: string, request: number): void {
    const health = this.#of(host);
    health.good = Math.max(health.good, request);
    health.isIll = false;
  }

  /** The host served a page. That page is remembered; the first one is remembered across restarts too. */
  served({ key, lane }: Task, context: Pick<CrawlContext, "note">): void {
    const health = this.#of(lane);
    health.page = key;
    if (health.noted !== null) return;
    health.noted = key;
    context.note({ key: NOTE_PREFIX + lane, value: key });
  }

  /** The host asked for a rest instead of an answer. */
  sentAway({ id, lane }: Task, request: number): SentAway {
    const before = this.#sentAway.get(id);
    const isAlone = before !== undefined && this.isWell(lane, before.request);
    const now = { times: (before?.times ?? 0) + 1, alone: (before?.alone ?? 0) + Number(isAlone), request };
    this.#sentAway.set(id, now);
    return now;
  }

  /** The page itself got an answer or an error. */
  heard({ id }: Task): void {
    this.#sentAway.delete(id);
  }

  /** A page that the host served before cannot be fetched either. */
  failed(host: string): void {
    this.#of(host).isIll = true;
  }

  isIll(host: string): boolean {
    return this.#of(host).isIll;
  }

  /** The host has answered this request, or a later one. */
  isWell(host: string, request: number): boolean {
    return this.#of(host).good >= request;
  }

  /** Another page that the host has served; null if there isn't one. */
  otherPage({ key, lane }: Task): string | null {
    const { page, noted } = this.#of(lane);
    return [page, noted].find((url) => url !== null && url !== key) ?? null;
  }

  #of(host: string): Health {
    let health = this.#hosts.get(host);
    if (health === undefined) {
      health = { good: 0, isIll: false, page: null, noted: null };
      this.#hosts.set(host, health);
    }
    return health;
  }
}
