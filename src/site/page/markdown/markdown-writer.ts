/** Writes Markdown: blocks with their prefixes, and lines of text with emphasis, links and code. */

/** Open emphasis or an open link. It is written only when text follows, so that it is never empty. */
export interface Mark {
  opening: string;
  closing: string;
  /** Written in the first block only. An address repeated in every line would make a small page a huge text. */
  isOnce: boolean;
}

/** A quote or a list item: the prefix of its first line, and that of all others. */
interface Frame {
  first: string;
  rest: string;
  isList: boolean;
}

/** Quotes and lists deeper than this are not indented further: their lines would be mostly indentation. */
const MAX_FRAMES = 8;

interface Block {
  /** What separates the previous block from this one. */
  separator: string;
  text: string;
}

export class MarkdownWriter {
  readonly #blocks: Block[] = [];
  readonly #frames: (Frame | null)[] = [];
  readonly #marks: Mark[] = [];
  /** How many of the marks have been written in this line. */
  #written = 0;
  #line: string[] = [];
  #space = false;
  #heading = "";
  #wasList = false;
  #cell: string[] | null = null;

  /** The position of the next block. */
  get position(): number {
    return this.#blocks.length;
  }

  /** The blocks from one position to another. */
  read(from: number, to: number): string {
    const blocks = this.#blocks.slice(from, to);
    return blocks.map(({ separator, text }, index) => (index === 0 ? text : separator + text)).join("");
  }

  get isInCell(): boolean {
    return this.#cell !== null;
  }

  /** A run of white space between words. */
  space(): void {
    this.#space = true;
  }

  /** Text that is already escaped, without surrounding white space. */
  text(text: string): void {
    this.#begin();
    this.#line.push(this.#inCell(text));
  }

  code(code: string): void {
    this.#begin();
    this.#line.push(this.#inCell(inlineCode(code)));
  }

  image(alt: string, url: string | null): void {
    this.#begin();
    const text = this.#inCell(escapeInline(alt));
    this.#line.push(url === null ? text : `![${text}](${url})`);
  }

  lineBreak(): void {
    if (this.#heading !== "" || this.#cell !== null || this.#line.length === 0) {
      this.space();
      return;
    }
    if (this.#line.at(-1)!.endsWith("\n")) {
      // Two of them in a row are an old way to separate paragraphs.
      this.endBlock();
      return;
    }
    this.#closeMarks(0);
    this.#line.push("  \n");
    this.#space = false;
  }

