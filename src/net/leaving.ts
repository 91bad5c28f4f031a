/**
 * Requests that were handed to the client and have not left yet: they wait for a permit, a connection or the machine. Whoever
 * keeps requests apart has to count from when they leave, or those that waited together would leave together.
 */
import type { Exchange } from "./exchange.ts";
import type { OnLeft } from "./http-types.ts";

export class Leaving {
  readonly #waiting = new Map<string, number>();
  readonly #onLeft: OnLeft;
  readonly #beforeResend: (host: string) => Promise<void>;

  constructor(onLeft: OnLeft, beforeResend: (host: string) => Promise<void> = async () => {}) {
    this.#onLeft = onLeft;
    this.#beforeResend = beforeResend;
  }

  #wait(host: string): void {
    this.#waiting.set(host, (this.#waiting.get(host) ?? 0) + 1);
  }

  isWaiting(host: string): boolean {
    return this.#waiting.has(host);
  }

  watch(exchange: Exchange, host: string): void {
    this.#wait(host);
    let hasLeft = false;
    const leave = (isSent: boolean) => {
      if (hasLeft) return;
      hasLeft = true;
      const rest = this.#waiting.get(host)! - 1;
      if (rest === 0) this.#waiting.delete(host);
      else this.#waiting.set(host, rest);
      this.#onLeft(host, isSent);
    };
    const tell = exchange.onSent;
    exchange.onSent = (openedMs) => {
      tell?.(openedMs);
      // The bytes are written right after this call: counted from before, a busy machine would make the interval shorter.
      queueMicrotask(() => leave(true));
    };
    // The connection was closed before it arrived: it leaves once more, and the interval counts from then. When that is heard late,
    // the next request has left already, so this one waits for its turn.
    exchange.beforeResend = async () => {
      await this.#beforeResend(host);
      if (!hasLeft || exchange.settled) return;
      hasLeft = false;
      this.#wait(host);
    };
    exchange.response.then(
      () => leave(false),
      () => leave(false),
    );
  }
}
