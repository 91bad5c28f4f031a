/** What a page looks like in the drawing, and which pages match a search. Independent of how it is drawn. */
import type { Graph } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { STATUS_CLASSES, type StatusClass, statusClassOf } from "../../lib/status.ts";
import { urlParts } from "../../lib/web-link.ts";

export type GraphNode = Graph["nodes"][number];

const SMALLEST = 3;
const LARGEST = 16;

/** By the square root of the links, so that the area grows with them. */
export function nodeSize(linksIn: number | null, most: number): number {
  return SMALLEST + (LARGEST - SMALLEST) * Math.sqrt((linksIn ?? 0) / Math.max(1, most));
}

export const mostLinksIn = (nodes: readonly GraphNode[]): number =>
  nodes.reduce((most, { linksIn }) => Math.max(most, linksIn ?? 0), 0);

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

export interface LegendRow extends StatusClass {
  count: number;
}

/** The status classes that occur, with their counts. */
export function legendOf(nodes: readonly GraphNode[]): LegendRow[] {
  const counts = Map.groupBy(nodes, ({ status }) => statusClassOf(status).name);
  return STATUS_CLASSES.map((entry) => ({ ...entry, count: counts.get(entry.name)?.length ?? 0 })).filter(
    ({ count }) => count > 0,
  );
}

/** What the drawing leaves out, so that nobody mistakes a part for the whole; null if nothing. */
export function noticeOf({ nodes, edges, totalNodes, totalEdges, rankedBy, isComplete }: Graph): string | null {
  if (nodes.length === totalNodes && edges.length === totalEdges && isComplete) return null;
  const notes: string[] = [];
  if (nodes.length === totalNodes) {
    notes.push(`All ${plural(totalNodes, "page")}`);
  } else {
    const which = rankedBy === "links" ? "the most linked" : "the first found, as links cannot be counted yet";
    notes.push(`${formatNumber(nodes.length)} of ${plural(totalNodes, "page")}, ${which}`);
  }
  if (edges.length < totalEdges) {
    notes.push(`${formatNumber(edges.length)} of ${plural(totalEdges, "link")} among them`);
  }
  if (!isComplete) notes.push("these pages have too many links to read them all");
  return `${notes.join("; ")}.`;
}
