/** Where links lead within pages: the part after the `#`, which is not part of a URL here. The audit checks whether that place exists. */
import { DECODED } from "../../web/html/link-rows.ts";
import { bookmarkPrint, fragmentPrints } from "../page/bookmarks.ts";
import type { PageLinks } from "../page/page-content.ts";
import type { LinkTarget } from "./link-targets.ts";
import type { FoundLinks } from "./site-links.ts";

export interface FragmentLink {
  target: LinkTarget;
  fragment: string;
}

const HASH = 0x23;
/** Far more than a hand-written page has. */
const MOST_FRAGMENTS = 2_000;

/**
 * Collects the fragments of a page's anchors. Most lead to a place that exists in the page itself, or repeat what the
 * menu said; both are recognised by their bytes.
 */
export class FragmentLinks {
  readonly found: FragmentLink[] = [];
  readonly #links: PageLinks;
  readonly #known = new Map<LinkTarget, Set<string>>();

  constructor(links: PageLinks) {
    this.#links = links;
  }

  note(target: LinkTarget, start: number, end: number): void {
    const { source, hrefs } = this.#links;
    if (end === DECODED) {
      const bytes = Buffer.from(hrefs[start]!);
      this.#take(target, bytes, 0, bytes.length);
    } else this.#take(target, source.bytes, start, end);
  }

  #take(target: LinkTarget, bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end && bytes[at] !== HASH) at++;
    if (at + 1 >= end || !target.internal || this.found.length === MOST_FRAGMENTS) return;
    const print = bookmarkPrint(bytes, at + 1, end);
    if (at === start && this.#links.bookmarks?.includes(print)) return;
    const known = this.#known.get(target);
    if (known?.has(print)) return;
    if (known === undefined) this.#known.set(target, new Set([print]));
    else known.add(print);
    this.found.push({ target, fragment: bytes.toString("utf8", at + 1, end) });
  }
}

/** Cut at whole entries; more than any text has. */
const MOST_FRAGMENT_TEXT = 16_000;

/** Leaves out those that lead to a place in the page itself, as most do. */
export function storedFragments(ownUrl: string, { fragments, targets }: FoundLinks, own: string | null): string | null {
  if (fragments.length === 0) return null;
  let places: Map<string, number> | null = null;
  const entries: string[] = [];
  let length = 2;
  for (const { target, fragment } of fragments) {
    const prints = fragmentPrints(fragment);
    if (prints === null || (target.url === ownUrl && prints.some((print) => own?.includes(print)))) continue;
    places ??= firstPlaces(targets);
    const place = places.get(target.url);
    if (place === undefined) continue;
    const entry = JSON.stringify([place, fragment, ...prints]);
    length += entry.length + 1;
    if (length > MOST_FRAGMENT_TEXT) break;
    entries.push(entry);
  }
  return entries.length === 0 ? null : `[${entries.join(",")}]`;
}

function firstPlaces(targets: readonly LinkTarget[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, { url }] of targets.entries()) if (!places.has(url)) places.set(url, place);
  return places;
}
