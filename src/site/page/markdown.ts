/** A page as Markdown: headings, paragraphs, lists, links, code and tables of its main part, for people and agents to read. */
import { followHtml } from "../../web/html/index.ts";
import { MarkdownVisitor } from "./markdown-visitor.ts";

export interface MarkdownOptions {
  /** The page's address, for its relative links. */
  url: string;
  /** The whole page, with navigation, footer and asides; otherwise its `<main>`, or all but those. */
  everything?: boolean;
}

/** Never throws on any HTML; time and memory are linear in its length. No tag of the page is a tag in the result. */
export function htmlToMarkdown(html: string, { url, everything = false }: MarkdownOptions): string {
  const visitor = followHtml(html, (elements) => new MarkdownVisitor(url, everything, elements));
  const { writer, main } = visitor.elements;
  const mainPart = main === null || everything ? "" : writer.read(main.from, main.to);
  // An empty `<main>` is filled by scripts; the rest of the page is better than nothing.
  return mainPart === "" ? writer.read(0, writer.position) : mainPart;
}
