/**
 * The link graph of a crawl in a size that can be drawn: the pages that most links lead to, and the links among them.
 * The answer says what it leaves out. A million pages with five million links take about a second. Also the crawl as a
 * tree, one level at a time.
 */
import { IS_INLINK } from "../graph/link-graph.ts";
import { isListing, isResource, KINDS } from "../links/link-kinds.ts";
import { allLinks, canCountLinksIn, countInlinks, findUrl, hasInlinks } from "./link-queries.ts";
import type { SiteReader } from "./reader.ts";

export interface GraphNode {
  id: number;
  url: string;
  title: string | null;
  /** Null when it did not answer. */
  status: number | null;
  depth: number;
  /** Its inlinks; null while the crawl runs and has too many links to count. */
  inlinks: number | null;
  outlinks: number;
}

export interface GraphEdge {
  source: number;
  target: number;
  /** Links from one to the other. */
  count: number;
}

export interface LinkGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** Pages of the crawl. `nodes` are the most linked ones, or the first found while links cannot be counted. */
  pagesTotal: number;
  rankedBy: "links" | "discovery";
  /** Links of the crawl, of all kinds, … */
  linksTotal: number;
  /** … and pairs of shown pages that are linked; if `edges` has fewer, the most important are kept. */
  edgesTotal: number;
  /** False when the shown pages have so many links that not all were read. */
  isComplete: boolean;
}

export interface GraphOptions {
  nodes: number;
  edges: number;
}

/** More cannot be distinguished on a screen, and drawing them takes a browser seconds. */
export const MAX_GRAPH_NODES = 2_000;
export const MAX_GRAPH_EDGES = 20_000;
export const DEFAULT_GRAPH: GraphOptions = { nodes: 500, edges: 5_000 };

/** Link farms have 20,000 links per page. Reading this many takes under a second. */
const MAX_LINKS_READ = 1_000_000;

const LEFT_OUT = KINDS.flatMap((kind, number) => (isResource(kind) || isListing(kind) ? [number] : []));
/** Pages and failed pages: fetched, and neither a resource nor a sitemap. Over `urls u JOIN pages p`. */
export const IS_PAGE = `(p.title_count IS NOT NULL OR u.kind NOT IN (${LEFT_OUT.join(", ")}))`;
export const NODE_COLUMNS = `u.id AS id, u.url AS url, p.title AS title, p.status AS status, u.depth AS depth,
  coalesce(p.link_count, 0) AS outlinks`;

export function linkGraph(reader: SiteReader, options: GraphOptions = DEFAULT_GRAPH): LinkGraph {
  const count = Math.min(Math.max(1, Math.trunc(options.nodes)), MAX_GRAPH_NODES);
  const rankedBy = hasInlinks(reader) || canCountLinksIn(reader) ? "links" : "discovery";
  const nodes = rankedBy === "links" ? mostLinked(reader, count) : [];
  if (nodes.length < count) nodes.push(...firstFound(reader, count, new Set(nodes.map(({ id }) => id))));
  const { edges, isComplete } = edgesAmong(reader, nodes);
  const pages = reader.db
    .prepare(`SELECT count(*) AS n FROM pages p JOIN urls u ON u.id = p.id WHERE ${IS_PAGE}`)
    .get()!;
  return {
    nodes,
    edges: mostTelling(reader, edges, Math.min(Math.max(0, Math.trunc(options.edges)), MAX_GRAPH_EDGES)),
    pagesTotal: Number(pages["n"]),
    rankedBy,
    linksTotal: allLinks(reader),
    edgesTotal: edges.length,
    isComplete,
  };
}

function mostLinked(reader: SiteReader, count: number): GraphNode[] {
  const { db } = reader;
  const node = db.prepare(
    `SELECT ${NODE_COLUMNS} FROM urls u JOIN pages p ON p.id = u.id WHERE u.id = ? AND ${IS_PAGE}`,
  );
  const counts = hasInlinks(reader)
    ? "SELECT id AS target, inlinks AS n FROM graph WHERE inlinks > 0"
    : `SELECT target, count(*) AS n FROM links WHERE ${IS_INLINK} GROUP BY target`;
  const targets = db.prepare(`${counts} ORDER BY n DESC, target`).iterate();
  const nodes: GraphNode[] = [];
  for (const { target, n } of targets) {
    const found = node.get(target!) as Omit<GraphNode, "inlinks"> | undefined;
    if (found === undefined) continue;
    if (nodes.push({ ...found, inlinks: Number(n) }) === count) break;
  }
  return nodes;
}

