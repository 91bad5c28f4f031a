/** A URL as a request needs it: the origin to connect to, and the request target. */
import { FetchError } from "./fetch-errors.ts";

export interface Origin {
  /** `https://example.com:8443`; the default port is left out. */
  key: string;
  secure: boolean;
  /** IPv6 without brackets. */
  hostname: string;
  port: number;
  /** `example.com:443`, IPv6 in brackets: always with the port. */
  hostPort: string;
}

export function parseHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) throw new FetchError("bad_url");
  // RFC 9110 section 4.2.4: a user name in a link on a page is a way to mislead, not one of our credentials.
  if (url.username !== "" || url.password !== "") url.username = url.password = "";
  // A lone `#` too, which `hash` does not show: a proxy gets the whole URL.
  if (text.includes("#")) url.hash = "";
  return url;
}

export function originOf(url: URL): Origin {
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const hostname = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  return { key: url.origin, secure, hostname, port, hostPort: `${url.hostname}:${port}` };
}

/** `example.com:443`, as trusted origins are named. */
export const hostAndPort = (url: string): string => originOf(new URL(url)).hostPort;

/** Path and query as written: cut from the text, because `pathname + search` loses a lone `?`. */
export function requestTarget(url: URL, originKey: string): string {
  return url.href.slice(originKey.length);
}
