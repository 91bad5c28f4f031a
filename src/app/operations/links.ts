/** Operations on the links of a crawl. */
import { z } from "zod";
import { KINDS } from "../../site/links/link-kinds.ts";
import { LINK_POSITIONS } from "../../site/page/page-content.ts";
import { LINK_STATES } from "../../site/store/link-explorer.ts";
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
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL"],
  input: z.object({ id, url: pageUrl, limit }),
  output: pageLinks,
  run: (app, input, caller) => app.crawlData.pageLinks(input, caller?.signal),
});

const linksQuestion = z.object({
  id,
  url: pageUrl,
  direction: z.enum(["in", "out"]),
  type: z.enum(KINDS).nullable().default(null).meta({ description: "Only links of this type, such as image." }),
  unique: z
    .enum(["yes", "no"])
    .default("no")
    .meta({ description: "Each other URL once, by its first link, with the number of its links." }),
  limit,
  cursor,
});
export type LinksQuestion = z.output<typeof linksQuestion>;

const linkPage = pageOf(linkRow).extend({
  url: z.string().meta({ description: "The URL in the crawl's canonical form." }),
});
export type LinksPage = z.output<typeof linkPage>;

export const listLinks = operation({
  name: "listLinks",
  kind: "read",
  summary: "Links to or from a URL, one page at a time",
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL", "BAD_USAGE"],
  input: linksQuestion,
  output: linkPage,
  run: (app, input, caller) => app.crawlData.links(input, caller?.signal),
});

const linkState = z.enum(LINK_STATES).meta({
  description:
    "What is known about the target: alive; dead; unverified, when the host turns crawlers away or was busy; unchecked, when it was not fetched.",
});

const linkOfCrawl = z
  .object({
    source: z.string(),
    target: z.string(),
    type: z.string(),
    text: z.string(),
    position: z.string(),
    nofollow: z.boolean(),
    internal: z.boolean(),
    rendered: z.boolean().meta({ description: "Only present after scripts ran." }),
    status: z.int().nullable(),
    error: z.string().nullable(),
    state: linkState,
    reason: z.string().nullable().meta({ description: "Why the target was not fetched." }),
  })
  .meta({ id: "LinkOfCrawl" });

const yesOrNo = (description: string) => z.enum(["yes", "no"]).nullable().default(null).meta({ description });

const linkSearch = z.object({
  id,
  state: linkState.nullable().default(null),
  internal: yesOrNo("Only internal links, or only external ones."),
  nofollow: yesOrNo("Only links with nofollow, or only those without."),
  type: z.enum(KINDS).nullable().default(null),
  position: z.enum(LINK_POSITIONS).nullable().default(null),
  statusClass: z.int().min(1).max(5).nullable().default(null).meta({
    description: "The first digit of the target's status: 3 for redirects, 4 and 5 for errors.",
  }),
  search: z
    .string()
    .max(2_000)
    .nullable()
    .default(null)
    .meta({ description: "Text that source, target or anchor contains." }),
  limit,
  cursor,
});
export type LinkSearchQuestion = z.output<typeof linkSearch>;
const linksOfCrawl = pageOf(linkOfCrawl);
export type LinksOfCrawlAnswer = z.output<typeof linksOfCrawl>;

export const searchLinks = operation({
  name: "searchLinks",
  kind: "read",
  summary: "The links of a whole crawl, one row each: source, target, anchor, position, status",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: linkSearch,
  output: linksOfCrawl,
  run: (app, input, caller) => app.linkSearch.search(input, caller?.signal),
});

