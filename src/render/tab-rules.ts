/** From the options to the rules of every tab: defaults filled in, cookies and credentials told from headers and proxy. */
import { TrawlError } from "../errors.ts";
import { RENDER_DEFAULTS, type RendererOptions } from "./contract.ts";
import type { TabRules } from "./tab.ts";

interface ProxyAccess {
  server: string;
  credentials: { username: string; password: string } | null;
}

export function tabRules(options: RendererOptions, egress: ProxyAccess | null): TabRules {
  const settings = { ...RENDER_DEFAULTS, ...defined(options) };
  const { settleMs, maxWaitMs, navigationTimeoutMs, maxHtmlLength, viewport, pagesPerTab } = settings;
  const proxy = egress ?? proxyAccess(options.proxy ?? null);
  const headers = Object.entries(options.headers ?? {});
  const isCookie = ([name]: [string, string]) => name.toLowerCase() === "cookie";
  return {
    limits: { settleMs, maxWaitMs, navigationTimeoutMs, maxHtmlLength },
    blockTypes: new Set(settings.blockTypes),
    blockUrl: options.blockUrl ?? null,
    headers: Object.fromEntries(
      headers.filter((header) => !isCookie(header) && header[0].toLowerCase() !== "user-agent"),
    ),
    cookies: headers.filter(isCookie).flatMap(([, value]) => parseCookies(value)),
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
