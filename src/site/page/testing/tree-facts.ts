/** Facts read from parse5's tree, slowly and plainly: the reference for the extractor in tests. */

import { html as constants, type DefaultTreeAdapterTypes, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const SILENT = new Set("script style template noscript title iframe noembed noframes textarea head".split(" "));
const SEPARATING = new Set(
  (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup main " +
    "menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form table hr xmp plaintext li dd dt body html " +
    "tr td th tbody thead tfoot caption colgroup select iframe object legend option optgroup video audio canvas br button " +
    "img input svg textarea label"
  ).split(" "),
);

export interface TreeFacts {
  text: string;
  title: string | null;
  h1: string | null;
  anchors: { href: string; text: string; domPath: string }[];
  images: { href: string; domPath: string }[];
}

export function treeFacts(html: string): TreeFacts {
  const facts: TreeFacts = { text: "", title: null, h1: null, anchors: [], images: [] };
  const document = parse(html, { scriptingEnabled: false });
  for (const child of document.childNodes) walk(child, [], facts);
  facts.text = visibleText(document.childNodes);
  return facts;
}

function walk(node: Node, path: string[], facts: TreeFacts): void {
  if (!("tagName" in node)) return;
  const here = [...path, node.tagName.toLowerCase()];
  const domPath = here.slice(-8).join("/");
  if (node.tagName === "a" && attribute(node, "href") !== null) {
    const text = visibleText(node.childNodes);
    facts.anchors.push({ href: attribute(node, "href")!.trim(), text, domPath });
  }
  if (node.tagName === "img" && attribute(node, "src")) {
    facts.images.push({ href: attribute(node, "src")!.trim(), domPath });
  }
  if (node.tagName === "h1") facts.h1 ??= visibleText(node.childNodes);
  if (node.tagName === "title" && node.namespaceURI === constants.NS.HTML) {
    facts.title ??= collapse(node.childNodes.map((child) => ("value" in child ? child.value : "")).join(""));
  }
  for (const child of node.childNodes) walk(child, here, facts);
}

function attribute(element: Element, name: string): string | null {
  return element.attrs.find((candidate) => candidate.name === name)?.value ?? null;
}

function visibleText(nodes: Node[]): string {
  return collapse(nodes.map(textOf).join(""));
}

function textOf(node: Node): string {
  if (node.nodeName === "#text") return (node as DefaultTreeAdapterTypes.TextNode).value;
  if (!("tagName" in node)) return "";
  if (SILENT.has(node.tagName)) return SEPARATING.has(node.tagName) ? " " : "";
  const inner = node.childNodes.map(textOf).join("");
  return SEPARATING.has(node.tagName) ? ` ${inner} ` : inner;
}

/** All control characters count as white space, as in the extractor, because no page needs them told apart. */
function collapse(text: string): string {
  return text.replace(/[\x01- ]+/g, " ").replace(/^ | $/g, "");
}
