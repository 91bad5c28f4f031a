/** The crawl as a tree, by where each page was found first: one level at a time, so that any size can be unfolded. */

import { type GraphNode, IS_PAGE, NODE_COLUMNS } from "./graph.ts";
import { countLinksIn } from "./link-count.ts";
import { findUrl } from "./link-queries.ts";
import type { SiteReader } from "./reader.ts";

export interface TreeNode extends GraphNode {
  /** Pages that were found on it first. */
  children: number;
}

export interface TreeQuery {
  /** The page whose children are asked for; null for those that the start, a list or a sitemap gave. */
  url: string | null;
  limit: number;
  /** `next` of the part before. */
  cursor: number | null;
}

export interface TreeLevel {
  total: number;
  /** In the order they were found. */
  nodes: TreeNode[];
  next: number | null;
}

export function treeChildren(reader: SiteReader, { url, limit, cursor }: TreeQuery): TreeLevel {
  const parent = url === null ? 0 : findUrl(reader, url).id;
  const from = `FROM urls u JOIN pages p ON p.id = u.id WHERE u.parent = ? AND ${IS_PAGE}`;
  const rows = reader.db
    .prepare(`SELECT ${NODE_COLUMNS} ${from} AND u.id > ? ORDER BY u.id LIMIT ?`)
    .all(parent, cursor ?? 0, limit + 1) as unknown as Omit<TreeNode, "linksIn" | "children">[];
  const shown = rows.slice(0, limit);
  const ids = shown.map(({ id }) => id);
  const linksIn = countLinksIn(reader, ids);
  const children = countChildren(reader, ids);
  return {
    total: Number(reader.db.prepare(`SELECT count(*) AS n ${from}`).get(parent)!["n"]),
    nodes: shown.map((row) => ({
      ...row,
      linksIn: linksIn?.get(row.id) ?? null,
      children: children.get(row.id) ?? 0,
    })),
    next: rows.length > limit ? shown.at(-1)!.id : null,
  };
}

/** Of all at once: while the index is not built yet, that is one pass over the table and not one for each. */
function countChildren({ db }: SiteReader, ids: number[]): Map<number, number> {
  const rows = db
    .prepare(
      `SELECT u.parent AS parent, count(*) AS n FROM urls u JOIN pages p ON p.id = u.id
       WHERE u.parent IN (SELECT value FROM json_each(?)) AND ${IS_PAGE} GROUP BY u.parent`,
    )
    .all(JSON.stringify(ids));
  return new Map(rows.map((row) => [Number(row["parent"]), Number(row["n"])]));
}
