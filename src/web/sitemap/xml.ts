/** Reads XML sitemaps, sitemap indexes, RSS and Atom feeds from a stream of text, broken ones as far as they go. */
import { SaxesParser } from "saxes";
import { createAmpersandEscaper } from "./ampersand.ts";
import type { SitemapCollector } from "./collector.ts";

export type XmlKind = "urlset" | "sitemapindex" | "rss" | "atom";

export interface SitemapReader<Kind> {
  write(text: string): void;
  /** Not called when reading stopped early. */
  end(): void;
  /** The rest cannot be read. */
  readonly done: boolean;
  readonly kind: Kind | null;
}

/** How each kind names an entry and, within it, the address and the date. */
interface Shape {
  kind: XmlKind;
  entry: string;
  address: string;
  dates: readonly string[];
}

const SHAPES: Readonly<Record<string, Shape>> = {
  urlset: { kind: "urlset", entry: "url", address: "loc", dates: ["lastmod"] },
  sitemapindex: { kind: "sitemapindex", entry: "sitemap", address: "loc", dates: ["lastmod"] },
  rss: { kind: "rss", entry: "item", address: "link", dates: ["pubdate"] },
  // RSS 1.0
  rdf: { kind: "rss", entry: "item", address: "link", dates: ["date"] },
  feed: { kind: "atom", entry: "entry", address: "link", dates: ["updated", "published"] },
};

/** Sitemaps nest three levels deep, feeds with content a few dozen. Without a limit, 50 MB of `<a>` would fill the memory. */
const MAX_DEPTH = 200;
const MAX_ATTRIBUTES = 200;

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

function prefixOf(name: string): string {
  return name.slice(0, name.indexOf(":") + 1);
}

interface Entry {
  depth: number;
  prefix: string;
  address: string;
  date: string;
}

export function createXmlReader(collector: SitemapCollector): SitemapReader<XmlKind> {
  // Prefixes are handled here, not by the parser: a feed with an undeclared prefix is still a feed.
  const parser = new SaxesParser({ xmlns: false });
  const escaper = createAmpersandEscaper();
  let shape: Shape | null = null;
  let depth = 0;
  let attributes = 0;
  let entry: Entry | null = null;
  let captured: "address" | "date" | null = null;
  let text = "";
  let stopped = false;

  function stop(problem: string): void {
    if (!stopped) collector.addProblem(problem);
    stopped = true;
  }

  function finishEntry(): void {
    if (entry === null) return;
    if (shape?.kind === "sitemapindex") collector.addSitemap(entry.address);
    else collector.addUrl(entry.address, entry.date);
    entry = null;
    captured = null;
  }

  function openRoot(name: string): void {
    shape = SHAPES[localName(name)] ?? null;
    if (shape === null) stop(`not a sitemap: its root element is <${name}>`);
  }

  /** Only direct children with the entry's own prefix count, so `<image:loc>` does not. Dates may be `dc:date`. */
  function openChild(name: string, href: string | undefined, rel: string | undefined): void {
    const local = localName(name);
    if (shape === null || entry === null || depth !== entry.depth + 1) return;
    if (local === shape.address && prefixOf(name) === entry.prefix) {
      if (entry.address !== "") return;
      if (shape.kind !== "atom") captured = "address";
      else if (rel === undefined || rel === "alternate") entry.address = (href ?? "").trim();
    } else if (shape.dates.includes(local) && entry.date === "") captured = "date";
    text = "";
  }

  parser.on("error", (error) => {
    if (!stopped) collector.addProblem(`XML ${error.message}`);
  });
  parser.on("doctype", (doctype) => {
    // Entities that a document declares are never expanded (they can grow without end, or name files).
    if (/^\s*html\b/i.test(doctype)) stop("not a sitemap: an HTML page");
    else if (doctype.includes("[")) stop("refused: it declares its own entities (DTD)");
  });
  parser.on("attribute", () => {
    if (++attributes > MAX_ATTRIBUTES) stop(`refused: more than ${MAX_ATTRIBUTES} attributes on one element`);
  });
  parser.on("opentag", (tag) => {
    attributes = 0;
    depth++;
    if (stopped || collector.truncated) return;
    if (depth > MAX_DEPTH) return stop(`refused: elements nested more than ${MAX_DEPTH} deep`);
    if (depth === 1) return openRoot(tag.name);
    if (shape !== null && localName(tag.name) === shape.entry && (entry === null || depth <= entry.depth + 1)) {
      // An element that is still open lacks its end tag.
      finishEntry();
      entry = { depth, prefix: prefixOf(tag.name), address: "", date: "" };
    } else openChild(tag.name, tag.attributes["href"], tag.attributes["rel"]);
  });
  const addText = (piece: string) => {
    if (captured !== null) text += piece;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    if (entry !== null && captured !== null && depth === entry.depth + 1) {
      entry[captured] = text.trim();
      captured = null;
    }
    if (entry !== null && depth === entry.depth) finishEntry();
    depth--;
  });

  function feed(escaped: string): void {
    parser.write(escaped);
    if (escaper.escaped) collector.addProblem("ampersands are not escaped as &amp;");
  }

  return {
    write(piece) {
      feed(escaper.write(piece));
    },
    end() {
      feed(escaper.end());
      parser.close();
      finishEntry();
      if (shape === null) stop("not a sitemap: it has no root element");
    },
    get done() {
      return stopped;
    },
    get kind() {
      return shape?.kind ?? null;
    },
  };
}