  openMark(mark: Mark): void {
    // Bold inside bold changes nothing.
    if (!this.#marks.some(({ opening }) => opening === mark.opening)) this.#marks.push(mark);
  }

  /** Closes this mark; those opened inside it continue with the next text. */
  closeMark(mark: Mark): void {
    const at = this.#marks.lastIndexOf(mark);
    if (at < 0) return;
    this.#closeMarks(at);
    this.#marks.splice(at, 1);
  }

  /** Ends the block that is being written, if there is one. */
  endBlock(): void {
    this.#closeMarks(0);
    if (this.#cell !== null) {
      this.space();
      return;
    }
    const text = this.#line.join("").trimEnd();
    const heading = this.#heading;
    this.#line = [];
    this.#space = false;
    this.#heading = "";
    if (text !== "") this.#emit(heading === "" ? escapeLines(text) : `${heading} ${text}`);
  }

  heading(level: number): void {
    this.endBlock();
    if (this.#cell === null) this.#heading = "#".repeat(level);
  }

  rule(): void {
    this.endBlock();
    if (this.#cell === null) this.#emit("---");
  }

  codeBlock(code: string, language: string): void {
    this.endBlock();
    if (this.#cell === null) this.#emit(codeBlock(code, language));
    else this.code(code.replace(/\s+/g, " "));
  }

  openQuote(): void {
    this.#openFrame({ first: "> ", rest: "> ", isList: false });
  }

  openItem(marker: string): void {
    this.#openFrame({ first: marker, rest: " ".repeat(marker.length), isList: true });
  }

  /** Ends the quote or item that was opened last. */
  closeFrame(): void {
    this.endBlock();
    this.#frames.pop();
  }

  /** What follows a list does not belong to its last item. */
  endList(): void {
    this.endBlock();
    this.#wasList = false;
  }

  openCell(): void {
    this.endBlock();
    this.#cell = this.#line = [];
  }

  closeCell(): string {
    this.#closeMarks(0);
    const text = this.#line.join("").trim();
    this.#cell = null;
    this.#line = [];
    this.#space = false;
    return text;
  }

  /** The first row is the head. A table with one column is only layout. */
  table(rows: string[][]): void {
    const [head, ...body] = rows.filter((row) => row.some((cell) => cell !== ""));
    if (head === undefined) return;
    const width = [head, ...body].reduce((most, row) => Math.max(most, row.length), 0);
    if (width === 1) {
      for (const [cell] of [head, ...body]) this.#emit(escapeLines(cell!));
      return;
    }
    while (head.length < width) head.push("");
    const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
    this.#emit([line(head), line(head.map(() => "---")), ...body.map(line)].join("\n"));
  }

  #openFrame(frame: Frame): void {
    this.endBlock();
    this.#frames.push(this.#cell === null && this.#frames.length < MAX_FRAMES ? frame : null);
  }

  #inCell(text: string): string {
    return this.#cell === null ? text : text.replaceAll("|", "\\|");
  }

  #begin(): void {
    if (this.#space && this.#line.length > 0 && !this.#line.at(-1)!.endsWith("\n")) this.#line.push(" ");
    this.#space = false;
    for (; this.#written < this.#marks.length; this.#written++) this.#line.push(this.#marks[this.#written]!.opening);
  }

  #closeMarks(from: number): void {
    while (this.#written > from) {
      const mark = this.#marks[--this.#written]!;
      this.#line.push(mark.closing);
      if (mark.isOnce) this.#marks.splice(this.#written, 1);
    }
  }

  #emit(text: string): void {
    let first = "";
    let rest = "";
    let isNewItem = false;
    for (const frame of this.#frames) {
      if (frame === null) continue;
      isNewItem ||= frame.isList && frame.first !== frame.rest;
      first += frame.first;
      rest += frame.rest;
      // The marker of an item is written once.
      frame.first = frame.rest;
    }
    const isTight = isNewItem && this.#wasList;
    this.#wasList = this.#frames.some((frame) => frame?.isList === true);
    const separator = isTight ? "\n" : this.#separator(rest);
    this.#blocks.push({ separator, text: `${first}${text.replaceAll("\n", `\n${rest}`)}` });
  }

  /** A blank line inside a quote belongs to the quote. */
  #separator(rest: string): string {
    const quote = rest.trimEnd();
    const before = this.#blocks.at(-1)?.text.trimStart() ?? "";
    return quote === "" || !before.startsWith(quote) ? "\n\n" : `\n${quote}\n`;
  }
}

/**
 * Characters that begin markup anywhere in a line. A piece of text may end anywhere, so characters whose meaning
 * depends on what follows are escaped at its end as well. An underscore inside a word is not: names_like_this stay as
 * they are.
 */
const INLINE = /[\\`*[\]<~]|&(?=[#a-zA-Z]|$)|!(?=\[|$)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** What turns a line into markup when it comes first. */
const LINE_START = /^(?:[-+=>:]|#{1,6}(?=\s|$)|\d{1,9}(?=[.)](?:\s|$)))/;

/** Control characters have no meaning in text, and are dangerous on a terminal. */
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/g;

export const withoutControls = (text: string): string => text.replace(CONTROLS, "");

export const escapeInline = (text: string): string => text.replace(INLINE, "\\$&");

/** Escapes lines of text so that they do not become headings, lists, quotes or rules. */
export const escapeLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => {
      const start = LINE_START.exec(line)?.[0];
      if (start === undefined) return line;
      // In "1.", the dot is escaped: a backslash before a digit would be shown.
      return /^\d/.test(start) ? `${start}\\${line.slice(start.length)}` : `\\${line}`;
    })
    .join("\n");

/** Code between backticks: one more than the longest run inside. */
export function inlineCode(code: string): string {
  const fence = "`".repeat(longestRun(code) + 1);
  const pad = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + pad + code + pad + fence;
}

export function codeBlock(code: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** A URL as written between the brackets of a link, in a table or not. */
export const linkTarget = (url: string): string =>
  url.replace(/[()\\<>|\s]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
