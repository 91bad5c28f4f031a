/** A small print of what a page says, for recognising pages that say the same. */
import { hash } from "node:crypto";
import { isDated, withoutDates, withoutOwnNumbers } from "../../web/url-family.ts";
import { BODY_START_BYTES } from "../visit/held-bodies.ts";
import type { Visit } from "../visit/site-visit.ts";

/** How pages are compared: as they are, without what tells days apart, or without the page's own number. */
export type Sameness = "exact" | "dates" | "numbers";

/** 48 bits, so that it fits a number exactly; null for a page without text. */
export function contentPrint(url: string, visit: Visit, leadsOn: boolean): { print: number | null; by: Sameness } {
  const content = visit.rendered?.content ?? visit.content;
  if (content === null) {
    const { body, decodedBytes, status } = visit.response;
    if (decodedBytes === 0 || status >= 300) return { print: visit.earlier?.row.text_print ?? null, by: "exact" };
    // For a file, its beginning and its size are enough.
    return { print: printOf(`${decodedBytes} ${hash("sha1", body.subarray(0, BODY_START_BYTES))}`), by: "exact" };
  }
  const { title, text_length: length, content_hash: known } = content.facts;
  if (title === null && length === 0) return { print: null, by: "exact" };
  const by = isDated(url) ? "dates" : leadsOn ? "numbers" : "exact";
  if (by === "exact" && known !== null) return { print: printOf(`${title}\n${known}`), by };
  const text = `${title}\n${content.links.texts.toString("utf8", 0, content.textBytes)}`;
  const compared = by === "dates" ? withoutDates(text) : by === "numbers" ? withoutOwnNumbers(text, url) : text;
  return { print: printOf(content.textRest === null ? compared : `${compared}\n${content.textRest}`), by };
}

const printOf = (text: string): number => Number.parseInt(hash("sha1", text, "hex").slice(0, 12), 16);
