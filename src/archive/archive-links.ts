/** Links of a page: `<a href>` and `<area href>` as canonical URLs, each once, in the order of the page. */
import { scanHtml, tagNamed } from "../web/html/index.ts";
import { type Canonicalize, prepareBase } from "../web/url.ts";

/** A page with more links than this is not one that a person reads. */
const MAX_LINKS = 20_000;

const A = tagNamed("a");
const AREA = tagNamed("area");
const BASE = tagNamed("base");

export function pageLinks(page: Buffer | string, url: string, canonicalize: Canonicalize): string[] {
  const hrefs: string[] = [];
  let baseHref: string | undefined;
  scanHtml(page, {
    open(tag, attributes) {
      if (tag === BASE) baseHref ??= attributes.get("href") ?? undefined;
      if ((tag !== A && tag !== AREA) || hrefs.length >= MAX_LINKS) return;
      const href = attributes.get("href");
      // A link within the page leads nowhere else.
      if (href !== null && !href.startsWith("#")) hrefs.push(href);
    },
    close() {},
    text() {},
  });
  const base = prepareBase(url, baseHref);
  const links = new Set<string>();
  for (const href of hrefs) {
    const link = canonicalize(href, base);
    if (typeof link === "string") links.add(link);
  }
  return [...links];
}
