import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { writeGraphFacts } from "../graph/graph-facts.ts";
import { KINDS, kindNumber } from "../links/link-kinds.ts";
import { LINK_INTERNAL } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { type FakeUrl, siteDatabase } from "../testing/site-database.ts";
import { type GraphEdge, linkGraph, MAX_GRAPH_NODES, treeChildren } from "./graph.ts";
import { SiteReader } from "./reader.ts";

const site = (path: string | number) => `https://example.com/${path}`;
const CONTENT = LINK_POSITIONS.indexOf("content");
const links = (...targets: number[]) => ({
  links: targets.flatMap((target) => [target, kindNumber("anchor"), CONTENT, LINK_INTERNAL, 0, 0, 0]),
});
const page = (count: number, title: string) => ({ status: 200, title, title_count: 1, link_count: count });

const urls: FakeUrl[] = [
  { url: site(""), via: "initial", page: page(6, "Home"), ...links(2, 2, 3, 4, 5, 1) },
  { url: site("a"), depth: 1, parent: 1, page: page(3, "A"), ...links(1, 3, 6) },
  { url: site("b"), depth: 1, parent: 1, page: page(2, "B"), ...links(1, 2) },
  { url: site("logo.png"), depth: 1, parent: 1, kind: "image", page: { status: 200 } },
  { url: site("gone"), depth: 1, parent: 1, page: { status: 404 } },
  { url: site("c"), depth: 2, parent: 2, page: page(0, "C") },
  { url: site("skipped"), depth: 2, parent: 2, verdict: "skip", reason: "nofollow" },
  { url: site("sitemap.xml"), via: "sitemap", kind: "sitemap", page: { status: 200, link_count: 1 }, ...links(9) },
  { url: site("orphan"), depth: 1, parent: 8, via: "sitemap", page: page(0, "Orphan") },
];

describe("link graph", () => {
  const reader = new SiteReader(siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, urls));
  const plain = (edges: GraphEdge[]) => edges.map(({ source, target, count }) => [source, target, count]);

  it("has the most linked pages first and every link among them, no resources, no links to oneself", () => {
    const graph = linkGraph(reader);
    assert.deepEqual(
      graph.nodes.map(({ id, title, status, depth, inlinks, outlinks }) => [
        id,
        title,
        status,
        depth,
        inlinks,
        outlinks,
      ]),
      [
        [2, "A", 200, 1, 3, 3],
        [1, "Home", 200, 0, 2, 6],
        [3, "B", 200, 1, 2, 2],
        [5, null, 404, 1, 1, 0],
        [6, "C", 200, 2, 1, 0],
        [9, "Orphan", 200, 1, 1, 0],
      ],
    );
    assert.deepEqual(plain(graph.edges), [
      [2, 1, 1],
      [2, 3, 1],
      [2, 6, 1],
      [1, 2, 2],
      [1, 3, 1],
      [1, 5, 1],
      [3, 1, 1],
      [3, 2, 1],
    ]);
    const { pagesTotal, rankedBy, linksTotal, edgesTotal, isComplete } = graph;
    assert.deepEqual([pagesTotal, rankedBy, linksTotal, edgesTotal, isComplete], [6, "links", 12, 8, true]);
  });

  it("cut short tells what it leaves out, and keeps the links by which pages were found", () => {
    const graph = linkGraph(reader, { nodes: 3, edges: 2 });
    assert.deepEqual(
      graph.nodes.map(({ id }) => id),
      [2, 1, 3],
    );
    assert.deepEqual([graph.pagesTotal, graph.edgesTotal], [6, 6]);
    assert.deepEqual(plain(graph.edges), [
      [1, 2, 2],
      [1, 3, 1],
    ]);
  });

  it("counts links to a page as the facts do, before there are any and after", (t) => {
    const ofAllKinds = (target: number) => KINDS.flatMap((_, kind) => [target, kind, CONTENT, LINK_INTERNAL, 0, 0, 0]);
    const path = siteDatabase(t, [
      { url: site(""), page: page(2 * KINDS.length, "Home"), links: [...ofAllKinds(1), ...ofAllKinds(2)] },
      { url: site("x"), page: page(1, "X"), ...links(1) },
    ]);
    const counted = () => {
      const crawl = new SiteReader(path);
      const nodes = [...linkGraph(crawl).nodes, ...treeChildren(crawl, { url: null, limit: 9, cursor: null }).nodes];
      crawl.close();
      return nodes.map(({ id, inlinks }) => [id, inlinks]);
    };
    const before = counted();
    const db = new DatabaseSync(path);
    writeGraphFacts(db);
    const facts = new Map(
      db
        .prepare("SELECT id, inlinks FROM graph")
        .all()
        .map(({ id, inlinks }) => [id, inlinks]),
    );
    db.close();
    assert.deepEqual(counted(), before);
    assert.deepEqual(
      before,
      before.map(([id]) => [id, facts.get(id!)]),
    );
  });

  it("has pages that nothing links to when there is room", (t) => {
    const lonely = new SiteReader(
      siteDatabase(t, [
        { url: site(""), page: page(0, "Home") },
        { url: site("x"), page: page(0, "X") },
      ]),
    );
    t.after(() => lonely.close());
    assert.deepEqual(
      linkGraph(lonely).nodes.map(({ id, inlinks }) => [id, inlinks]),
      [
        [1, 0],
        [2, 0],
      ],
    );
    assert.equal(linkGraph(lonely, { nodes: 1, edges: 1 }).nodes.length, 1);
  });

  it("is never larger than can be drawn", (t) => {
    const many = Array.from({ length: MAX_GRAPH_NODES + 50 }, (_, index) => ({ url: site(index), page: page(0, "") }));
    const large = new SiteReader(siteDatabase(t, many));
    t.after(() => large.close());
    assert.equal(linkGraph(large, { nodes: 1e9, edges: 1e9 }).nodes.length, MAX_GRAPH_NODES);
  });

  it("of nothing is empty", (t) => {
    const empty = new SiteReader(siteDatabase(t, []));
    t.after(() => empty.close());
    const { nodes, edges, pagesTotal } = linkGraph(empty);
    assert.deepEqual([nodes, edges, pagesTotal], [[], [], 0]);
  });
});

describe("tree of first finds", () => {
  const reader = new SiteReader(siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, urls));
  const children = (url: string | null, limit = 10, cursor: number | null = null) =>
    treeChildren(reader, { url, limit, cursor });

  it("begins at what the start and other sources gave, and counts what lies below", () => {
    const { total, nodes, next } = children(null);
    assert.deepEqual([total, next], [1, null]);
    assert.deepEqual(
      nodes.map(({ url, children, inlinks }) => [url, children, inlinks]),
      [[site(""), 3, 2]],
    );
  });

  it("unfolds a page, part by part, without resources and what was not fetched", () => {
    const first = children(site(""), 2);
    assert.deepEqual([first.total, first.next], [3, 3]);
    assert.deepEqual(
      first.nodes.map(({ title, children }) => [title, children]),
      [
        ["A", 1],
        ["B", 0],
      ],
    );
    const rest = children(site(""), 2, first.next);
    assert.deepEqual([rest.nodes.map(({ status }) => status), rest.next], [[404], null]);
    assert.deepEqual(children(site("c")), { total: 0, nodes: [], next: null });
  });

  it("says so for a URL that the crawl never found", () => {
    assert.throws(() => children(site("never")), { code: "URL_NOT_IN_CRAWL" });
  });
});
