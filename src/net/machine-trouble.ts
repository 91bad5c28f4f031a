/**
 * Failures of this machine, not of a host: no file descriptors, memory or ports left, or no network. The fetch waits and is
 * sent again, with fewer at once, as if it had not been tried. If nothing works for a while, it rejects with a TrawlError
 * rather than a FetchError: the page stays open, and the crawl ends so that it can be resumed.
 */
import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import { TrawlError } from "../errors.ts";
import { backOff } from "../kernel/back-off.ts";
import type { Clock } from "../kernel/clock.ts";
import { addressKind } from "./connection/egress.ts";
import { FetchError } from "./fetch-errors.ts";
import type { HttpResponse, Lookup } from "./http-types.ts";

/** Whoever is asked, these are ours. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: "Trawl has run out of file descriptors (EMFILE): raise the limit with `ulimit -n`.",
  ENFILE: "This machine has run out of file descriptors (ENFILE): close other programs, or raise its limit.",
  ENOMEM: "This machine has no memory left for connections (ENOMEM).",
  ENOBUFS: "This machine has no memory left for connections (ENOBUFS).",
  EAI_MEMORY: "This machine has no memory left to look up host names (EAI_MEMORY).",
};
const NO_PORTS = "This machine has no free ports left for connections (EADDRNOTAVAIL): crawl with fewer connections.";
const NO_ROUTE = "This machine has lost its network.";
const NO_RESOLVER = "This machine's name server does not answer any more (EAI_AGAIN).";

export interface MachineTroubleOptions {
  clock: Clock;
  monotonic: () => number;
  lookup: Lookup;
  /** Whether there is a way to an address. Nothing is sent. */
  hasRoute?: (address: string) => Promise<boolean>;
  /** Frees what can be spared, such as unused connections. */
  onShortage: () => void;
  /** Called when trouble begins, changes, and is over (null). */
  onChange: (trouble: string | null) => void;
}

/** How long nothing may work before it is given up. */
export const MACHINE_PATIENCE_MS = 30_000;
const RETRY = { firstMs: 250, maxMs: 5_000 };
/** For this long it is said that there is trouble, even if requests succeed in between. */
const SAID_MS = 5_000;
/** Above this many requests at once, a limit limits nothing. */
const PLENTY = 1_000;
/** For the origins that answered: the oldest are forgotten. */
const MAX_ORIGINS = 10_000;

interface Answered {
  hostname: string;
  address: string;
}

export class MachineTrouble {
  readonly #options: MachineTroubleOptions;
  readonly #answered = new Set<string>();
  /** The last host outside this machine that answered: while it can be reached, a failure is another host's own. */
  #last: Answered | null = null;
  /** Requests that may run at once. */
  #allowed = Number.POSITIVE_INFINITY;
  #running = 0;
  readonly #waiting = new Set<() => void>();
  readonly #ends = new Set<(error: FetchError) => void>();
  /** When it began that nothing works; null while something does. */
  #since: number | null = null;
  #lastAt = 0;
  #text: string | null = null;

  constructor(options: MachineTroubleOptions) {
    this.#options = options;
  }

