/** Reads a sitemap in any of its forms, within limits, keeping what can be read of a broken one. */
import type { SitemapLimits, SitemapUrl } from "./collector.ts";
import { createCollector } from "./collector.ts";
import type { SitemapInput } from "./decode.ts";
import { decodeSitemap } from "./decode.ts";
import { createTextReader } from "./text.ts";
import type { SitemapReader, XmlKind } from "./xml.ts";
import { createXmlReader } from "./xml.ts";

export type { SitemapLimits, SitemapUrl } from "./collector.ts";
export type { SitemapInput } from "./decode.ts";

export type SitemapKind = XmlKind | "text";

export interface SitemapResult {
  /** `unknown`: it is no sitemap; the problems say why. */
  kind: SitemapKind | "unknown";
  urls: SitemapUrl[];
  /** The sitemaps that an index names. */
  sitemaps: string[];
  /** What was wrong, in words. */
  problems: string[];
  /** There was more than was read: a limit was met, or the transfer broke off. */
  truncated: boolean;
}

/** The limits of sitemaps.org: 50 MB uncompressed and 50,000 entries a file, addresses of 2,048 characters. */
export const SITEMAP_LIMITS: SitemapLimits = Object.freeze({
  maxBytes: 50 * 1024 * 1024,
  maxUrls: 50_000,
  maxUrlLength: 2_048,
});

/**
 * Reads one file; sitemaps that an index names are the caller's to fetch, as is the choice of which hosts to believe.
 * Never throws for what the file holds. Addresses of images, videos and translations are not taken.
 */
export async function readSitemap(input: SitemapInput, limits: Partial<SitemapLimits> = {}): Promise<SitemapResult> {
  const allLimits = { ...SITEMAP_LIMITS, ...limits };
  const collector = createCollector(allLimits);
  let reader: SitemapReader<SitemapKind> | null = null;
  for await (const piece of decodeSitemap(input, allLimits.maxBytes, collector)) {
    const text: string = reader === null ? piece.trimStart() : piece;
    if (text === "") continue;
    reader ??= text.startsWith("<") ? createXmlReader(collector) : createTextReader(collector);
    reader.write(text);
    if (reader.done || collector.truncated) break;
  }
  if (reader === null) collector.addProblem("not a sitemap: it is empty");
  else if (!reader.done && !collector.truncated) reader.end();
  collector.finish();
  const { urls, sitemaps, problems, truncated } = collector;
  return { kind: reader?.kind ?? "unknown", urls, sitemaps, problems, truncated };
}
