import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type GraphNode,
  matchingNodes,
  mostLinksIn,
  nodeLabel,
  nodeSize,
  noticeOf,
  overlaps,
  sectionName,
  sectionsOf,
} from "./graph-model.ts";
import { graphSearch } from "./graph-search.ts";

const node = (id: number, url: string, rest: Partial<GraphNode> = {}): GraphNode => ({
  id,
  url,
  title: null,
  status: 200,
  depth: 0,
  inlinks: 0,
  outlinks: 0,
  linksIn: 0,
  linksOut: 0,
  ...rest,
});

test("the area of a page grows with its links, from small to large", () => {
  const sizes = [0, 25, 100].map((links) => nodeSize(links, 100));
  assert.deepEqual(sizes, [3, 9.5, 16]);
  assert.equal(nodeSize(null, 0), 3);
  assert.equal(mostLinksIn([node(1, "https://a/", { inlinks: 4 }), node(2, "https://a/b", { inlinks: null })]), 4);
});

test("a long path keeps its end", () => {
  assert.equal(nodeLabel(node(1, "https://a.example/shop")), "/shop");
  const long = nodeLabel(node(1, `https://a.example/${"x".repeat(80)}/end`));
  assert.equal(long.length, 42);
  assert.ok(long.startsWith("…") && long.endsWith("/end"));
});

test("pages are found by URL and title, whatever the case", () => {
  const nodes = [node(1, "https://a/Shop"), node(2, "https://a/x", { title: "The SHOP" }), node(3, "https://a/y")];
  assert.deepEqual([...matchingNodes(nodes, " shop ")!], [1, 2]);
  assert.equal(matchingNodes(nodes, "  "), null);
});

test("pages are coloured by section: the large ones, the rest together, and what is broken as that", () => {
  assert.deepEqual(
    ["https://a/", "https://a/about", "https://a/blog/x", "https://a/blog/", "https://a/x?y=/z/"].map(sectionName),
    ["/", "/", "/blog", "/blog", "/"],
  );
  const nodes = Array.from({ length: 10 }, (_, at) =>
    Array.from({ length: 12 - at }, (_, each) => node(at * 100 + each, `https://a/s${at}/${each}`)),
  ).flat();
  const broken = node(999, "https://a/s0/gone", { status: 404 });
  const { rows, of } = sectionsOf([...nodes, broken, node(998, "https://a/s1/none", { status: null })]);
  assert.deepEqual(
    rows.map(({ label, count }) => [label, count]),
    [...Array.from({ length: 8 }, (_, at) => [`/s${at}`, 12 - at]), ["2 smaller sections", 7], ["Broken", 2]],
  );
  assert.equal(of(broken).color, "--bad-fill");
  assert.equal(of(nodes[0]!).color, "--group-1");
  assert.equal(of(nodes.at(-1)!).color, "--quiet-fill");
  assert.equal(
    rows.reduce((sum, { count }) => sum + count, 0),
    nodes.length + 2,
  );
});

test("thousands of pages are drawn smaller, and labels know when they would overlap", () => {
  assert.ok(nodeSize(100, 100, 2_000) < 10);
  const box = { left: 0, top: 0, right: 10, bottom: 10 };
  assert.ok(overlaps(box, { left: 9, top: 9, right: 20, bottom: 20 }));
  assert.ok(!overlaps(box, { left: 10, top: 0, right: 20, bottom: 10 }));
});

test("the notice says what is left out, and nothing when nothing is", () => {
  const whole = {
    nodes: [node(1, "a")],
    edges: [],
    totalNodes: 1,
    totalEdges: 0,
    rankedBy: "links" as const,
    isComplete: true,
  };
  assert.equal(noticeOf(whole), null);
  assert.equal(noticeOf({ ...whole, totalNodes: 12_345 }), `1 of ${(12_345).toLocaleString()} URLs, the most linked.`);
  assert.match(
    noticeOf({ ...whole, totalEdges: 9, isComplete: false })!,
    /^All 1 URL; 0 of 9 links among them; they have/,
  );
  assert.match(noticeOf({ ...whole, totalNodes: 3, rankedBy: "discovery" })!, /first found/);
});

test("the address: what is not offered is left out", () => {
  assert.deepEqual(graphSearch({ view: "tree", nodes: "1000" }), { view: "tree", nodes: 1000 });
  assert.deepEqual(graphSearch({ view: "pie", nodes: 7 }), { view: undefined, nodes: undefined });
});
