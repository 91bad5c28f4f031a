/**
 * URLs as people type them: `example.com` means https://example.com/, and a path means a page of the site in question.
 */
import { isIP } from "node:net";
import { TrawlError } from "../errors.ts";
import type { SiteConfig } from "../site/site-config.ts";
import { siteCanonicalizer } from "../site/url-rules.ts";
import { domainAndPort } from "../web/scope.ts";
import { hostOf, prepareBase } from "../web/url.ts";

export function normalizeUrl(text: string): string {
  const typed = text.trim();
  const hasScheme = /^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i.test(typed);
  // Without a scheme this is an e-mail address, perhaps after `mailto:`, and not a user name at a host; or a path,
  // whose first folder a URL parser would take for the host.
  if (!hasScheme && /^(?:[^/?#]*@|\/(?!\/))/.test(typed)) throw new TrawlError("BAD_URL", `"${typed}" is not a URL.`);
  let url: URL;
  try {
    url = new URL(hasScheme ? typed : `${schemeFor(typed)}://${typed}`);
  } catch {
    throw new TrawlError("BAD_URL", `"${typed}" is not a URL.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TrawlError("BAD_URL", `"${typed}" is not an http or https URL.`);
  }
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}

/** Servers on this machine and bare addresses seldom use TLS. */
function schemeFor(typed: string): "http" | "https" {
  const host = /^\[([^\]]*)\]/.exec(typed)?.[1] ?? typed.split(/[/:?#]/, 1)[0]!;
  return host.toLowerCase() === "localhost" || isIP(host) !== 0 ? "http" : "https";
}

/** The canonical form of a typed URL in a crawl. A bare path belongs to the start URL's host. Throws BAD_URL. */
export function canonicalUrl(typed: string, config: SiteConfig, start?: string): string {
  const isPath = start !== undefined && /^\/(?!\/)/.test(typed) && URL.canParse(typed, start);
  const normal = normalizeUrl(isPath ? new URL(typed, start).href : typed);
  const canonical = siteCanonicalizer(config)(normal, prepareBase(normal));
  if (typeof canonical !== "string") throw new TrawlError("BAD_URL", `"${typed}" cannot be crawled.`);
  return canonical;
}

/**
 * What names the project of a crawl: the start URL's host, with its port unless it is the scheme's default. A crawl
 * whose scope includes subdomains belongs to the whole domain, below a suffix such as co.uk or github.io.
 */
export function projectName(url: string, { includeSubdomains = true }: Partial<SiteConfig>): string {
  const host = projectHost(url);
  return includeSubdomains ? (domainAndPort(host) ?? host) : host;
}

export const projectHost = (url: string): string => hostOf(normalizeUrl(url));
