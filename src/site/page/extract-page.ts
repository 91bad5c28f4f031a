/** Page facts and links from HTML, in one pass. */

import { HtmlSource, scanSource } from "../../web/html/index.ts";
import { contentHash } from "./content-hash.ts";
import { DEFAULT_PAGE_OPTIONS, type PageOptions } from "./options.ts";
import type { PageContent } from "./page-content.ts";
import { PageVisitor } from "./page-visitor.ts";

/**
 * Reads a page: a text, or UTF-8. Never throws on any HTML; time and memory are linear in its length. Its links share
 * memory with `page`.
 */
export function extractPage(page: Buffer | string, options: Partial<PageOptions> = {}): PageContent {
  const settings = { ...DEFAULT_PAGE_OPTIONS, ...options };
  const visitor = new PageVisitor(settings);
  const source = new HtmlSource(page);
  scanSource(source, visitor, settings.limits);
  const { facts, h1, h2, hashed, links, visible } = visitor.content;
  const content: PageContent = {
    title: facts.title,
    titleCount: facts.titleCount,
    metaDescription: facts.metaDescription,
    metaRobots: facts.metaRobots,
    canonical: facts.canonical,
    canonicalCount: facts.canonicalCount,
    baseHref: facts.baseHref,
    language: visitor.language,
    h1: h1.read(visible.bytes),
    h1Count: h1.count,
    h2: h2.read(visible.bytes),
    h2Count: h2.count,
    wordCount: visible.words,
    textLength: visible.length,
    contentHash: contentHash(hashed === null ? visible.bytes : hashed.toString(), settings.hash),
    metaRefresh: facts.metaRefresh,
    hreflang: facts.hreflang,
    next: facts.next,
    prev: facts.prev,
    links: links.finish(source),
    linksTruncated: links.truncated,
  };
  visible.release();
  return content;
}
