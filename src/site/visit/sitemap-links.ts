/** A sitemap as links: to the pages that it lists, with what it says about each, to their translations, and to other sitemaps. */
import {
  type Alternate,
  readSitemap,
  SITEMAP_LIMITS,
  type SitemapResult,
  type SitemapUrl,
} from "../../web/sitemap/sitemap.ts";
import { hostOf, prepareBase } from "../../web/url.ts";
import type { LinkTargets } from "../links/link-targets.ts";
import { type LinkObject, plainLink } from "../links/site-links.ts";

export interface SitemapReading {
  kind: SitemapResult["kind"];
  /** What is wrong with it, one line each; null when nothing is. */
  problems: string | null;
  links: LinkObject[];
  isTruncated: boolean;
}

/** How much text of one page's translations is kept. */
const MOST_ALTERNATES = 4_000;

export async function sitemapLinks(
  { url, body, mostUrls }: { url: string; body: Buffer; mostUrls: number },
  targets: LinkTargets,
): Promise<SitemapReading> {
  // More than may be fetched would only fill the database; one more shows that something was left out.
  const limits = mostUrls > 0 ? { maxUrls: Math.min(mostUrls + 100, SITEMAP_LIMITS.maxUrls) } : {};
  const sitemap = await readSitemap(body, limits);
  const base = prepareBase(url);
  const links: LinkObject[] = [];
  const named = new Set<string>();
  let unreadable = 0;
  const add = (href: string, kind: "sitemap" | "sitemap-entry" | "alternate", more: Partial<LinkObject> = {}) => {
    const target = targets.of(withScheme(href, url), base);
    if (target === null || target.origin === "") unreadable++;
    else if (kind !== "alternate" || !named.has(target.url)) {
      named.add(target.url);
      links.push({ ...plainLink(target, kind), ...more });
    }
  };
  for (const entry of sitemap.urls) add(entry.loc, "sitemap-entry", saidBy(entry));
  for (const loc of sitemap.sitemaps) add(loc, "sitemap");
  for (const { alternates = [] } of sitemap.urls) for (const [, href] of alternates) add(href, "alternate");
  const problems = [...sitemap.problems, ...(unreadable > 0 ? [`addresses that cannot be read: ${unreadable}`] : [])];
  return {
    kind: sitemap.kind,
    problems: problems.join("\n") || null,
    links,
    isTruncated: sitemap.truncated,
  };
}

/** Some sitemaps write `www.example.com/page`, or the sitemap's own host without a scheme. */
function withScheme(href: string, url: string): string {
  const host = hostOf(url);
  const isHost = /^www\.[^\s/]+\.[^\s/]/i.test(href) || href === host || href.startsWith(`${host}/`);
  return isHost ? `${url.slice(0, url.indexOf(":"))}://${href}` : href;
}

/** Stored as the texts of a link, where facts read them. */
function saidBy({ lastmod, priority, changefreq, alternates = [] }: SitemapUrl): Pick<LinkObject, "text" | "context"> {
  const lines = Object.entries({ lastmod, priority, changefreq }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return { text: lines.join("\n"), context: alternates.length === 0 ? "" : shortened(alternates) };
}

/** Valid JSON, however many there are. */
function shortened(alternates: readonly Alternate[]): string {
  let kept = alternates.length;
  let text = JSON.stringify(alternates);
  while (text.length > MOST_ALTERNATES) {
    kept = Math.floor(kept / 2);
    text = JSON.stringify(alternates.slice(0, kept));
  }
  return text;
}
