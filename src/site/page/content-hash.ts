/** The content hash of a page: equal for pages with the same content. */

import { hash } from "node:crypto";
import { decodeText, type HtmlSource, LINK_POSITIONS, type TextReader } from "../../web/html/index.ts";
import type { ContentHashOptions, HashStrip } from "./options.ts";

const CONTENT = LINK_POSITIONS.indexOf("content");

/** Any of these makes the hashed text differ from the visible text. */
const DIFFERENT: readonly HashStrip[] = ["scripts", "styles", "comments", "whitespace"];

/** Dates, times of day and Unix times. Every repeat has a small limit, so that matching stays linear. */
const TIMESTAMPS =
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b1\d{9}(?:\d{3})?\b/g;

/** Collects the text to hash, if it differs from the visible text. */
export class HashedText implements TextReader {
  readonly keepsScripts: boolean;
  readonly keepsStyles: boolean;
  readonly #keepsComments: boolean;
  readonly #keepsNavigation: boolean;
  readonly #keepsWhitespace: boolean;
  readonly #pieces: string[] = [];

  constructor(strip: readonly HashStrip[]) {
    this.keepsScripts = !strip.includes("scripts");
    this.keepsStyles = !strip.includes("styles");
    this.#keepsComments = !strip.includes("comments");
    this.#keepsNavigation = !strip.includes("navigation");
    this.#keepsWhitespace = !strip.includes("whitespace");
  }

  text(source: HtmlSource, start: number, end: number, references: boolean, position: number): void {
    if (this.#keepsNavigation || position === CONTENT) this.append(source, start, end, references);
  }

  comment(source: HtmlSource, start: number, end: number): void {
    if (this.#keepsComments) this.append(source, start, end, false);
  }

  append(source: HtmlSource, start: number, end: number, references: boolean): void {
    const raw = source.text(start, end);
    this.#pieces.push(references ? decodeText(raw) : raw);
  }

  /** Blocks separate words even without white space in the source. */
  breakWord(): void {
    if (!this.#keepsWhitespace) this.#pieces.push(" ");
  }

  toString(): string {
    const text = this.#pieces.join("");
    return this.#keepsWhitespace ? text : text.replace(/[\0- ]+/g, " ").replace(/^ | $/g, "");
  }
}

/** The collector for these options; `null` when the visible text is hashed, which is the default and costs nothing. */
export function hashedText(options: ContentHashOptions | null): HashedText | null {
  if (options === null) return null;
  const isVisibleText =
    DIFFERENT.every((strip) => options.strip.includes(strip)) && !options.strip.includes("navigation");
  return isVisibleText ? null : new HashedText(options.strip);
}

export function contentHash(text: Buffer | string, options: ContentHashOptions | null): string | null {
  if (options === null) return null;
  const input = options.strip.includes("timestamps") ? text.toString().replace(TIMESTAMPS, "") : text;
  return hash(options.algorithm, input, "hex");
}
