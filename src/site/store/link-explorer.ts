/** The links of a whole crawl, one row each, and broken URLs with all their sources. */
import type { SQLInputValue } from "node:sqlite";
import { fieldNamed } from "../facts/fact-fields.ts";
import { KINDS } from "../links/link-kinds.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { containsText, urlContains } from "./filter/contains.ts";
import { allLinks } from "./link-queries.ts";
import type { SiteReader } from "./reader.ts";

/**
 * What is known about a link's target. A host that turns crawlers away may serve visitors, so such a link is not called
 * dead.
 */
export const LINK_STATES = ["alive", "dead", "unverified", "unchecked"] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** Over the target's page `q`. */
const STATE = `CASE WHEN q.id IS NULL THEN 'unchecked'
  WHEN q.error = 'challenge' OR q.status IN (401, 403, 407, 408, 425, 429, 503, 999) THEN 'unverified'
  WHEN q.error IN ('dns_not_found', 'bad_encoding') OR q.status >= 400 THEN 'dead'
  WHEN q.status IS NULL THEN iif(q.error LIKE '%timeout%', 'unverified', 'dead') ELSE 'alive' END`;

export interface LinkOfCrawl {
  source: string;
  target: string;
  type: string;
  text: string;
  position: string;
  nofollow: boolean;
  internal: boolean;
  rendered: boolean;
  status: number | null;
  error: string | null;
  state: LinkState;
  /** Why the target was not fetched; null when it was. */
  reason: string | null;
}

export interface LinkSearch {
  state: LinkState | null;
  internal: boolean | null;
  nofollow: boolean | null;
  type: string | null;
  position: string | null;
  /** 3 for redirects, 4 and 5 for errors. */
  statusClass: number | null;
  /** Text that source, target or anchor contains. */
  search: string | null;
  limit: number;
  /** `next` of the previous page, or 0. */
  after: number;
}

export interface LinksOfCrawl {
  total: number;
  rows: LinkOfCrawl[];
  next: number | null;
}

const FROM = `FROM links l JOIN urls t ON t.id = l.target LEFT JOIN pages q ON q.id = l.target`;

export function searchLinks(reader: SiteReader, query: LinkSearch): LinksOfCrawl {
  const { conditions, values } = conditionsOf(query);
  const where = conditions.map((condition) => `AND ${condition}`).join(" ");
  const joined = query.search === null ? FROM : `${FROM} ${TEXTS}`;
  const total =
    conditions.length === 0
      ? allLinks(reader)
      : Number(reader.db.prepare(`SELECT count(*) AS n ${joined} WHERE 1 ${where}`).get(...values)!["n"]);
  const rows = reader.db
    .prepare(`SELECT ${COLUMNS} ${FROM} ${TEXTS} WHERE l.id > ? ${where} ORDER BY l.id LIMIT ?`)
    .all(query.after, ...values, query.limit + 1) as unknown as StoredLink[];
  const shown = rows.slice(0, query.limit);
  return { total, rows: shown.map(linkOf), next: rows.length > query.limit ? shown.at(-1)!.id : null };
}

const TEXTS = "JOIN urls s ON s.id = l.source LEFT JOIN texts x ON x.id = l.text";
const COLUMNS = `l.id AS id, s.url AS source, t.url AS target, l.type AS type, coalesce(x.value, '') AS text, l.position AS position,
  l.flags AS flags, q.status AS status, q.error AS error, ${STATE} AS state, t.reason AS reason`;

interface StoredLink extends Pick<LinkOfCrawl, "source" | "target" | "text" | "status" | "error" | "state" | "reason"> {
  id: number;
  type: number;
  position: number;
  flags: number;
}

const linkOf = ({ id: _, type, position, flags, ...row }: StoredLink): LinkOfCrawl => ({
  ...row,
  type: KINDS[type]!,
  position: LINK_POSITIONS[position]!,
  nofollow: (flags & LINK_NOFOLLOW) !== 0,
  internal: (flags & LINK_INTERNAL) !== 0,
  rendered: (flags & LINK_RENDERED) !== 0,
});

