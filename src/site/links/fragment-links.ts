/** Where in pages links lead to: what follows the `#`, which is not part of a URL here. The audit looks whether there is such a place. */
import { crc32 } from "node:zlib";
import { DECODED } from "../../web/html/link-rows.ts";
import { fragmentPrints } from "../page/bookmarks.ts";
import type { PageLinks } from "../page/page-content.ts";
import type { LinkTarget } from "./link-targets.ts";
import type { FoundLinks } from "./site-links.ts";

export interface FragmentLink {
  target: LinkTarget;
  fragment: string;
}

const HASH = 0x23;
/** Far more than a page written by people has. */
const MOST_FRAGMENTS = 2_000;

/** Collects the fragments of a page's anchors. Most repeat what the menu said, and are known by their bytes. */
export class FragmentLinks {
  readonly found: FragmentLink[] = [];
  readonly #links: PageLinks;
  readonly #known = new Map<LinkTarget, Set<number>>();

  constructor(links: PageLinks) {
    this.#links = links;
  }

  note(target: LinkTarget, start: number, end: number): void {
    const { source, hrefs } = this.#links;
    if (end === DECODED) {
      const href = hrefs[start]!;
      const at = href.indexOf("#");
      if (at >= 0) this.#add(target, Buffer.from(href.slice(at + 1)));
      return;
    }
    for (let at = start; at < end; at++) {
      if (source.bytes[at] !== HASH) continue;
      this.#add(target, source.bytes.subarray(at + 1, end));
      return;
    }
  }

  #add(target: LinkTarget, bytes: Buffer): void {
    if (bytes.length === 0 || !target.internal || this.found.length === MOST_FRAGMENTS) return;
    const print = crc32(bytes);
    const known = this.#known.get(target);
    if (known?.has(print)) return;
    if (known === undefined) this.#known.set(target, new Set([print]));
    else known.add(print);
    this.found.push({ target, fragment: bytes.toString() });
  }
}

/** Cut at whole entries: more than any text has. */
const MOST_FRAGMENT_TEXT = 16_000;

/** Those that do not lead to a place that is in the page itself, which most do. */
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
