/** A URL that somebody typed, in the one form that it has in a crawl. */
import { TrawlError } from "../errors.ts";
import type { SiteConfig } from "../site/site-config.ts";
import { siteCanonicalizer } from "../site/url-rules.ts";
import { prepareBase } from "../web/url.ts";
import { normalizeUrl } from "./normalize-url.ts";

/** A path alone is one of the start URL's host, where there is one. Throws BAD_URL. */
export function typedUrl(typed: string, config: SiteConfig, start?: string): string {
  const isPath = start !== undefined && /^\/(?!\/)/.test(typed) && URL.canParse(typed, start);
  const normal = normalizeUrl(isPath ? new URL(typed, start).href : typed);
  const canonical = siteCanonicalizer(config)(normal, prepareBase(normal));
  if (typeof canonical !== "string") throw new TrawlError("BAD_URL", `"${typed}" is not a URL that can be crawled.`);
  return canonical;
}
