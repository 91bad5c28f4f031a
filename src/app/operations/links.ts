/** Operations on the links of a crawl. */
import { z } from "zod";
import { cursor, id, limit, operation, pageOf, pageUrl } from "./operation.ts";
import { linkRow } from "./shapes.ts";

const pageLinks = z.object({
  pageUrl: z.string(),
  inlinks: z.array(linkRow),
  inlinksTotal: z.int(),
  outlinks: z.array(linkRow),
  outlinksTotal: z.int(),
});
export type PageLinks = z.output<typeof pageLinks>;

/** Both directions in one answer, each up to `limit`. */
export const getPageLinks = operation({
  name: "getPageLinks",
  kind: "read",
  summary: "Links to and from a page",
  input: z.object({ id, url: pageUrl, limit }),
  output: pageLinks,
  run: (app, input, caller) => app.crawlData.pageLinks(input, caller?.signal),
});

const linksQuestion = z.object({ id, url: pageUrl, direction: z.enum(["in", "out"]), limit, cursor });
export type LinksQuestion = z.output<typeof linksQuestion>;

const linkPage = pageOf(linkRow).extend({
  url: z.string().meta({ description: "The URL in the crawl's canonical form." }),
});
export type LinksPage = z.output<typeof linkPage>;

export const listLinks = operation({
  name: "listLinks",
  kind: "read",
  summary: "Links to or from a URL, one page at a time",
  input: linksQuestion,
  output: linkPage,
  run: (app, input, caller) => app.crawlData.links(input, caller?.signal),
});

export const graphNode = z.object({
  id: z.int(),
  url: z.string(),
  title: z.string().nullable(),
  status: z.int().nullable(),
  depth: z.int(),
  linksIn: z.int().nullable().meta({ description: "null while the crawl is running and has too many links to count." }),
  linksOut: z.int(),
});

const graph = z.object({
  nodes: z.array(graphNode),
  edges: z.array(z.object({ source: z.int(), target: z.int(), count: z.int() })),
  totalNodes: z.int().meta({ description: "Pages of the crawl; a large crawl has more than are listed." }),
  totalEdges: z.int().meta({ description: "Distinct links among the listed pages; the heaviest are listed." }),
  rankedBy: z
    .enum(["links", "discovery"])
    .meta({ description: "How the listed pages were chosen; discovery while links cannot be counted." }),
  isComplete: z.boolean().meta({ description: "False when the listed pages have too many links to read all of them." }),
});
export type Graph = z.output<typeof graph>;

export const getGraph = operation({
  name: "getGraph",
  kind: "read",
  summary: "The most linked pages and the links among them, for a graph",
  input: z.object({ id, nodes: z.int().min(2).max(2_000).default(500) }),
  output: graph,
  run: (app, input, caller) => app.crawlData.graph(input, caller?.signal),
});

const treeQuestion = z.object({ id, url: pageUrl.nullable().default(null), limit, cursor });
export type TreeQuestion = z.output<typeof treeQuestion>;

const tree = pageOf(graphNode.extend({ children: z.int(), verdict: z.string(), reason: z.string().nullable() }));
export type Tree = z.output<typeof tree>;

export const getTree = operation({
  name: "getTree",
  kind: "read",
  summary: "The URLs found first on a URL: one level of the discovery tree",
  input: treeQuestion,
  output: tree,
  run: (app, input, caller) => app.crawlData.tree(input, caller?.signal),
});
