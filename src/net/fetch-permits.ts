/**
 * A cap on requests in flight that several clients share fairly.
 *
 * Each client has its own line, and the lines take turns, so that a crawl with many waiting requests does not keep a small
 * one from its share. A request that waits here has no connection yet: none of its timings have begun.
 */
import type { FetchError } from "./fetch-errors.ts";

/** A waiting request: it may be given up in the meantime. */
interface Waiting {
  readonly settled: boolean;
  fail(error: FetchError): void;
}

export class FetchPermits {
  readonly limit: number;
  /** Lines with waiting requests; the next in turn comes first. */
  readonly #turns: PermitLine[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** A line for one client. */
  line(): PermitLine {
    return new PermitLine(this);
  }

  /** Requests in flight. */
  get taken(): number {
    return this.#taken;
  }

  queue(line: PermitLine): void {
    if (!this.#turns.includes(line)) this.#turns.push(line);
    this.#grant();
  }

  giveBack(): void {
    this.#taken--;
    this.#grant();
  }

  #grant(): void {
    while (this.#taken < this.limit) {
      const line = this.#turns.shift();
      if (line === undefined) return;
      const begin = line.next();
      if (line.isWaiting) this.#turns.push(line);
      if (begin === null) continue;
      this.#taken++;
      begin();
    }
  }
}

export class PermitLine {
  readonly #permits: FetchPermits;
  #waiting: { request: Waiting; begin: () => void }[] = [];
  #onEmpty: (() => void)[] = [];

  constructor(permits: FetchPermits) {
    this.#permits = permits;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Calls `begin` when there is a permit, unless the request was given up by then. */
  enter(request: Waiting, begin: () => void): void {
    this.#waiting.push({ request, begin });
    this.#permits.queue(this);
  }

  /** A request has ended. Called a little later, when its connection is free for the next one. */
  leave(): void {
    queueMicrotask(() => this.#permits.giveBack());
  }

  /** The first request that has not been given up. */
  next(): (() => void) | null {
    let found: (() => void) | null = null;
    while (found === null && this.#waiting.length > 0) {
      const { request, begin } = this.#waiting.shift()!;
      if (!request.settled) found = begin;
    }
    if (this.#waiting.length === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
    return found;
  }

  /** Resolves when no request waits. */
  async empty(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  /** Fails every waiting request. */
  destroy(reason: FetchError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { request } of waiting) request.fail(reason);
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
