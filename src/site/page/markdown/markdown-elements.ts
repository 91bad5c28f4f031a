/** What each element of a page means in Markdown: what it begins, and what happens when it ends. */
import { CELL, HEADING, LIST, LIST_ITEM, ROW } from "../../../web/html/element-bits.ts";
import { type Attributes, type Tag, tagNamed } from "../../../web/html/index.ts";
import { escapeInline, linkTarget, type Mark, MarkdownWriter, withoutControls } from "./markdown-writer.ts";

/** What happens when an element ends. */
export type End = () => void;

interface List {
  isOrdered: boolean;
  items: number;
}

const EMPHASIS: Record<string, string> = { b: "**", strong: "**", i: "*", em: "*", s: "~~", del: "~~", strike: "~~" };
const CODE_BLOCKS: ReadonlySet<Tag> = new Set(["pre", "listing", "xmp", "plaintext"].map(tagNamed));
const INLINE_CODE: ReadonlySet<Tag> = new Set(["code", "kbd", "samp", "tt"].map(tagNamed));

const WEB = /^https?:$/;
const LINKABLE = /^(?:https?|mailto|tel):$/;

export class MarkdownElements {
  readonly writer = new MarkdownWriter();
  /** Where the page's main part begins and ends among the blocks; null if it has no main part. */
  main: { from: number; to: number } | null = null;
  readonly #lists: List[] = [];
  #base: string;
  #hasBase = false;
  /** Text of an open `pre` or `code`: taken as it is. */
  #code: string[] | null = null;
  #rows: string[][] | null = null;

  constructor(url: string) {
    this.#base = url;
  }

  text(text: string): void {
    if (this.#code !== null) {
      this.#code.push(text);
      return;
    }
    const words = text.replace(/[\t\n\f\r ]+/g, " ");
    if (words.startsWith(" ")) this.writer.space();
    if (words !== "" && words !== " ") this.writer.text(escapeInline(words).trim());
    if (words.endsWith(" ")) this.writer.space();
  }

  breakLine(): void {
    if (this.#code === null) this.writer.endBlock();
    else this.#code.push("\n");
  }

  breakWord(): void {
    if (this.#code === null) this.writer.space();
  }

  /** An element without content. */
  empty({ name }: Tag, attributes: Attributes): void {
    if (name === "br" && this.#code !== null) this.#code.push("\n");
    else if (this.#code !== null) return;
    else if (name === "br") this.writer.lineBreak();
    else if (name === "hr") this.writer.rule();
    else if (name === "img") this.#image(attributes);
  }

  /** The first `<base href>` counts. */
  base(attributes: Attributes): void {
    const href = attributes.get("href");
    if (this.#hasBase || href === null) return;
    this.#hasBase = true;
    const base = URL.parse(href, this.#base);
    if (base !== null && WEB.test(base.protocol)) this.#base = base.href;
  }

  begin(tag: Tag, bits: number, attributes: Attributes): End | null {
    const { writer } = this;
    if (this.#code !== null) return null;
    if ((bits & HEADING) !== 0) writer.heading(Number(tag.name[1]));
    else if ((bits & LIST) !== 0) return this.#list(tag.name === "ol");
    else if ((bits & LIST_ITEM) !== 0) return this.#item();
    else if ((bits & CELL) !== 0) return this.#cell();
    else if ((bits & ROW) !== 0) this.#row();
    else if (CODE_BLOCKS.has(tag)) return this.#codeBlock(attributes);
    else if (INLINE_CODE.has(tag)) return this.#inlineCode();
    else if (Object.hasOwn(EMPHASIS, tag.name)) return this.#emphasis(EMPHASIS[tag.name]!);
    else if (tag.name === "a") return this.#link(attributes);
    else if (tag.name === "blockquote") return this.#quote();
    else if (tag.name === "table") return this.#table();
    else if (tag.name === "main" || attributes.get("role") === "main") return this.#mainPart();
    return null;
  }

  #emphasis(sign: string): End {
    return this.#mark({ opening: sign, closing: sign, isOnce: false });
  }

  #mark(mark: Mark): End {
    this.writer.openMark(mark);
    return () => this.writer.closeMark(mark);
  }

  #link(attributes: Attributes): End | null {
    const url = this.#resolve(attributes.get("href"), LINKABLE);
    return url === null ? null : this.#mark({ opening: "[", closing: `](${url})`, isOnce: true });
  }

  #image(attributes: Attributes): void {
    const alt = withoutControls(attributes.get("alt") ?? "")
      .replace(/\s+/g, " ")
      .trim();
    if (alt !== "") this.writer.image(alt, this.#resolve(attributes.get("src"), WEB));
  }

  #quote(): End {
    this.writer.openQuote();
    return () => this.writer.closeFrame();
  }

  #list(isOrdered: boolean): End {
    this.#lists.push({ isOrdered, items: 0 });
    return () => {
      this.#lists.pop();
      if (this.#lists.length === 0) this.writer.endList();
    };
  }

  #item(): End {
    const list = this.#lists.at(-1);
    if (list !== undefined) list.items++;
    this.writer.openItem(list?.isOrdered ? `${list.items}. ` : "- ");
    return () => this.writer.closeFrame();
  }

  #codeBlock(attributes: Attributes): End {
    this.#code = [];
    const language = languageOf(attributes);
    return () => {
      // The first line break behind `<pre>` is not part of it (WHATWG HTML, 13.2.6.4.7).
      const code = this.#takeCode().replace(/^\n/, "").trimEnd();
      if (code !== "") this.writer.codeBlock(code, language);
    };
  }

  #inlineCode(): End {
    this.#code = [];
    return () => {
      const code = this.#takeCode().replace(/\s+/g, " ").trim();
      if (code !== "") this.writer.code(code);
    };
  }

  #takeCode(): string {
    const code = (this.#code ?? []).join("");
    this.#code = null;
    return code;
  }

  /** A table inside a cell becomes plain text. */
  #table(): End | null {
    if (this.#rows !== null) return null;
    const rows: string[][] = [];
    this.#rows = rows;
    return () => {
      this.#rows = null;
      this.writer.endBlock();
      this.writer.table(rows);
    };
  }

  #row(): void {
    if (!this.writer.isInCell) this.#rows?.push([]);
  }

  #cell(): End | null {
    const { writer } = this;
    const rows = this.#rows;
    if (rows === null || writer.isInCell) return null;
    if (rows.length === 0) rows.push([]);
    writer.openCell();
    return () => {
      rows.at(-1)!.push(writer.closeCell());
    };
  }

  #mainPart(): End | null {
    if (this.main !== null) return null;
    this.writer.endBlock();
    const main = { from: this.writer.position, to: Number.POSITIVE_INFINITY };
    this.main = main;
    return () => {
      this.writer.endBlock();
      main.to = this.writer.position;
    };
  }

  #resolve(href: string | null, schemes: RegExp): string | null {
    const url = href === null ? null : URL.parse(href, this.#base);
    return url !== null && schemes.test(url.protocol) ? linkTarget(url.href) : null;
  }
}

/** `class="language-js"`, as HTML suggests and highlighters do. */
function languageOf(attributes: Attributes): string {
  const classes = attributes.entries().find(([name]) => name === "class")?.[1] ?? "";
  return /(?:^|\s)lang(?:uage)?-([a-zA-Z0-9+#-]{1,20})(?:\s|$)/.exec(classes)?.[1] ?? "";
}
