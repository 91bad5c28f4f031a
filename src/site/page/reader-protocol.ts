/** What a thread that reads pages is asked, and what it answers. */
import { HtmlSource } from "../../web/html/index.ts";
import type { PageReading } from "./extract-page.ts";
import type { PageContent, PageLinks } from "./page-content.ts";

export interface ReadOrder {
  body: Uint8Array;
  contentType: string | null;
}

/** A reading without what the asker has already: the page itself, when it was UTF-8. */
export interface ReadAnswer extends Omit<PageReading, "utf8" | "content"> {
  utf8: Uint8Array | null;
  content: Omit<PageContent, "links"> & { links: Omit<PageLinks, "source" | "texts"> & { texts: Uint8Array } };
}

export function packReading(body: Buffer, { utf8, content, ...rest }: PageReading): ReadAnswer {
  const { source: _, texts, ...links } = content.links;
  return { ...rest, utf8: utf8 === body ? null : utf8, content: { ...content, links: { ...links, texts } } };
}

/** What moves between threads instead of being copied. */
export const transferred = ({ content: { links } }: ReadAnswer): ArrayBuffer[] =>
  [links.rows.buffer, links.texts.buffer] as ArrayBuffer[];

export function unpackReading(body: Buffer, { utf8, content, ...rest }: ReadAnswer): PageReading {
  const page = utf8 === null ? body : asBuffer(utf8);
  const links = { ...content.links, texts: asBuffer(content.links.texts), source: new HtmlSource(page) };
  return { ...rest, utf8: page, content: { ...content, links } };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