const brokenUrl = z
  .object({
    url: z.string(),
    internal: z.boolean(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    state: linkState,
    links: z.int().meta({ description: "Links to the URL." }),
    pages: z.int().meta({ description: "Pages that have such a link." }),
    sources: z.array(
      z.object({
        url: z.string(),
        text: z.string(),
        type: z.string(),
        position: z.string(),
        nofollow: z.boolean(),
      }),
    ),
  })
  .meta({ id: "BrokenUrl" });

const brokenQuestion = z.object({
  id,
  internal: yesOrNo("Only URLs of the site, or only those outside."),
  unverified: z
    .enum(["yes", "no"])
    .default("no")
    .meta({ description: "Include links whose target could not be verified." }),
  sources: z.int().min(1).max(10_000).default(1_000).meta({ description: "The most links listed for each." }),
  limit,
  cursor,
});
export type BrokenQuestion = z.output<typeof brokenQuestion>;
const brokenAnswer = pageOf(brokenUrl);
export type BrokenAnswer = z.output<typeof brokenAnswer>;

export const listBrokenLinks = operation({
  name: "listBrokenLinks",
  kind: "read",
  summary: "Broken links with all their sources",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: brokenQuestion,
  output: brokenAnswer,
  run: (app, input, caller) => app.linkSearch.broken(input, caller?.signal),
});

export const graphNode = z.object({
  id: z.int(),
  url: z.string(),
  title: z.string().nullable(),
  status: z.int().nullable(),
  depth: z.int(),
  inlinks: z.int().nullable().meta({
    description: "Links to it from other pages; null while the crawl is running and has too many links to count.",
  }),
  outlinks: z.int(),
  linksIn: z.int().nullable().meta({ description: "Deprecated: the same as inlinks.", deprecated: true }),
  linksOut: z.int().meta({ description: "Deprecated: the same as outlinks.", deprecated: true }),
});

const graph = z.object({
  nodes: z.array(graphNode),
  edges: z.array(z.object({ source: z.int(), target: z.int(), count: z.int() })),
  totalNodes: z.int().meta({
    description:
      "Documents of the crawl: its pages, and links that turned out to be something else, such as redirects and broken ones. A large crawl has more than are listed.",
  }),
  totalEdges: z.int().meta({ description: "Distinct links among the listed pages; the heaviest are listed." }),
  rankedBy: z
    .enum(["links", "discovery"])
    .meta({ description: "How the listed pages were chosen; discovery while links cannot be counted." }),
  isComplete: z.boolean().meta({ description: "False if the listed pages have too many links to read them all." }),
});
export type Graph = z.output<typeof graph>;

export const getGraph = operation({
  name: "getGraph",
  kind: "read",
  summary: "The most linked pages and the links among them, for a graph",
  errors: ["CRAWL_NOT_FOUND"],
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
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL", "BAD_USAGE"],
  input: treeQuestion,
  output: tree,
  run: (app, input, caller) => app.crawlData.tree(input, caller?.signal),
});

const folderCounts = {
  urls: z.int().meta({ description: "Fetched URLs of the site, in this folder and below." }),
  ok: z.int(),
  redirect: z.int(),
  clientError: z.int(),
  serverError: z.int(),
  noAnswer: z.int(),
  depth: z.number().nullable().meta({ description: "Links from the start, on average." }),
  findings: z.int().meta({ description: "What the audit found on these URLs, accepted findings included." }),
  filter: z.array(z.string()).meta({ description: "The filters that list exactly these URLs." }),
};
const structureEntry = z.object({
  kind: z.enum(["folder", "here", "rest"]).meta({
    description:
      "here: URLs directly in the folder above; rest: smaller folders, whose filter lists all of the folder above.",
  }),
  name: z.string(),
  folder: z.string(),
  folders: z.int(),
  ...folderCounts,
});
const structure = z.object({
  folder: z.string().nullable().meta({ description: "null: all hosts of the site." }),
  ...folderCounts,
  children: z.array(structureEntry.extend({ children: z.array(structureEntry) })),
  wasAudited: z.boolean(),
});
export type Structure = z.output<typeof structure>;

const structureQuestion = z.object({
  id,
  folder: pageUrl
    .nullable()
    .default(null)
    .meta({ description: "A folder; by default, the one where the site first branches." }),
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(40)
    .meta({ description: "The maximum number of folders listed on each level." }),
});
export type StructureQuestion = z.output<typeof structureQuestion>;

export const getStructure = operation({
  name: "getStructure",
  kind: "read",
  summary: "The folders of a site, two levels at a time, with answers, depth and findings",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: structureQuestion,
  output: structure,
  run: (app, input, caller) => app.linkSearch.structure(input, caller?.signal),
});
