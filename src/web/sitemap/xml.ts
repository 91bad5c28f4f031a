/** Reads XML sitemaps, sitemap indexes, RSS and Atom feeds from a stream of text, broken ones as far as they go. */
import { SaxesParser } from "saxes";
import { createAmpersandEscaper } from "./ampersand.ts";
import type { SitemapCollector } from "./collector.ts";
import { Entries, localName, type Shape } from "./entries.ts";

export type XmlKind = Shape["kind"];

export interface SitemapReader<Kind> {
  write(text: string): void;
  /** Not called when reading stopped early. */
  end(): void;
  /** The rest cannot be read. */
  readonly done: boolean;
  readonly kind: Kind | null;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  urlset: { kind: "urlset", entry: "url", address: "loc", dates: ["lastmod"] },
  sitemapindex: { kind: "sitemapindex", entry: "sitemap", address: "loc", dates: ["lastmod"] },
  rss: { kind: "rss", entry: "item", address: "link", otherAddress: "guid", dates: ["pubdate"] },
  // RSS 1.0
  rdf: { kind: "rss", entry: "item", address: "link", dates: ["date"] },
  feed: { kind: "atom", entry: "entry", address: "link", dates: ["updated", "published"] },
};

/** Sitemaps nest three levels deep, feeds with content a few dozen. Without a limit, 50 MB of `<a>` would fill the memory. */
const MAX_DEPTH = 200;
const MAX_ATTRIBUTES = 200;
const MAX_SAID = 100;

export function createXmlReader(collector: SitemapCollector): SitemapReader<XmlKind> {
  // Prefixes are handled here, not by the parser: a feed with an undeclared prefix is still a feed.
  const parser = new SaxesParser({ xmlns: false });
  const escaper = createAmpersandEscaper();
  let shape: Shape | null = null;
  let entries: Entries | null = null;
  let hasOwnEntities = false;
  let depth = 0;
  let attributes = 0;
  let stopped = false;
  let isEnding = false;
  /** XML problems: one example of each is enough. */
  const said = new Set<string>();

  function stop(problem: string): void {
    if (!stopped) collector.addProblem(problem);
    stopped = true;
  }

  function openRoot(name: string): void {
    shape = SHAPES[localName(name)] ?? null;
    entries = shape && new Entries(shape, collector, hasOwnEntities);
    if (shape === null) stop(`not a sitemap: its root element is <${name}>`);
  }

  parser.on("error", (error) => {
    const what = error.message.replace(/^\d+:\d+: /, "");
    if (!stopped && !said.has(what)) collector.addProblem(`XML ${error.message}`);
    if (said.size < MAX_SAID) said.add(what);
  });
  parser.on("doctype", (doctype) => {
    if (/^\s*html\b/i.test(doctype)) return stop("not a sitemap: an HTML page");
    // Entities that a document declares are never expanded, because they can grow without end or name files.
    hasOwnEntities = /<!ENTITY/i.test(doctype);
    if (hasOwnEntities) collector.addProblem("entities of its own (DTD) are not expanded");
  });
  parser.on("attribute", () => {
    if (++attributes > MAX_ATTRIBUTES) stop(`refused: more than ${MAX_ATTRIBUTES} attributes on one element`);
  });
  parser.on("opentag", (tag) => {
    attributes = 0;
    depth++;
    if (stopped || collector.truncated) return;
    if (depth > MAX_DEPTH) return stop(`refused: elements nested more than ${MAX_DEPTH} deep`);
    if (depth === 1) openRoot(tag.name);
    else entries?.open(tag.name, depth, tag.attributes as Record<string, string | undefined>);
  });
  // A text that the end of the file interrupts may have been cut.
  const addText = (piece: string) => {
    if (!isEnding) entries?.text(piece, depth);
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    entries?.close(depth);
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
      isEnding = true;
      parser.close();
      entries?.end();
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
