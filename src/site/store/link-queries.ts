/**
 * Queries on links: what a URL links to, what links to it and how often, the path from the start to it, and the fields
 * of a link.
 */

import { TrawlError } from "../../errors.ts";
import { wordOf } from "../facts/fact.ts";
import { IS_INLINK } from "../graph/link-graph.ts";
import { KINDS, type Kind, viaOf } from "../links/link-kinds.ts";
import {
  LINK_FLAGS,
  LINK_INTERNAL,
  LINK_NOFOLLOW,
  LINK_RENDERED,
  LINK_SPONSORED,
  LINK_UGC,
} from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { unknownField } from "./filter/unknown-field.ts";
import type { SiteReader } from "./reader.ts";

export interface LinkRow {
  url: string;
  type: string;
  text: string;
  context: string;
  position: string;
  path: string;
  nofollow: boolean;
  sponsored: boolean;
  ugc: boolean;
  internal: boolean;
  rendered: boolean;
  verdict: string;
  reason: string | null;
  status: number | null;
  title: string | null;
  contentType: string | null;
  /** Bytes of the other URL's body. */
  size: number | null;
  /** How many links this row stands for. */
  count: number;
}

export interface LinkPage {
  total: number;
  rows: LinkRow[];
  next: number | null;
}

export interface UrlRecord {
  id: number;
  url: string;
  verdict: string;
  reason: string | null;
  rule: string | null;
  state: string | null;
  depth: number;
  parent: number;
  via: string;
}

const LINK_COLUMNS = `l.id AS id, l.type AS type, l.position AS position, l.flags AS flags, o.url AS url,
  o.verdict AS verdict, o.reason AS reason, p.status AS status, p.title AS title,
  p.content_type AS contentType, p.size AS size,
  t.value AS text, x.value AS context, d.value AS path`;
const LINK_JOINS = `LEFT JOIN pages p ON p.id = o.id LEFT JOIN texts t ON t.id = l.text
  LEFT JOIN texts x ON x.id = l.context LEFT JOIN texts d ON d.id = l.path`;

export function findUrl(reader: SiteReader, url: string): UrlRecord {
  const row = reader.db
    .prepare("SELECT id, url, verdict, reason, rule, state, depth, parent, via FROM urls WHERE url = ?")
    .get(url) as unknown as (Omit<UrlRecord, "via"> & { via: number }) | undefined;
  if (row === undefined) throw new TrawlError("URL_NOT_IN_CRAWL", `This crawl did not find ${url}`);
  return { ...row, via: viaOf(row.via) };
}

export interface LinksOf {
  id: number;
  limit: number;
  after: number;
  /** Only links of this type; null for all. */
  type?: string | null;
  /** Each other URL once, by its first link. */
  isUnique?: boolean;
}

/** Links on the page, in order. */
export function linksOut(reader: SiteReader, { id, ...asked }: LinksOf): LinkPage {
  const page = reader.db.prepare("SELECT first_link, link_count FROM pages WHERE id = ?").get(id);
  const first = Number(page?.["first_link"] ?? 0);
  const count = first === 0 ? 0 : Number(page?.["link_count"] ?? 0);
  return linkPage(reader, { where: "l.id >= ? AND l.id < ?", values: [first, first + count], other: "target" }, asked);
}

/** Links to the URL. Fast once the crawl has ended and its index is built. */
export function linksIn(reader: SiteReader, { id, ...asked }: LinksOf): LinkPage {
  return linkPage(reader, { where: "l.target = ?", values: [id], other: "source" }, asked);
}

function linkPage(
  { db }: SiteReader,
  { where, values, other }: { where: string; values: number[]; other: "source" | "target" },
  { limit, after, type = null, isUnique = false }: Omit<LinksOf, "id">,
): LinkPage {
  const ofType = type === null ? "" : ` AND l.type = ${KINDS.indexOf(type as Kind)}`;
  const from = `FROM links l WHERE ${where}${ofType}`;
  const counted = isUnique ? `count(DISTINCT l.${other})` : "count(*)";
  const total = Number(db.prepare(`SELECT ${counted} AS n ${from}`).get(...values)!["n"]);
  const chosen = isUnique
    ? `SELECT min(l.id) AS id, count(*) AS n ${from} GROUP BY l.${other} HAVING min(l.id) > ?`
    : `SELECT l.id AS id, 1 AS n ${from} AND l.id > ?`;
  const rows = db
    .prepare(
      `SELECT ${LINK_COLUMNS}, c.n AS count FROM (${chosen} ORDER BY 1 LIMIT ?) c JOIN links l ON l.id = c.id
       JOIN urls o ON o.id = l.${other} ${LINK_JOINS} ORDER BY l.id`,
    )
    .all(...values, after, limit + 1);
  return pageOf(rows as unknown as StoredRow[], total, limit);
}

/** The URLs from a start to this one, each found on the one before. */
export function pathFromStart(reader: SiteReader, id: number): UrlRecord[] {
  const rows = reader.db
    .prepare(
      `WITH RECURSIVE way (id, step) AS (
         SELECT ?, 0 UNION ALL SELECT urls.parent, step + 1 FROM way JOIN urls ON urls.id = way.id
         WHERE urls.parent <> 0 AND step < 10000)
       SELECT urls.id, url, verdict, reason, rule, state, depth, parent, via FROM way JOIN urls ON urls.id = way.id
       ORDER BY step DESC`,
    )
    .all(id) as unknown as (Omit<UrlRecord, "via"> & { via: number })[];
  return rows.map((row) => ({ ...row, via: viaOf(row.via) }));
}

