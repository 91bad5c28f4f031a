/**
 * The links of a whole crawl, read once: how many lead to each URL and how many lead away, by kind. Everything is in
 * arrays of numbers indexed by the id of a URL, because a crawl may have millions of URLs and tens of millions of
 * links.
 */
import type { DatabaseSync } from "node:sqlite";
import { EXTERNAL, isResource, KINDS, VIAS } from "../links/link-kinds.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW } from "../page/link-types.ts";
import { eachRow } from "./each-row.ts";
import { Edges } from "./edges.ts";

/** What is known about a URL, as bits. */
export const INTERNAL = 1;
export const BROKEN = 2;
export const REDIRECT = 4;
export const PAGE = 8;
export const INDEXABLE = 16;
/** A start URL, or a URL of a list. */
export const START = 32;
/** This URL exists; ids may have gaps. */
export const KNOWN = 64;

export interface UrlTable {
  /** One more than the largest id. */
  size: number;
  bits: Uint8Array;
  /** The id that a URL redirects to, or 0. */
  redirectTo: Int32Array;
  /** How many bytes of it were transferred. */
  bytes: Int32Array;
}

const BITS = `(u.via & ${EXTERNAL} = 0 AND coalesce(u.reason, '') NOT IN ('external', 'external_resource')) * ${INTERNAL}
  + coalesce(p.error IS NOT NULL OR p.status >= 400, 0) * ${BROKEN}
  + coalesce(p.error IS NULL AND p.status BETWEEN 300 AND 399 AND p.status <> 304, 0) * ${REDIRECT}
  + coalesce(p.title_count IS NOT NULL AND p.error IS NULL AND (p.status BETWEEN 200 AND 299 OR p.status = 304), 0) * ${PAGE}
  + coalesce(p.indexable = 'Yes', 0) * ${INDEXABLE}
  + (u.parent = 0 AND u.via & 15 IN (${VIAS.indexOf("initial")}, ${VIAS.indexOf("list")})) * ${START} + ${KNOWN}`;

/** A row as numbers instead of an object, because there are millions. */
export type NumberRows = Iterable<number[]>;

export function numberRows(db: DatabaseSync, sql: string): NumberRows {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement.iterate() as unknown as NumberRows;
}

export function readUrls(db: DatabaseSync): UrlTable {
  const size = Number(db.prepare("SELECT coalesce(max(id), 0) + 1 AS n FROM urls").get()!["n"]);
  const table = { size, bits: new Uint8Array(size), redirectTo: new Int32Array(size), bytes: new Int32Array(size) };
  const sql = `SELECT u.id, ${BITS}, coalesce(p.redirect_to, 0), coalesce(p.size_wire, 0) FROM urls u NOT INDEXED LEFT JOIN pages p ON p.id = u.id`;
  for (const [id, bits, redirectTo, bytes] of numberRows(db, sql)) {
    table.bits[id!] = bits!;
    table.redirectTo[id!] = redirectTo!;
    table.bytes[id!] = Math.min(bytes!, 0x7fff_ffff);
  }
  return table;
}

/** What a link is by its kind: it leads to a page, it loads a file, it lists a page, or it only says something about one. */
const HYPERLINK = 1;
const USE = 2;
const LISTING = 3;
const GROUPS = Uint8Array.from(KINDS, (kind) => {
  if (kind === "anchor" || kind === "area" || kind === "route") return HYPERLINK;
  if (isResource(kind) || kind === "iframe" || kind === "request") return USE;
  return kind === "sitemap-entry" ? LISTING : 0;
});

const kindsIn = (group: number): string =>
  KINDS.flatMap((_, kind) => (GROUPS[kind] === group ? [kind] : [])).join(", ");
/** What the fact `inlinks` counts, over `links`: while a crawl runs, the fact is not there yet. */
export const IS_INLINK = `(type IN (${kindsIn(USE)}) OR type IN (${kindsIn(HYPERLINK)}) AND source <> target)`;

