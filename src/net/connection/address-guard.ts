/**
 * Which addresses a connection may go to. A host that the user named may be private, but stays where it was when the crawl
 * began: a public name that later resolves to 127.0.0.1 is an attack (DNS rebinding).
 */
import { isIP } from "node:net";
import { FetchError } from "../fetch-errors.ts";
import type { ResolvedAddress } from "../http-types.ts";
import { type AddressClass, addressClass, addressKind } from "./egress.ts";

/** One address that is not public refuses the name. The caller dials only what passed here, so a later answer of the name server changes nothing. */
export function requirePublic(addresses: readonly ResolvedAddress[]): void {
  for (const { address } of addresses) if (addressClass(address) !== "public") throw refusal(address);
}

/** Metadata services give passwords to whoever asks: they are refused wherever private addresses are allowed. */
export function refuseMetadata(addresses: readonly ResolvedAddress[]): void {
  for (const { address } of addresses) if (addressClass(address) === "metadata") throw refusal(address);
}

const refusal = (address: string): FetchError =>
  new FetchError("private_address", `${address} is ${addressKind(address)}`);

const METADATA_NAMES: ReadonlySet<string> = new Set(["metadata.google.internal", "metadata.goog", "instance-data"]);

/**
 * The class of a host as far as it shows without a lookup: of an address, `localhost` (RFC 6761 section 6.3) and the names of
 * metadata services; null for any other name.
 */
export function classOfName(host: string): AddressClass | null {
  if (isIP(host) !== 0) return addressClass(host);
  const name = host.toLowerCase().replace(/\.$/, "");
  if (/(?:^|\.)localhost$/.test(name)) return "loopback";
  return METADATA_NAMES.has(name) ? "metadata" : null;
}

/** The class for which a host is refused without a lookup; null when only its addresses can tell. */
export function refusedClass(host: string, reach: "typed" | "internal" | "trusted" | "public"): AddressClass | null {
  const found = classOfName(host);
  if (found === null || found === "public" || reach === "typed") return null;
  return found === "metadata" || reach === "public" ? found : null;
}

/** The classes that each host had when the crawl began, by `host:port`. */
export type HostClasses = ReadonlyMap<string, readonly AddressClass[]>;

export class TrustedHosts {
  readonly #origins: ReadonlySet<string>;
  readonly #classes: Map<string, readonly AddressClass[]>;
  readonly #onLearned: (host: string, classes: readonly AddressClass[]) => void;
  #isLearning = true;

  /** `origins`: `host:port`, always with the port. `known`: what was learned about them before. */
  constructor(
    origins: readonly string[],
    known: HostClasses = new Map(),
    onLearned: (host: string, classes: readonly AddressClass[]) => void = () => {},
  ) {
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
    this.#classes = new Map(known);
    this.#onLearned = onLearned;
  }

  has(host: string): boolean {
    return this.#origins.has(host);
  }

  /** Hosts whose class is not known yet. */
  get unknown(): string[] {
    return [...this.#origins].filter((host) => !this.#classes.has(host));
  }

  recall(host: string, classes: readonly AddressClass[]): void {
    if (this.has(host)) this.#classes.set(host, classes);
  }

  /** From now on, a host whose class is not known must be public: its name could not be resolved when the crawl began. */
  stopLearning(): void {
    this.#isLearning = false;
  }

  /** Throws unless the host is where it was. The first answers for it say where that is. */
  check(host: string, addresses: readonly ResolvedAddress[]): void {
    refuseMetadata(addresses);
    const known = this.#classes.get(host);
    if (known !== undefined) requireClass(addresses, known);
    else if (this.#isLearning) this.#learn(host, addresses);
    else requirePublic(addresses);
  }

  #learn(host: string, addresses: readonly ResolvedAddress[]): void {
    const classes = [...new Set(addresses.map(({ address }) => addressClass(address)))];
    // A name with public and private addresses is not an internal host, and rebinding may begin this way.
    if (classes.includes("public")) requirePublic(addresses);
    this.#classes.set(host, classes);
    this.#onLearned(host, classes);
  }
}

/**
 * A host that was internal is refused on the internet too: it would get the passwords meant for the internal one, and its pages
 * would be taken for those of the other.
 */
function requireClass(addresses: readonly ResolvedAddress[], classes: readonly AddressClass[]): void {
  for (const { address } of addresses) {
    const found = addressClass(address);
    if (classes.includes(found)) continue;
    if (found !== "public") throw refusal(address);
    throw new FetchError("address_changed", `${address} is public; it was ${classes.join(" or ")}`);
  }
}