/** Pages that no link leads to, and all pages while links cannot be counted. */
function firstFound(reader: SiteReader, count: number, known: Set<number>): GraphNode[] {
  const rows = reader.db
    .prepare(
      `SELECT ${NODE_COLUMNS} FROM urls u NOT INDEXED JOIN pages p ON p.id = u.id WHERE ${IS_PAGE} ORDER BY u.id LIMIT ?`,
    )
    .all(count + known.size) as unknown as Omit<GraphNode, "inlinks">[];
  const fresh = rows.filter(({ id }) => !known.has(id)).slice(0, count - known.size);
  const inlinks = countInlinks(
    reader,
    fresh.map(({ id }) => id),
  );
  return fresh.map((row) => ({ ...row, inlinks: inlinks?.get(row.id) ?? null }));
}

function edgesAmong({ db }: SiteReader, nodes: GraphNode[]): { edges: GraphEdge[]; isComplete: boolean } {
  const shown = new Set(nodes.map(({ id }) => id));
  // The links of a page are stored next to each other.
  const range = db.prepare("SELECT first_link AS first, link_count AS count FROM pages WHERE id = ?");
  const targets = db.prepare("SELECT target FROM links WHERE id >= ? AND id < ?");
  targets.setReturnArrays(true);
  const edges: GraphEdge[] = [];
  let left = MAX_LINKS_READ;
  for (const { id: source } of nodes) {
    const { first, count } = range.get(source) as { first: number | null; count: number | null };
    if (first === null || count === null) continue;
    if ((left -= count) < 0) return { edges, isComplete: false };
    const counts = new Map<number, number>();
    for (const [target] of targets.all(first, first + count) as unknown as [number][]) {
      if (target !== source && shown.has(target)) counts.set(target, (counts.get(target) ?? 0) + 1);
    }
    for (const [target, count] of counts) edges.push({ source, target, count });
  }
  return { edges, isComplete: true };
}

/** First the links by which pages were found, which keep the graph together, then the most frequent ones. */
function mostTelling({ db }: SiteReader, edges: GraphEdge[], limit: number): GraphEdge[] {
  if (edges.length <= limit) return edges;
  const parent = db.prepare("SELECT parent FROM urls WHERE id = ?");
  const parents = new Map<number, number>();
  for (const { target } of edges) {
    if (!parents.has(target)) parents.set(target, Number(parent.get(target)!["parent"]));
  }
  const isFirst = ({ source, target }: GraphEdge) => (parents.get(target) === source ? 1 : 0);
  return [...edges].sort((a, b) => isFirst(b) - isFirst(a) || b.count - a.count).slice(0, limit);
}

export interface TreeNode extends GraphNode {
  /** Pages that were first found on it. */
  children: number;
}

export interface TreeQuery {
  /** The page whose children are wanted; null for those found at the start, in a list or a sitemap. */
  url: string | null;
  limit: number;
  /** `next` of the previous part. */
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
    .all(parent, cursor ?? 0, limit + 1) as unknown as Omit<TreeNode, "inlinks" | "children">[];
  const shown = rows.slice(0, limit);
  const ids = shown.map(({ id }) => id);
  const inlinks = countInlinks(reader, ids);
  const children = countChildren(reader, ids);
  return {
    total: Number(reader.db.prepare(`SELECT count(*) AS n ${from}`).get(parent)!["n"]),
    nodes: shown.map((row) => ({
      ...row,
      inlinks: inlinks?.get(row.id) ?? null,
      children: children.get(row.id) ?? 0,
    })),
    next: rows.length > limit ? shown.at(-1)!.id : null,
  };
}

/** For all at once: while the index is not built yet, this is one scan of the table instead of one for each. */
function countChildren({ db }: SiteReader, ids: number[]): Map<number, number> {
  const rows = db
    .prepare(
      `SELECT u.parent AS parent, count(*) AS n FROM urls u JOIN pages p ON p.id = u.id
       WHERE u.parent IN (SELECT value FROM json_each(?)) AND ${IS_PAGE} GROUP BY u.parent`,
    )
    .all(JSON.stringify(ids));
  return new Map(rows.map((row) => [Number(row["parent"]), Number(row["n"])]));
}
