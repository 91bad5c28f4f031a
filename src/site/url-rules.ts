/** What the config says about URLs: their canonical form, and which of them belong to the site. */
import { TrawlError } from "../errors.ts";
import { createScope, type Scope } from "../web/scope.ts";
import { TRACKING_PARAMETERS } from "../web/tracking.ts";
import { type Canonicalize, createCanonicalizer } from "../web/url.ts";
import type { SiteConfig } from "./site-config.ts";

/** The one canonical form of URLs in a crawl with this config. */
export const siteCanonicalizer = (config: SiteConfig): Canonicalize =>
  createCanonicalizer({
    stripParams: config.stripParams ?? [...TRACKING_PARAMETERS],
    sortQuery: config.sortQuery,
    stripAllQuery: false,
    stripSessions: config.stripParams === null,
    keepFragments: config.render && config.renderHashRoutes ? "routes" : false,
    // URLs longer than the config allows still get a row that says so. Beyond this limit they are data, not URLs.
    maxLength: Math.max(config.maxUrlLength, 16_384),
  });

/** `docs.example.net` from what a person writes for it: in another case, in Unicode, or as a whole URL. */
export function allowedHost(written: string): string {
  const url = URL.parse(written.includes("://") ? written : `http://${written}`);
  if (url === null || url.hostname === "") {
    throw new TrawlError("BAD_CONFIG", `${written} is not a host. Write it as docs.example.net.`);
  }
  return url.host;
}

/**
 * Which hosts belong to the site, without the patterns that choose among their URLs, because compiling those takes
 * time.
 */
export const siteHosts = (config: SiteConfig, startUrls: string[]): Scope =>
  siteScope({ ...config, include: [], exclude: [] }, startUrls);

export const siteScope = (config: SiteConfig, startUrls: string[]): Scope =>
  createScope({
    startUrls,
    hosts: config.allowedDomains.map(allowedHost),
    subdomains: config.includeSubdomains,
    startFolder: config.startFolder,
    include: config.include,
    exclude: config.exclude,
  });
