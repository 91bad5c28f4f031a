/**
 * The address of a PDS as one text for one host. Whoever has an account writes it, so it is taken for hostile: what is no
 * plain public https origin is refused here, and private addresses behind a name again when they are connected to.
 */
import { isIP } from "node:net";

export type Endpoint = { origin: string; refused: null } | { origin: null; refused: string };

/** Longer than any host name with a port. */
const MAX_LENGTH = 300;

export function normaliseEndpoint(written: string, allowPrivate: boolean): Endpoint {
  const url = written.length > MAX_LENGTH ? null : URL.parse(written.trim());
  if (url === null) return refused("it is not a URL");
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return refused("it is not https");
  if (url.username !== "" || url.password !== "") return refused("it has a user name");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return refused("it has a path");
  const host = url.hostname.replace(/\.$/, "");
  if (!allowPrivate) {
    if (host.startsWith("[") || isIP(host) !== 0) return refused("it is a raw address");
    if (host === "localhost" || /\.(?:localhost|local|internal|test|invalid)$/.test(host) || !host.includes(".")) {
      return refused("it is not a public name");
    }
  }
  return { origin: `${url.protocol}//${host}${url.port === "" ? "" : `:${url.port}`}`, refused: null };
}

/** The endpoint of a host that was named without a scheme, as relays do. */
export function endpointOfHost(host: string, allowPrivate: boolean): Endpoint {
  const isLocal = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i.test(host);
  return normaliseEndpoint(`${allowPrivate && isLocal ? "http" : "https"}://${host}`, allowPrivate);
}

const refused = (reason: string): Endpoint => ({ origin: null, refused: reason });