  async run(url: URL, signal: AbortSignal | undefined, send: () => Promise<HttpResponse>): Promise<HttpResponse> {
    for (let failures = 1; ; failures++) {
      while (this.#running >= this.#allowed) await this.#until((resolve) => this.#queue(resolve), signal);
      this.#running++;
      try {
        const response = await send();
        this.#works(url, response);
        return response;
      } catch (error) {
        const trouble = await this.#troubleBehind(error, url);
        if (trouble === null) throw error;
        this.#suffers(trouble);
      } finally {
        this.#running--;
        for (const resolve of this.#waiting) resolve();
      }
      const waitMs = backOff(RETRY, failures);
      await this.#until((resolve) => this.#options.clock.after(waitMs, resolve), signal);
    }
  }

  /** Ends what waits. */
  destroy(reason: FetchError): void {
    for (const end of this.#ends) end(reason);
  }

  #queue(resolve: () => void): () => void {
    this.#waiting.add(resolve);
    return () => void this.#waiting.delete(resolve);
  }

  /** `begin` is given what to call when the wait is over, and returns how to cancel it. */
  #until(begin: (resolve: () => void) => () => void, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const clean = () => {
        cancel();
        this.#ends.delete(end);
        signal?.removeEventListener("abort", abort);
      };
      const end = (error: FetchError) => {
        clean();
        reject(error);
      };
      const abort = () => end(new FetchError("aborted"));
      const cancel = begin(() => {
        clean();
        resolve();
      });
      this.#ends.add(end);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
    });
  }

  #works({ origin, hostname }: URL, { remoteAddress: address }: HttpResponse): void {
    if (this.#allowed !== Number.POSITIVE_INFINITY) {
      this.#allowed += 1 / this.#allowed;
      if (this.#allowed > PLENTY) this.#allowed = Number.POSITIVE_INFINITY;
    }
    if (address !== null && this.#last?.hostname !== hostname && addressKind(address) !== "loopback") {
      this.#last = { hostname, address };
    }
    if (!this.#answered.has(origin)) {
      if (this.#answered.size >= MAX_ORIGINS) this.#answered.delete(this.#answered.keys().next().value!);
      this.#answered.add(origin);
    }
    this.#since = null;
    if (this.#text !== null && this.#options.monotonic() - this.#lastAt >= SAID_MS) this.#say(null);
  }

  #suffers({ text, isShortage }: Trouble): void {
    const now = this.#options.monotonic();
    this.#since ??= now;
    this.#lastAt = now;
    this.#say(text);
    if (isShortage) {
      this.#allowed = Math.max(1, Math.floor(Math.min(this.#allowed, this.#running) / 2));
      this.#options.onShortage();
    }
    if (now - this.#since >= MACHINE_PATIENCE_MS) throw new TrawlError("MACHINE_TROUBLE", text);
  }

  #say(text: string | null): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#options.onChange(text);
  }

  /** Null for what the host is to blame for. */
  async #troubleBehind(error: unknown, { origin }: URL): Promise<Trouble | null> {
    const code = systemCode(error);
    if (code === null) return null;
    const shortage = SHORTAGES[code];
    if (shortage !== undefined) return { text: shortage, isShortage: true };
    if (code === "EADDRNOTAVAIL") return this.#answered.has(origin) ? { text: NO_PORTS, isShortage: true } : null;
    if (this.#last === null) return null;
    const { lookup, hasRoute = routeTo } = this.#options;
    const { hostname, address } = this.#last;
    if (code === "ENETUNREACH" || code === "ENETDOWN") {
      return (await hasRoute(address)) ? null : { text: NO_ROUTE, isShortage: false };
    }
    if (code !== "EAI_AGAIN" || /^[\d.]+$|:/.test(hostname)) return null;
    const again = await lookup(hostname).catch(systemCode);
    return again === "EAI_AGAIN" ? { text: NO_RESOLVER, isShortage: false } : null;
  }
}

interface Trouble {
  text: string;
  isShortage: boolean;
}

/** The system's code behind an error and its causes. */
function systemCode(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errors } = at as { code?: unknown; errors?: unknown };
    if (typeof code === "string" && /^E[A-Z_]+$/.test(code)) return code;
    if (at instanceof FetchError && at.detail !== null && /^E[A-Z_]+$/.test(at.detail)) return at.detail;
    // With several addresses, the first is the preferred one.
    if (Array.isArray(errors) && errors.length > 0) return systemCode(errors[0]);
  }
  return null;
}

/** Connecting a UDP socket sends nothing, but fails where there is no route. */
function routeTo(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    const end = (isThere: boolean) => {
      socket.close();
      resolve(isThere);
    };
    socket.once("error", () => end(false));
    socket.connect(9, address, () => end(true));
  });
}
