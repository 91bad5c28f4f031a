/** Page facts and links from HTML, in one pass. */

import { HtmlSource, readHtml } from "../../web/html/index.ts";
import { contentHash } from "./content-hash.ts";
import { DEFAULT_PAGE_OPTIONS, type PageOptions } from "./options.ts";
import { PageCollector } from "./page-collector.ts";
import type { PageContent } from "./page-content.ts";

/**
 * Reads a page: a text, or UTF-8. Never throws on any HTML; time and memory are linear in its length. Its links share
 * memory with `page`.
 */
export function extractPage(page: Buffer | string, options: Partial<PageOptions> = {}): PageContent {
  const settings = { ...DEFAULT_PAGE_OPTIONS, ...options };
  const source = new HtmlSource(page);
  const { reader, h1, h2, words, textLength, textBytes, links } = readHtml(
    source,
    settings,
    (links) => new PageCollector(settings, links),
  );
  const { facts, language, other } = reader;
  const { truncated, ...rows } = links;
  return {
    title: facts.title,
    titleCount: facts.titleCount,
    metaDescription: facts.metaDescription,
    metaRobots: facts.metaRobots,
    canonical: facts.canonical,
    canonicalCount: facts.canonicalCount,
    baseHref: facts.baseHref,
    language,
    h1: h1.text,
    h1Count: h1.count,
    h2: h2.text,
    h2Count: h2.count,
    wordCount: words,
    textLength,
    contentHash: contentHash(other === null ? links.texts.subarray(0, textBytes) : other.toString(), settings.hash),
    metaRefresh: facts.metaRefresh,
    hreflang: facts.hreflang,
    next: facts.next,
    prev: facts.prev,
    links: { ...rows, source },
    linksTruncated: truncated,
  };
}
