/** The words of a `rel` attribute, as bits. */

export const NOFOLLOW = 1 << 0;
export const SPONSORED = 1 << 1;
export const UGC = 1 << 2;
export const CANONICAL = 1 << 3;
export const ALTERNATE = 1 << 4;
export const STYLESHEET = 1 << 5;
export const NEXT = 1 << 6;
export const PREV = 1 << 7;
export const ICON = 1 << 8;
export const MANIFEST = 1 << 9;
export const PRELOAD = 1 << 10;
/** Names a host to connect to, not something to fetch. */
export const CONNECT = 1 << 11;

const WORDS: Record<string, number> = {
  nofollow: NOFOLLOW,
  sponsored: SPONSORED,
  ugc: UGC,
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
  modulepreload: PRELOAD,
  prefetch: PRELOAD,
  prerender: PRELOAD,
  "dns-prefetch": CONNECT,
  preconnect: CONNECT,
};

const BITS = new Map(Object.entries(WORDS));

export function relBits(rel: string | null): number {
  if (rel === null) return 0;
  const single = BITS.get(rel);
  if (single !== undefined) return single;
  let bits = 0;
  for (const word of rel.toLowerCase().split(/[\t\n\f\r ]+/)) bits |= BITS.get(word) ?? 0;
  return bits;
}
