/** Page facts and links from HTML, in one pass. */
import { type DecodedHtml, decodeHtml } from "../../web/charset.ts";
import { HtmlSource, readHtml } from "../../web/html/index.ts";
import { capTexts } from "../facts/fact-reading.ts";
import { contentHash } from "./content-hash.ts";
import { documentProblems } from "./document-problems.ts";
import { DEFAULT_PAGE_OPTIONS, type PageOptions } from "./options.ts";
import { PageCollector } from "./page-collector.ts";
import type { PageContent } from "./page-content.ts";
import { markupItems } from "./structured-data/markup-items.ts";
import { StructuredData } from "./structured-data/structured-data.ts";
import { descriptionPixels, titlePixels } from "./text-width.ts";

/**
 * Reads a page: a text, or UTF-8. Never throws on any HTML; time and memory are linear in its length. Its links share
 * memory with `page`.
 */
export function extractPage(page: Buffer | string, options: Partial<PageOptions> = {}): PageContent {
  const settings = { ...DEFAULT_PAGE_OPTIONS, ...options };
  const source = new HtmlSource(page, settings.xml);
  const { reader, shape, h1, h2, words, textLength, textBytes, links } = readHtml(
    source,
    settings,
    (links) => new PageCollector(settings, links),
  );
  const { head, images, other } = reader;
  const { leftOut, ...rows } = links;
  const structured = shape.hasItems ? withItems(reader.structured, source) : reader.structured;
  reader.markup.links(rows, source, (link, href) => reader.accessibility.emptyLink(link, href));
  return {
    facts: capTexts({
      ...head.named.facts,
      title: head.title,
      title_count: head.titleCount,
      title_2: head.secondTitle,
      description_2: head.secondDescription,
      robots_meta: head.metaRobots.length === 0 ? null : head.metaRobots.join(", "),
      canonical_count: head.canonicalCount,
      hreflang: head.hreflang.length === 0 ? null : JSON.stringify(head.hreflang),
      h1: h1.text,
      h1_count: h1.count,
      h1_2: h1.second,
      h2: h2.text,
      h2_count: h2.count,
      h2_2: h2.second,
      word_count: words,
      text_length: textLength,
      content_hash: other === null ? reader.textHash : contentHash(other.toString(), settings.hash),
      texts_cut: head.isHreflangCut ? "hreflang" : null,
      title_pixels: titlePixels(head.title),
      description_pixels: descriptionPixels(head.named.facts.description),
      description_count: head.descriptionCount,
      keywords_count: head.keywordsCount,
      is_amp: head.isAmp ? "Yes" : null,
      images: images.count,
      images_no_alt: images.withoutAlt,
      images_empty_alt: images.emptyAlt,
      images_no_size: images.withoutSize,
      images_lazy: images.lazy,
      longest_alt: images.longestAlt,
      canonical_written: head.canonical,
      canonical_conflicts: head.canonicalConflicts,
      canonical_attributes: head.canonicalAttributes,
      readability: reader.readingEase,
      placeholder_text: reader.hasPlaceholder ? "Yes" : null,
      images_same_alt: images.sameAlt,
      images_empty_alt_large: images.largeEmptyAlt,
      videos_no_poster: reader.videosWithoutPoster,
      protocol_relative: reader.protocolRelative,
      scripts_no_integrity: reader.scriptsWithoutIntegrity.join("\n") || null,
      dom_elements: shape.elements,
      dom_depth: shape.deepest,
      bookmarks: shape.bookmarks,
      document_problems: documentProblems(shape, head.outside, reader.markup.finish(head.isAmp, h1.text)),
      googlebot_meta: head.googlebot.length === 0 ? null : head.googlebot.join(", "),
      meta_refresh: head.refresh,
      text_sketch: reader.sketch,
      own_text: reader.ownShare,
      accessibility_problems: reader.accessibility.finish(),
      render_blocking: reader.markup.renderBlocking,
      structured_data: structured?.types ?? null,
      structured_data_problems: structured?.problems ?? null,
    }),
    metaRobots: head.metaRobots,
    canonical: head.canonical,
    baseHref: head.baseHref,
    links: { ...rows, source, bookmarks: shape.bookmarks },
    textBytes,
    textRest: reader.textRest,
    linksLeftOut: leftOut,
  };
}

/** Reads the page a second time, but most pages have none of these. */
function withItems(written: StructuredData | null, source: HtmlSource): StructuredData | null {
  const items = markupItems(source);
  if (items.length === 0) return written;
  const all = written ?? new StructuredData();
  for (const item of items) all.addItem(item);
  return all;
}

/** A page from the bytes of a response: its encoding and its content. */
export interface PageReading extends DecodedHtml {
  content: PageContent;
}

/** `mostBytes`: a page in another encoding is cut where it becomes longer than this as UTF-8. */
export function readPage(
  body: Buffer,
  contentType: string | null,
  options: Partial<PageOptions>,
  mostBytes?: number,
): PageReading {
  const decoded = decodeHtml(body, contentType, mostBytes);
  return { ...decoded, content: extractPage(decoded.utf8, options) };
}
