/** From the options to the rules of every tab: defaults filled in, cookies and credentials told from headers and proxy. */
import { TrawlError } from "../errors.ts";
import { RENDER_DEFAULTS, type RendererOptions } from "./contract.ts";
import type { TabRules } from "./tab.ts";

interface ProxyAccess {
  server: string;
  credentials: { username: string; password: string } | null;
}

/** Credentials, and what the browser must say for itself. */
const NOT_PLAIN = new Set(["authorization", "cookie", "proxy-authorization", "user-agent", "accept-encoding", "host"]);

export function tabRules(options: RendererOptions, egress: ProxyAccess | null): TabRules {
  const settings = { ...RENDER_DEFAULTS, ...defined(options) };
  const { settleMs, maxWaitMs, navigationTimeoutMs, maxHtmlLength, viewport, pagesPerTab } = settings;
  const proxy = egress ?? proxyAccess(options.proxy ?? null);
  const headers = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const pick = (wanted: (name: string) => boolean) => Object.fromEntries(headers.filter(([name]) => wanted(name)));
  return {
    limits: { settleMs, maxWaitMs, navigationTimeoutMs, maxHtmlLength },
    blockTypes: new Set(settings.blockTypes),
    blockUrl: options.blockUrl ?? null,
    headers: pick((name) => !NOT_PLAIN.has(name)),
    credentials: pick((name) => name === "authorization"),
    cookies: headers.filter(([name]) => name === "cookie").flatMap(([, value]) => parseCookies(value)),
    trustedOrigins: new Set(options.trustedOrigins?.map((origin) => origin.toLowerCase())),
    viewport,
    pagesPerTab,
    proxyServer: proxy?.server ?? null,
    proxyCredentials: proxy?.credentials ?? null,
  };
}

/** Null and undefined both ask for the default. */
function defined<T extends object>(options: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null)) as {
    [K in keyof T]: NonNullable<T[K]>;
  };
}

/** RFC 6265 section 4.2.1: `name=value` pairs, separated by semicolons. */
function parseCookies(header: string): { name: string; value: string }[] {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.includes("="))
    .map((pair) => ({ name: pair.slice(0, pair.indexOf("=")), value: pair.slice(pair.indexOf("=") + 1) }));
}

function proxyAccess(text: string | null): ProxyAccess | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^(?:https?|socks[45]):$/.test(url.protocol)) {
    throw new TrawlError("BAD_CONFIG", "The proxy is not a URL such as http://proxy.example:3128.");
  }
  const { username, password } = url;
  return {
    server: `${url.protocol}//${url.host}`,
    credentials: username ? { username: decodeURIComponent(username), password: decodeURIComponent(password) } : null,
  };
}