/** Counts by the id of a URL: links in are counted at the target, all others at the source. */
export const LINK_COUNTS = [
  "inlinks",
  "unique_inlinks",
  "unique_inlinks_followed",
  "inlinks_followed",
  "inlinks_indexable",
  "self_links",
  "outlinks_internal",
  "unique_outlinks",
  "outlinks_external",
  "outlinks_resources",
  "outlinks_nofollow",
  "broken_links",
  "broken_links_external",
  "redirect_links",
  "in_sitemaps",
  "resource_bytes",
] as const;
export type LinkCount = (typeof LINK_COUNTS)[number];
export type LinkCounts = Record<LinkCount, Int32Array>;

/** Gets every link, page by page. */
export interface LinkWatcher {
  link(source: number, target: number, type: number, flags: number, text: number, position: number): void;
  end(): void;
}

export interface LinkGraph {
  /** By the id of a page, a bit for each type of link that it has. */
  kinds: Int32Array;
  counts: LinkCounts;
  /** Followed links between URLs of the site, each pair once. */
  edges: Edges;
}

/** Links come in the order of their pages, so a pair is new if the last link to its target was on another page. */
export function readLinks(
  db: DatabaseSync,
  { size, bits, bytes }: UrlTable,
  watchers: readonly LinkWatcher[],
): LinkGraph {
  const counts = Object.fromEntries(LINK_COUNTS.map((name) => [name, new Int32Array(size)])) as LinkCounts;
  const lastSource = new Int32Array(size);
  const lastFollowing = new Int32Array(size);
  const lastLinking = new Int32Array(size);
  const lastListing = new Int32Array(size);
  const kinds = new Int32Array(size);
  const edges = new Edges(size);
  const hyperlink = (source: number, target: number, flags: number): void => {
    if (source === target) {
      counts.self_links[source]!++;
      return;
    }
    const to = bits[target]!;
    const isFollowed = (flags & LINK_NOFOLLOW) === 0;
    linkIn(source, target);
    if (isFollowed) counts.inlinks_followed[target]!++;
    const isNew = isFollowed && lastFollowing[target] !== source;
    if (isNew) {
      lastFollowing[target] = source;
      counts.unique_inlinks_followed[target]!++;
    }
    if ((bits[source]! & INDEXABLE) !== 0) counts.inlinks_indexable[target]!++;
    if ((flags & LINK_INTERNAL) === 0) {
      counts.outlinks_external[source]!++;
      if ((to & BROKEN) !== 0) counts.broken_links_external[source]!++;
      return;
    }
    counts.outlinks_internal[source]!++;
    if (lastLinking[target] !== source) {
      lastLinking[target] = source;
      counts.unique_outlinks[source]!++;
    }
    if ((to & BROKEN) !== 0) counts.broken_links[source]!++;
    else if ((to & REDIRECT) !== 0) counts.redirect_links[source]!++;
    if (!isFollowed) counts.outlinks_nofollow[source]!++;
    else if (isNew) edges.add(source, target);
  };
  const linkIn = (source: number, target: number): void => {
    counts.inlinks[target]!++;
    if (lastSource[target] === source) return;
    lastSource[target] = source;
    counts.unique_inlinks[target]!++;
  };
  eachLink(db, (source, target, type, flags, text, position) => {
    kinds[source]! |= 1 << type;
    for (const watcher of watchers) watcher.link(source, target, type, flags, text, position);
    const group = GROUPS[type];
    if (group === HYPERLINK) hyperlink(source, target, flags);
    else if (group === USE) {
      counts.outlinks_resources[source]!++;
      if (lastSource[target] !== source) counts.resource_bytes[source]! += bytes[target]!;
      linkIn(source, target);
    } else if (group === LISTING && lastListing[target] !== source) {
      lastListing[target] = source;
      counts.in_sitemaps[target]!++;
    }
  });
  for (const watcher of watchers) watcher.end();
  return { counts, edges, kinds };
}

const FLAG_BITS = 8;
const TYPE_BITS = 8;
const BYTE = 0xff;

/** In the order of their ids, which is that of their pages. */
function eachLink(db: DatabaseSync, take: LinkWatcher["link"]): void {
  const bits = `(position << ${FLAG_BITS + TYPE_BITS}) | (type << ${FLAG_BITS}) | flags`;
  eachRow(db, { table: "links", columns: ["source", "target", "text", bits] }, (source, target, text, packed) =>
    take(source, target, (packed >> FLAG_BITS) & BYTE, packed & BYTE, text, packed >> (FLAG_BITS + TYPE_BITS)),
  );
}
