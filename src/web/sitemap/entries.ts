/** The entries of a sitemap or feed, read from a stream of tags and texts even where elements are missing. */
import type { EntryFacts, SitemapCollector } from "./collector.ts";

/** How each kind names an entry and, within it, the address, a second choice for that, and the date. */
export interface Shape {
  kind: "urlset" | "sitemapindex" | "rss" | "atom";
  entry: string;
  address: string;
  otherAddress?: string;
  dates: readonly string[];
}

/** What is read as text within an entry. */
type Captured = "address" | "otherAddress" | "lastmod" | "priority" | "changefreq";

interface Entry extends EntryFacts {
  depth: number;
  prefix: string;
  addresses: string[];
  otherAddress: string;
  /** Text of the entry itself: some forget the element around the address. */
  ownText: string;
}

/** Longer than any address. */
const MAX_OWN_TEXT = 4_096;

export const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
const prefixOf = (name: string): string => name.slice(0, name.indexOf(":") + 1);

export class Entries {
  readonly #hasOwnEntities: boolean;
  readonly #shape: Shape;
  readonly #collector: SitemapCollector;
  #entry: Entry | null = null;
  #captured: Captured | null = null;
  #text = "";

  /** `hasOwnEntities`: the file declares entities, and addresses that may contain them are left out. */
  constructor(shape: Shape, collector: SitemapCollector, hasOwnEntities: boolean) {
    this.#hasOwnEntities = hasOwnEntities;
    this.#shape = shape;
    this.#collector = collector;
  }

  open(name: string, depth: number, attributes: Record<string, string | undefined>): void {
    const entry = this.#entry;
    if (localName(name) !== this.#shape.entry || (entry !== null && depth > entry.depth + 1)) {
      if (depth === (entry?.depth ?? -1) + 1) this.#openChild(entry!, name, attributes);
      return;
    }
    // An element that is still open lacks its end tag.
    this.#finish();
    const facts = { lastmod: "", priority: "", changefreq: "", alternates: [] };
    this.#entry = { depth, prefix: prefixOf(name), addresses: [], otherAddress: "", ownText: "", ...facts };
  }

  text(piece: string, depth: number): void {
    const entry = this.#entry;
    if (this.#captured !== null) this.#text += piece;
    else if (entry !== null && depth === entry.depth && entry.ownText.length < MAX_OWN_TEXT) entry.ownText += piece;
  }

  close(depth: number): void {
    const own = this.#entry?.depth;
    if (own === undefined) return;
    if (depth === own + 1) this.#take();
    else if (depth === own) this.#finish();
  }

  /** The file has ended. An address is whole if a tag began after it, and texts are handed over only then. */
  end(): void {
    this.#take();
    this.#finish();
  }

  /** Only children with the entry's own prefix count, so `<image:loc>` does not. Dates may be `dc:date`. */
  #openChild(entry: Entry, name: string, { href = "", rel, hreflang }: Record<string, string | undefined>): void {
    const { kind, address, otherAddress, dates } = this.#shape;
    const local = localName(name);
    const isOwn = prefixOf(name) === entry.prefix;
    this.#text = "";
    if (local === address && isOwn) {
      const isList = kind === "urlset" || kind === "sitemapindex";
      if (entry.addresses.length > 0 && !isList) return;
      if (kind !== "atom") this.#captured = "address";
      else if ((rel === undefined || rel === "alternate") && href.trim() !== "") entry.addresses.push(href.trim());
    } else if (local === otherAddress) this.#captured = "otherAddress";
    else if (dates.includes(local) && entry.lastmod === "") this.#captured = "lastmod";
    else if (isOwn && (local === "priority" || local === "changefreq")) this.#captured = local;
    else if (local === "link" && rel?.toLowerCase() === "alternate" && hreflang !== undefined && href !== "")
      entry.alternates.push([hreflang.trim(), href.trim()]);
  }

  #take(): void {
    const value = this.#text.trim();
    const entry = this.#entry;
    if (entry !== null && this.#captured === "address" && value !== "") entry.addresses.push(value);
    else if (entry !== null && this.#captured !== null && this.#captured !== "address") entry[this.#captured] ||= value;
    this.#captured = null;
    this.#text = "";
  }

  #finish(): void {
    const entry = this.#entry;
    this.#entry = null;
    this.#captured = null;
    if (entry === null) return;
    for (const address of this.#addressesOf(entry)) {
      if (this.#hasOwnEntities && /&\w+;/.test(address))
        this.#collector.addProblem("addresses with entities of its own are left out");
      else if (this.#shape.kind === "sitemapindex") this.#collector.addSitemap(address);
      else this.#collector.addUrl(address, entry);
    }
  }

  #addressesOf({ addresses, otherAddress, ownText }: Entry): string[] {
    const { address } = this.#shape;
    if (addresses.length > 1) this.#collector.addProblem(`entries with several <${address}>`);
    if (addresses.length > 0) return addresses;
    // The id of an entry need not be an address.
    if (/^https?:\/\//i.test(otherAddress)) return [otherAddress];
    this.#collector.addProblem(`entries without <${address}>`);
    const own = ownText.trim();
    return own === "" ? [] : [own];
  }
}
