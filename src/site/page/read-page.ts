/** A page from the bytes of an answer: its encoding, and what it says. */
import { type DecodedHtml, decodeHtml } from "../../web/charset.ts";
import { extractPage } from "./extract-page.ts";
import type { PageOptions } from "./options.ts";
import type { PageContent } from "./page-content.ts";

export interface PageReading extends DecodedHtml {
  content: PageContent;
}

export function readPage(body: Buffer, contentType: string | null, options: Partial<PageOptions>): PageReading {
  const decoded = decodeHtml(body, contentType);
  return { ...decoded, content: extractPage(decoded.utf8, options) };
}
