/**
 * The types and flags of links, as the numbers that are stored. Imports nothing, so that processes that only read a
 * crawl start fast.
 */

/** What a URL is found as. The stored integer is an index into this list: add at the end, never reorder. */
export const KINDS = [
  "anchor",
  "area",
  "image",
  "script",
  "stylesheet",
  "font",
  "media",
  "iframe",
  "canonical",
  "alternate",
  "next",
  "prev",
  "icon",
  "manifest",
  "preload",
  "form",
  "refresh",
  "object",
  "other",
  "start",
  "sitemap",
  "sitemap-entry",
  "request",
  "route",
  "service",
  "llms",
  "llms-entry",
] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds that no element of a page has. */
const NOT_IN_PAGES = ["start", "sitemap", "sitemap-entry", "request", "route", "llms", "llms-entry"] as const;
/** Kinds of links in pages. */
export type LinkType = Exclude<Kind, (typeof NOT_IN_PAGES)[number]>;
export const LINK_TYPES: readonly LinkType[] = KINDS.filter(
  (kind): kind is LinkType => !(NOT_IN_PAGES as readonly string[]).includes(kind),
);

// Flags of a link, as bits: first the stored flags, then the other words of a `rel`.

export const LINK_NOFOLLOW = 1 << 0;
export const LINK_SPONSORED = 1 << 1;
export const LINK_UGC = 1 << 2;
/** Its target belongs to the site. */
export const LINK_INTERNAL = 1 << 3;
/** Only present after the page's scripts ran. */
export const LINK_RENDERED = 1 << 4;

/** The flags with their names, as listed and exported. */
export const LINK_FLAGS = {
  nofollow: LINK_NOFOLLOW,
  sponsored: LINK_SPONSORED,
  ugc: LINK_UGC,
  internal: LINK_INTERNAL,
  rendered: LINK_RENDERED,
} as const;

/** Words of a `rel` that say what a `<link>` is. */
export const CANONICAL = 1 << 8;
export const ALTERNATE = 1 << 9;
export const STYLESHEET = 1 << 10;
export const NEXT = 1 << 11;
export const PREV = 1 << 12;
export const ICON = 1 << 13;
export const MANIFEST = 1 << 14;
export const PRELOAD = 1 << 15;
/** Names a host to connect to, not something to fetch. */
export const CONNECT = 1 << 16;
export const MODULE = 1 << 17;
/** Names an address for programs, or a page to prepare: neither part of the page nor something that people follow. */
export const SERVICE = 1 << 18;

const WORDS: Record<string, number> = {
  nofollow: LINK_NOFOLLOW,
  sponsored: LINK_SPONSORED,
  ugc: LINK_UGC,
  canonical: CANONICAL,
  alternate: ALTERNATE,
  stylesheet: STYLESHEET,
  next: NEXT,
  prev: PREV,
  previous: PREV,
  icon: ICON,
  "apple-touch-icon": ICON,
  "apple-touch-icon-precomposed": ICON,
  "mask-icon": ICON,
  manifest: MANIFEST,
  preload: PRELOAD,
  modulepreload: PRELOAD | MODULE,
  prefetch: PRELOAD,
  prerender: SERVICE,
  pingback: SERVICE,
  webmention: SERVICE,
  edituri: SERVICE,
  wlwmanifest: SERVICE,
  search: SERVICE,
  "https://api.w.org/": SERVICE,
  "dns-prefetch": CONNECT,
  preconnect: CONNECT,
};

const BITS = new Map(Object.entries(WORDS));

/** All words of a `rel`. */
export function relBits(rel: string | null): number {
  if (rel === null) return 0;
  const single = BITS.get(rel);
  if (single !== undefined) return single;
  let bits = 0;
  for (const word of rel.toLowerCase().split(/[\t\n\f\r ]+/)) bits |= BITS.get(word) ?? 0;
  return bits;
}

const FLAGS_OF_REL = LINK_NOFOLLOW | LINK_SPONSORED | LINK_UGC;

/** The flags that a link has by its `rel`. */
export const relFlags = (rel: string | null): number => relBits(rel) & FLAGS_OF_REL;
