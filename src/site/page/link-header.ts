/**
 * What `Link` headers say about a page (RFC 8288): its canonical, its translations, and the previous and next page of a
 * series.
 */
import { ALTERNATE, CANONICAL, NEXT, PREV, relBits, STYLESHEET } from "./link-types.ts";

export interface HeaderLink {
  kind: "canonical" | "alternate" | "next" | "prev";
  /** As written. */
  href: string;
  /** The language of an alternate. */
  hreflang: string | null;
}

const VALUE = /<([^<>]*)>((?:\s*;\s*[^\s=;,"<]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"<]+)(?:\s*=\s*(?:"([^"]*)"|([^\s;,"]*)))?/g;
/** Far more than any page has. */
const MOST_LINKS = 1_000;

/** A link with an anchor is about another page. */
export function linksInHeader(header: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  if (header === "") return links;
  for (const [, href, written] of header.matchAll(VALUE)) {
    const parameters = new Map<string, string>();
    for (const [, name, quoted, plain] of written!.matchAll(PARAMETER)) {
      const key = name!.toLowerCase();
      if (!parameters.has(key)) parameters.set(key, quoted ?? plain ?? "");
    }
    const kind = parameters.has("anchor") ? null : kindOf(relBits(parameters.get("rel")?.toLowerCase() ?? null));
    if (kind !== null) links.push({ kind, href: href!.trim(), hreflang: parameters.get("hreflang")?.trim() ?? null });
    if (links.length === MOST_LINKS) break;
  }
  return links;
}

function kindOf(rel: number): HeaderLink["kind"] | null {
  if ((rel & CANONICAL) !== 0) return "canonical";
  if ((rel & (ALTERNATE | STYLESHEET)) === ALTERNATE) return "alternate";
  if ((rel & NEXT) !== 0) return "next";
  return (rel & PREV) !== 0 ? "prev" : null;
}

/** As written; null if there isn't one. */
export const canonicalInLinkHeader = (header: string): string | null =>
  linksInHeader(header).find(({ kind }) => kind === "canonical")?.href ?? null;

/** The translations that headers name, in the form in which a page's own are stored; null when there are none. */
export function hreflangInLinkHeader(header: string): string | null {
  const pairs = linksInHeader(header).flatMap(({ kind, href, hreflang }) =>
    kind === "alternate" && hreflang !== null ? [[hreflang, href]] : [],
  );
  return pairs.length === 0 ? null : JSON.stringify(pairs);
}
