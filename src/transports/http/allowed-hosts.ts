/**
 * The names that the server answers to. A website can point its own name at 127.0.0.1 and have the visitor's browser
 * talk to us as if we were that site (DNS rebinding): such a request carries the site's name in its Host header.
 */
import { isIP } from "node:net";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"];

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** `[::1]` and `::1` are one name, and so are upper and lower case. */
export const plainHost = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");

/** The name of a Host header, without its port; null when it is no name. */
export function hostName(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(header);
  return match === null ? null : plainHost(match[1]!);
}

export interface AllowedHosts {
  /** Where the server listens. */
  bound: string;
  /** More names that it may be called by, such as that of a proxy before it. */
  names: readonly string[];
}

export function createHostCheck({ bound, names }: AllowedHosts): (header: string | null) => boolean {
  const known = new Set([
    ...LOOPBACK_NAMES,
    plainHost(bound),
    ...names.map((name) => hostName(name) ?? plainHost(name)),
  ]);
  const isOpen = !isLoopback(plainHost(bound));
  return (header) => {
    const name = header === null ? null : hostName(header);
    if (name === null) return false;
    // An address cannot be pointed elsewhere by its owner, so a server that others reach answers to any of its own.
    return known.has(name) || (isOpen && isIP(name) !== 0);
  };
}
