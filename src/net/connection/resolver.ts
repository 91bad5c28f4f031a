/** Resolves host names: one lookup for many connections, cached for a while. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { classifyError, FetchError } from "../fetch-errors.ts";
import type { Lookup, ResolvedAddress } from "../http-types.ts";

/** A crawl of many small hosts must not keep every name it has seen. */
const MAX_NAMES = 10_000;

/** getaddrinfo does not return a lifetime; a minute is the usual minimum in public DNS, and short enough to follow a failover. */
const KEEP_MS = 60_000;

export const systemLookup: Lookup = (hostname) => lookup(hostname, { all: true, order: "verbatim" });

interface Remembered {
  addresses: ResolvedAddress[];
  until: number;
}

export class Resolver {
  readonly #lookup: Lookup;
  readonly #now: () => number;
  readonly #known = new Map<string, Remembered>();
  readonly #asking = new Map<string, Promise<ResolvedAddress[]>>();

  constructor(lookup: Lookup, now: () => number) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** The addresses if no lookup is needed; null otherwise. */
  peek(host: string): ResolvedAddress[] | null {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const known = this.#known.get(host);
    if (known === undefined) return null;
    if (known.until > this.#now()) return known.addresses;
    this.#known.delete(host);
    return null;
  }

  resolve(host: string): Promise<ResolvedAddress[]> {
    const known = this.peek(host);
    if (known !== null) return Promise.resolve(known);
    let asking = this.#asking.get(host);
    if (asking === undefined) {
      asking = this.#ask(host).finally(() => this.#asking.delete(host));
      this.#asking.set(host, asking);
    }
    return asking;
  }

  async #ask(host: string): Promise<ResolvedAddress[]> {
    let addresses: ResolvedAddress[];
    try {
      addresses = await this.#lookup(host);
    } catch (error) {
      const classified = classifyError(error);
      throw classified.code.startsWith("dns_") ? classified : new FetchError("dns_failed", classified.detail);
    }
    if (addresses.length === 0) throw new FetchError("dns_not_found");
    if (this.#known.size >= MAX_NAMES) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(host, { addresses, until: this.#now() + KEEP_MS });
    return addresses;
  }
}
