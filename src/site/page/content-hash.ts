/** The content hash of a page: equal for pages with the same content. */

import { createHash, hash } from "node:crypto";
import { decodeText, type HtmlSource, LINK_POSITIONS, type TextReader } from "../../web/html/index.ts";
import type { ContentHashOptions, HashStrip } from "./options.ts";

const CONTENT = LINK_POSITIONS.indexOf("content");

/** Any of these makes the hashed text differ from the visible text. */
const DIFFERENT: readonly HashStrip[] = ["scripts", "styles", "comments", "whitespace"];

/** Dates, times of day and Unix times. Every repeat has a small limit, so that matching stays linear. */
const TIMESTAMPS =
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b1\d{9}(?:\d{3})?\b/g;

/** Collects the text to hash if it differs from the visible text. */
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
  if (!options.strip.includes("timestamps")) return hash(options.algorithm, text, "hex");
  if (text.length <= PIECE) return hash(options.algorithm, text.toString().replace(TIMESTAMPS, ""), "hex");
  const digest = createHash(options.algorithm);
  for (const piece of pieces(text)) digest.update(piece.replace(TIMESTAMPS, ""));
  return digest.digest("hex");
}

/**
 * A large text as several strings, because a single one would take several times its size. No piece ends inside a
 * timestamp.
 */
function* pieces(text: Buffer | string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + PIECE);
    while (end < text.length && end < start + PIECE + LONGEST_WORD && !isBetweenWords(text, end)) end++;
    yield typeof text === "string" ? text.slice(start, end) : text.toString("utf8", start, end);
    start = end;
  }
}

const PIECE = 1 << 20;
const LONGEST_WORD = 1 << 10;

/** A date may have a space in it, but only before a digit. */
function isBetweenWords(text: Buffer | string, at: number): boolean {
  const code = (index: number): number => (typeof text === "string" ? text.charCodeAt(index) : text[index]!);
  return code(at - 1) === 32 && (code(at) < 48 || code(at) > 57);
}