function conditionsOf(query: LinkSearch): { conditions: string[]; values: SQLInputValue[] } {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (sql: string, ...given: SQLInputValue[]) => {
    conditions.push(sql);
    values.push(...given);
  };
  const { state, internal, nofollow, type, position, statusClass, search } = query;
  // Few targets are dead, so their links are found through the index.
  if (state !== null && state !== "alive" && state !== "unchecked") {
    add(`l.target IN (SELECT q.id FROM pages q WHERE ${STATE} = ?)`, state);
  } else if (state !== null) add(`${STATE} = ?`, state);
  if (internal !== null) add(`(l.flags & ${LINK_INTERNAL} <> 0) = ?`, Number(internal));
  if (nofollow !== null) add(`(l.flags & ${LINK_NOFOLLOW} <> 0) = ?`, Number(nofollow));
  if (type !== null) add("l.type = ?", (KINDS as readonly string[]).indexOf(type));
  if (position !== null) add("l.position = ?", (LINK_POSITIONS as readonly string[]).indexOf(position));
  if (statusClass !== null) {
    add("l.target IN (SELECT id FROM pages WHERE status BETWEEN ? AND ?)", statusClass * 100, statusClass * 100 + 99);
  }
  if (search !== null) {
    const found = [urlContains("s.url", search), urlContains("t.url", search), containsText("x.value", search)];
    add(`(${found.map(({ sql }) => sql).join(" OR ")})`, ...found.flatMap((each) => each.values));
  }
  return { conditions, values };
}

export interface BrokenUrl {
  url: string;
  internal: boolean;
  status: number | null;
  error: string | null;
  state: LinkState;
  /** Links to it, and pages that have one. */
  links: number;
  pages: number;
  sources: { url: string; text: string; type: string; position: string; nofollow: boolean }[];
}

export interface BrokenQuery {
  /** Null: both those of the site and those outside. */
  internal: boolean | null;
  /** Also those that could not be verified. */
  unverified: boolean;
  /** The most sources of each. */
  sources: number;
  limit: number;
  after: number;
}

/** URLs that are linked and dead, each with the links that lead to it. */
export function brokenUrls(
  { db }: SiteReader,
  query: BrokenQuery,
): { total: number; rows: BrokenUrl[]; next: number | null } {
  const states = query.unverified ? "'dead', 'unverified'" : "'dead'";
  const internal = `(${fieldNamed("internal")!.sql} = 'Yes')`;
  const from = `FROM pages q JOIN urls u ON u.id = q.id LEFT JOIN pages p ON p.id = u.id WHERE ${STATE} IN (${states})
    ${query.internal === null ? "" : `AND ${internal} = ${Number(query.internal)}`}
    AND EXISTS (SELECT 1 FROM links l WHERE l.target = u.id)`;
  const total = Number(db.prepare(`SELECT count(*) AS n ${from}`).get()!["n"]);
  const rows = db
    .prepare(
      `SELECT u.id AS id, u.url AS url, ${internal} AS internal, q.status AS status, q.error AS error, ${STATE} AS state,
         (SELECT count(*) FROM links WHERE target = u.id) AS links,
         (SELECT count(DISTINCT source) FROM links WHERE target = u.id) AS pages
       ${from} AND u.id > ? ORDER BY u.id LIMIT ?`,
    )
    .all(query.after, query.limit + 1) as unknown as (Omit<BrokenUrl, "sources" | "internal"> & {
    id: number;
    internal: number;
  })[];
  const sources = db.prepare(
    `SELECT s.url AS url, coalesce(x.value, '') AS text, l.type AS type, l.position AS position, l.flags AS flags
     FROM links l ${TEXTS} WHERE l.target = ? ORDER BY l.id LIMIT ?`,
  );
  const shown = rows.slice(0, query.limit);
  return {
    total,
    rows: shown.map(({ id, internal: isInternal, ...row }) => ({
      ...row,
      internal: isInternal !== 0,
      sources: sources.all(id, query.sources).map((source) => ({
        url: String(source["url"]),
        text: String(source["text"]),
        type: KINDS[Number(source["type"])]!,
        position: LINK_POSITIONS[Number(source["position"])]!,
        nofollow: (Number(source["flags"]) & LINK_NOFOLLOW) !== 0,
      })),
    })),
    next: rows.length > query.limit ? shown.at(-1)!.id : null,
  };
}
