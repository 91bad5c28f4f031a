/** What a page looks like in the drawing, and which pages match a search. Independent of how it is drawn. */
import type { Graph } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { urlParts } from "../../lib/web-link.ts";

export type GraphNode = Graph["nodes"][number];

const SMALLEST = 3;
const LARGEST = 16;
/** From here on pages are drawn smaller, so that thousands of them leave room between them. */
const MANY = 500;

/** By the square root of the links, so that the area grows with them. */
export function nodeSize(inlinks: number | null, most: number, nodes = 1): number {
  const size = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt((inlinks ?? 0) / Math.max(1, most));
  return nodes <= MANY ? size : Math.max(1.6, size * smaller(nodes));
}

/** How much smaller everything is drawn when there are many pages. */
export const smaller = (nodes: number): number => Math.sqrt(Math.min(1, MANY / nodes));

export const mostLinksIn = (nodes: readonly GraphNode[]): number =>
  nodes.reduce((most, { inlinks }) => Math.max(most, inlinks ?? 0), 0);

const LABEL_LENGTH = 42;

/** The end of a path is what distinguishes pages. */
export function nodeLabel({ url }: Pick<GraphNode, "url">): string {
  const { path } = urlParts(url);
  return path.length <= LABEL_LENGTH ? path : `…${path.slice(1 - LABEL_LENGTH)}`;
}

/** Ids of the pages whose URL or title contains the text; null when nothing is searched for. */
export function matchingNodes(nodes: readonly GraphNode[], typed: string): Set<number> | null {
  const text = typed.trim().toLowerCase();
  if (text === "") return null;
  return new Set(
    nodes
      .filter(({ url, title }) => url.toLowerCase().includes(text) || title?.toLowerCase().includes(text))
      .map(({ id }) => id),
  );
}

/** As many as have a colour of their own. */
const COLORED = 8;

/** A group of pages with a colour: a section of the site, the small sections together, or what is broken. */
export interface Section {
  name: string;
  label: string;
  /** A custom property. */
  color: string;
  count: number;
}

export interface Sections {
  /** Most pages first; the rest and the broken ones last. */
  rows: readonly Section[];
  of: (node: GraphNode) => Section;
}

const REST = "rest";
const BROKEN = "broken";

/** The first folder of the path. A page without a folder belongs to the top. */
export function sectionName(url: string): string {
  const { path } = urlParts(url);
  return /^\/[^/?#]+(?=\/)/.exec(path)?.[0] ?? "/";
}

/** The sections that occur. What is broken is shown as that, wherever it is. */
export function sectionsOf(nodes: readonly GraphNode[]): Sections {
  const isBroken = ({ status }: GraphNode): boolean => status === null || status >= 400;
  const groups = Map.groupBy(nodes, (node) => (isBroken(node) ? BROKEN : sectionName(node.url)));
  const named = [...groups].filter(([name]) => name !== BROKEN).toSorted(([, a], [, b]) => b.length - a.length);
  const rows = new Map<string, Section>();
  const add = (name: string, label: string, color: string, count: number) => {
    if (count > 0) rows.set(name, { name, label, color, count });
  };
  for (const [at, [name, { length }]] of named.slice(0, COLORED).entries()) {
    add(name, name === "/" ? "Top level" : name, `--group-${at + 1}`, length);
  }
  const left = named.slice(COLORED);
  add(
    REST,
    `${plural(left.length, "smaller section")}`,
    "--quiet-fill",
    left.reduce((sum, [, { length }]) => sum + length, 0),
  );
  add(BROKEN, "Broken", "--bad-fill", groups.get(BROKEN)?.length ?? 0);
  return {
    rows: [...rows.values()],
    of: (node) => (isBroken(node) ? rows.get(BROKEN)! : (rows.get(sectionName(node.url)) ?? rows.get(REST)!)),
  };
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const overlaps = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * What the drawing leaves out, so that a part is not mistaken for the whole; null if nothing. It counts URLs: redirects and
 * broken links are drawn next to the pages.
 */
export function noticeOf({ nodes, edges, totalNodes, totalEdges, rankedBy, isComplete }: Graph): string | null {
  if (nodes.length === totalNodes && edges.length === totalEdges && isComplete) return null;
  const notes: string[] = [];
  if (nodes.length === totalNodes) {
    notes.push(`All ${plural(totalNodes, "URL")}`);
  } else {
    const which = rankedBy === "links" ? "the most linked" : "the first found, as links cannot be counted yet";
    notes.push(`${formatNumber(nodes.length)} of ${plural(totalNodes, "URL")}, ${which}`);
  }
  if (edges.length < totalEdges) {
    notes.push(`${formatNumber(edges.length)} of ${plural(totalEdges, "link")} among them`);
  }
  if (!isComplete) notes.push("they have too many links to read them all");
  return `${notes.join("; ")}.`;
}
