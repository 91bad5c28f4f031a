/** The requests to the thread that reads pages, and its answers. */
import { HtmlSource } from "../../web/html/html-source.ts";
import type { PageReading } from "../page/extract-page.ts";
import type { PageOptions } from "../page/options.ts";
import type { PageContent, PageLinks } from "../page/page-content.ts";

export interface ReaderThreadData {
  page: PageOptions;
  mostBytes: number;
}

export interface ReadOrder {
  body: Uint8Array<ArrayBuffer>;
  contentType: string | null;
  xml: boolean;
}

/** A reading without what the caller already has: the page itself, when it was UTF-8. */
export interface ReadAnswer extends Omit<PageReading, "utf8" | "content"> {
  /** Where the text begins in the body, after a byte order mark. */
  start: number;
  utf8: Uint8Array | null;
  content: Omit<PageContent, "links"> & { links: Omit<PageLinks, "source" | "texts"> & { texts: Uint8Array } };
}

export function packReading(body: Buffer, { utf8, content, ...rest }: PageReading): ReadAnswer {
  const { source: _, ...links } = content.links;
  const isOwn = utf8.buffer === body.buffer;
  return {
    ...rest,
    start: isOwn ? utf8.byteOffset - body.byteOffset : 0,
    utf8: isOwn ? null : utf8,
    content: { ...content, links },
  };
}

/** What moves between threads instead of being copied. */
export const transferred = ({ content: { links } }: ReadAnswer): ArrayBuffer[] =>
  [links.rows.buffer, links.texts.buffer] as ArrayBuffer[];

export function unpackReading(body: Buffer, xml: boolean, { start, utf8, content, ...rest }: ReadAnswer): PageReading {
  const page = utf8 === null ? body.subarray(start) : asBuffer(utf8);
  const links = { ...content.links, texts: asBuffer(content.links.texts), source: new HtmlSource(page, xml) };
  return { ...rest, utf8: page, content: { ...content, links } };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
