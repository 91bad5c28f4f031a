/** Where a connection for an origin really goes: `connectTo` rules, the proxy, and which addresses it may have. */
import { isIP } from "node:net";
import { TrawlError } from "../../errors.ts";
import type { HttpClientOptions } from "../http-types.ts";
import { type Origin, originOf } from "../origin.ts";
import type { TrustedHosts } from "./address-guard.ts";
import type { SocksCredentials } from "./socks.ts";

export interface Proxy {
  origin: Origin;
  /** The value of `Proxy-Authorization`; null when the proxy needs none. */
  authorization: string | null;
  /** Set for a SOCKS5 proxy, with the user name and password that it needs. */
  socks: { credentials: SocksCredentials | null } | null;
}

/**
 * Which addresses the host may have: `typed`, any, because the user wrote this very address; `internal`, any but metadata
 * services; `trusted`, those of the class it had when the crawl began; `public`, those on the public internet.
 */
export type Reach = "typed" | "internal" | "trusted" | "public";

export interface Route {
  origin: Origin;
  host: string;
  port: number;
  reach: Reach;
  proxy: Proxy | null;
  /** Plain http through a proxy: the request itself names the whole URL (RFC 9112 section 3.2.2), no tunnel is made. */
  forwarded: boolean;
}

export function parseProxy(text: string): Proxy {
  const url = URL.parse(text);
  // As an http URL, the host of a SOCKS proxy is read by the rules of hosts, and not taken as it stands.
  const socks =
    url !== null && isSocks(url.protocol) ? URL.parse(`http://${url.hostname}:${url.port || SOCKS_PORT}`) : url;
  if (url === null || socks === null || !PROXY_SCHEME.test(url.protocol) || url.hostname === "") {
    throw new TrawlError(
      "BAD_CONFIG",
      "The proxy must be an http, https or socks5 URL, such as http://127.0.0.1:3128 or socks5://127.0.0.1:1080.",
    );
  }
  const [username, password] = [decode(url.username), decode(url.password)];
  const hasCredentials = username !== "" || password !== "";
  if (socks === url) {
    const authorization = hasCredentials ? basicAuthorization(`${username}:${password}`) : null;
    return { origin: originOf(url), authorization, socks: null };
  }
  return {
    origin: originOf(socks),
    authorization: null,
    socks: { credentials: hasCredentials ? { username, password } : null },
  };
}

const SOCKS_PORT = "1080";
/** What `parseProxy` accepts, with the colon or without. `socks5h` is the same: the proxy resolves names in any case. */
export const PROXY_SCHEME = /^(?:https?|socks5h?):?$/;

export const isSocks = (proxy: string): boolean => /^socks5h?:/i.test(proxy);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TrawlError("BAD_CONFIG", "proxy: write a % in the user name or password as %25.");
  }
}

/** `credentials` is `user:password` (RFC 7617). */
export function basicAuthorization(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

export class Router {
  readonly #rules: readonly ConnectTo[];
  readonly #proxy: Proxy | null;
  readonly #allowPrivate: boolean;
  readonly #trusted: TrustedHosts | null;

  constructor(options: Pick<HttpClientOptions, "connectTo" | "proxy" | "allowPrivate" | "trusted">) {
    this.#rules = options.connectTo;
    this.#proxy = options.proxy === null ? null : parseProxy(options.proxy);
    this.#allowPrivate = options.allowPrivate;
    this.#trusted = options.trusted ?? null;
  }

  get proxyAuthorization(): string | null {
    return this.#proxy?.authorization ?? null;
  }

  route(origin: Origin): Route {
    const rule = findConnectTo(this.#rules, origin.hostname, origin.port);
    return {
      origin,
      host: rule?.address ?? origin.hostname,
      port: rule?.toPort ?? origin.port,
      reach: this.#reach(origin, rule?.address ?? null),
      proxy: this.#proxy,
      // As in curl: a rule for the host requires a tunnel, because the proxy would resolve the name in the URL.
      forwarded: this.#proxy !== null && this.#proxy.socks === null && !origin.secure && rule === null,
    };
  }

  #reach(origin: Origin, ruled: string | null): Reach {
    if (ruled !== null) return isIP(ruled) !== 0 ? "typed" : "internal";
    if (this.#allowPrivate) return "internal";
    return this.#trusted?.has(origin.hostPort) ? "trusted" : "public";
  }
}

/** A rule, written as for curl's `--connect-to`, that sends a connection elsewhere; name, certificate and Host header stay. */
export interface ConnectTo {
  /** Null matches any host. Lower case, IPv6 without brackets. */
  host: string | null;
  /** Null matches any port. */
  port: number | null;
  /** Null keeps the host. */
  address: string | null;
  /** Null keeps the port. */
  toPort: number | null;
}

const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[^:[\]/\s]*)`;
const RULE = new RegExp(`^${HOST}:(\\d{0,5}):${HOST}:(\\d{0,5})$`);

/** Parses `HOST:PORT:ADDR:PORT`; any part may be empty, IPv6 goes in brackets. */
export function parseConnectTo(text: string): ConnectTo {
  const match = RULE.exec(text);
  const port = readPort(match?.[2]);
  const toPort = readPort(match?.[4]);
  if (match === null || port === "bad" || toPort === "bad") {
    throw new TrawlError("BAD_USAGE", `"${text}" is not HOST:PORT:ADDR:PORT, such as example.com:443:127.0.0.1:8443.`);
  }
  return { host: readHost(match[1]), port, address: readHost(match[3]), toPort };
}

/** The first rule for this host and port, as curl chooses. */
export function findConnectTo(rules: readonly ConnectTo[], host: string, port: number): ConnectTo | null {
  const wanted = host.toLowerCase();
  return (
    rules.find((rule) => (rule.host === null || rule.host === wanted) && (rule.port === null || rule.port === port)) ??
    null
  );
}

function readHost(text = ""): string | null {
  if (text === "") return null;
  return (text.startsWith("[") ? text.slice(1, -1) : text).toLowerCase();
}

function readPort(text = ""): number | null | "bad" {
  if (text === "") return null;
  const port = Number(text);
  return port >= 1 && port <= 65535 ? port : "bad";
}
