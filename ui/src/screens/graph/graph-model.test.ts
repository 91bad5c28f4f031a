import assert from "node:assert/strict";
import { test } from "node:test";
import { type GraphNode, legendOf, matchingNodes, mostLinksIn, nodeLabel, nodeSize, noticeOf } from "./graph-model.ts";
import { graphSearch } from "./graph-search.ts";

const node = (id: number, url: string, rest: Partial<GraphNode> = {}): GraphNode => ({
  id,
  url,
  title: null,
  status: 200,
  depth: 0,
  linksIn: 0,
  linksOut: 0,
  ...rest,
});

test("the area of a page grows with its links, from small to large", () => {
  const sizes = [0, 25, 100].map((links) => nodeSize(links, 100));
  assert.deepEqual(sizes, [3, 9.5, 16]);
  assert.equal(nodeSize(null, 0), 3);
  assert.equal(mostLinksIn([node(1, "https://a/", { linksIn: 4 }), node(2, "https://a/b", { linksIn: null })]), 4);
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

test("the legend has only what there is", () => {
  const nodes = [node(1, "a"), node(2, "b", { status: 404 }), node(3, "c", { status: null })];
  assert.deepEqual(
    legendOf(nodes).map(({ name, count }) => [name, count]),
    [
      ["2xx", 1],
      ["4xx", 1],
      ["error", 1],
    ],
  );
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
  assert.equal(noticeOf({ ...whole, totalNodes: 12_345 }), `1 of ${(12_345).toLocaleString()} pages, the most linked.`);
  assert.match(
    noticeOf({ ...whole, totalEdges: 9, isComplete: false })!,
    /^All 1 page; 0 of 9 links among them; these pages/,
  );
  assert.match(noticeOf({ ...whole, totalNodes: 3, rankedBy: "discovery" })!, /first found/);
});

test("the address: what is not offered is left out", () => {
  assert.deepEqual(graphSearch({ view: "tree", nodes: "1000" }), { view: "tree", nodes: 1000 });
  assert.deepEqual(graphSearch({ view: "pie", nodes: 7 }), { view: undefined, nodes: undefined });
});