interface StoredRow {
  id: number;
  type: number;
  position: number;
  flags: number;
  url: string;
  verdict: string;
  reason: string | null;
  status: number | null;
  title: string | null;
  contentType: string | null;
  size: number | null;
  count: number;
  text: string | null;
  context: string | null;
  path: string | null;
}

function pageOf(rows: StoredRow[], total: number, limit: number): LinkPage {
  const more = rows.length > limit;
  const shown = more ? rows.slice(0, -1) : rows;
  return { total, rows: shown.map(linkRow), next: more ? shown.at(-1)!.id : null };
}

const linkRow = (row: StoredRow): LinkRow => ({
  url: row.url,
  type: KINDS[row.type]!,
  text: row.text ?? "",
  context: row.context ?? "",
  position: LINK_POSITIONS[row.position]!,
  path: row.path ?? "",
  nofollow: (row.flags & LINK_NOFOLLOW) !== 0,
  sponsored: (row.flags & LINK_SPONSORED) !== 0,
  ugc: (row.flags & LINK_UGC) !== 0,
  internal: (row.flags & LINK_INTERNAL) !== 0,
  rendered: (row.flags & LINK_RENDERED) !== 0,
  verdict: row.verdict,
  reason: row.reason,
  status: row.status,
  title: row.title,
  contentType: row.contentType,
  size: row.size,
  count: row.count,
});

/** The numbers that make up a link, besides its own id. */
export type LinkKey = "source" | "target" | "type" | "text" | "context" | "position" | "path" | "flags";

export interface LinkField {
  /** The number that the field depends on. */
  key: LinkKey;
  /** Its value, given that number in SQL and, for source and target, the aliases of the URL and its page. */
  sql: (number: string, url: string, page: string) => string;
}

const textOf = (number: string): string => `(SELECT value FROM texts WHERE id = ${number})`;

export const LINK_FIELDS: Readonly<Record<string, LinkField>> = {
  source: { key: "source", sql: (_, url) => `${url}.url` },
  target: { key: "target", sql: (_, url) => `${url}.url` },
  type: { key: "type", sql: (number) => wordOf(number, KINDS) },
  text: { key: "text", sql: textOf },
  context: { key: "context", sql: textOf },
  position: { key: "position", sql: (number) => wordOf(number, LINK_POSITIONS) },
  path: { key: "path", sql: textOf },
  ...Object.fromEntries(
    Object.entries(LINK_FLAGS).map(([name, bit]): [string, LinkField] => [
      name,
      { key: "flags", sql: (number) => `(${number} & ${bit}) <> 0` },
    ]),
  ),
  status: { key: "target", sql: (_, __, page) => `${page}.status` },
  error: { key: "target", sql: (_, __, page) => `${page}.error` },
  verdict: { key: "target", sql: (_, url) => `${url}.verdict` },
  reason: { key: "target", sql: (_, url) => `${url}.reason` },
};

export const LINK_FIELD_NAMES: readonly string[] = Object.keys(LINK_FIELDS);

export function linkFieldOf(name: string): LinkField {
  if (Object.hasOwn(LINK_FIELDS, name)) return LINK_FIELDS[name]!;
  throw unknownField(name, LINK_FIELD_NAMES, " of links");
}

/** How many links may be read without an index: about a tenth of a second's worth. */
const FEW_LINKS = 1_000_000;

/** Links of the whole crawl. Ids have no gaps. */
export const allLinks = (reader: SiteReader): number =>
  Number(reader.db.prepare("SELECT coalesce(max(id), 0) AS n FROM links").get()!["n"]);

/** While a large crawl runs, the index by target is not built yet, and counting would take too long. */
export const canCountLinksIn = (reader: SiteReader): boolean =>
  reader.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'links_target'").get() !== undefined ||
  allLinks(reader) <= FEW_LINKS;

/** How many links of any kind lead to the URL, those on itself included; null when that cannot be counted quickly. */
export function countLinksIn(reader: SiteReader, id: number): number | null {
  if (!canCountLinksIn(reader)) return null;
  return Number(reader.db.prepare("SELECT count(*) AS n FROM links WHERE target = ?").get(id)!["n"]);
}

/** The facts `inlinks` of the crawl exist: it has ended, and was not made by an old version. */
export const hasInlinks = (reader: SiteReader): boolean =>
  reader.db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'graph'").get() !== undefined &&
  reader.db.prepare("SELECT 1 FROM graph LIMIT 1").get() !== undefined;

/** The fact `inlinks` of each of these URLs, counted if the crawl still runs; null when that would take too long. */
export function countInlinks(reader: SiteReader, ids: readonly number[]): Map<number, number> | null {
  const isThere = hasInlinks(reader);
  if (!isThere && !canCountLinksIn(reader)) return null;
  const asked = "(SELECT value FROM json_each(?))";
  const counts = new Map(ids.map((id) => [id, 0]));
  const rows = reader.db
    .prepare(
      isThere
        ? `SELECT id AS target, inlinks AS n FROM graph WHERE id IN ${asked}`
        : `SELECT target, count(*) AS n FROM links WHERE target IN ${asked} AND ${IS_INLINK} GROUP BY target`,
    )
    .all(JSON.stringify(ids));
  for (const row of rows) counts.set(Number(row["target"]), Number(row["n"]));
  return counts;
}
