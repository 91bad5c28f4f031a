/** The URLs a style sheet loads: `url(…)`, `@import`, and the `src` of `@font-face`. */

export interface CssUrl {
  url: string;
  kind: "import" | "font" | "image";
}

/** Far more than any real style sheet has. */
const MOST_URLS = 50_000;

const NEW_LINE = 10;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const LEFT_PARENTHESIS = 40;
const RIGHT_PARENTHESIS = 41;
const STAR = 42;
const SLASH = 47;
const SEMICOLON = 59;
const AT = 64;
const BACKSLASH = 92;
const LEFT_BRACE = 123;
const RIGHT_BRACE = 125;

/** In order of appearance, repeats included. `data:` URLs and bare fragments are left out: they load nothing. */
export function cssUrls(css: string, most = MOST_URLS): CssUrl[] {
  return /url\(|@import/i.test(css) ? new CssScanner(css).scan(most) : [];
}

/** Reads tokens as CSS Syntax Level 3 does, as far as URLs need it: each character once, so the time is linear. */
class CssScanner {
  readonly #css: string;
  readonly #urls: CssUrl[] = [];
  #index = 0;
  /** The at-rule whose prelude is being read. */
  #rule: "import" | "font-face" | "namespace" | null = null;
  #depth = 0;
  /** The depth of braces inside the open `@font-face`, or 0. */
  #fontDepth = 0;

  constructor(css: string) {
    this.#css = css;
  }

  scan(most: number): CssUrl[] {
    const css = this.#css;
    while (this.#index < css.length && this.#urls.length < most) {
      const code = css.charCodeAt(this.#index);
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        this.#index++;
        const text = this.#readString(code);
        if (this.#rule === "import") this.#importOf(text);
      } else if (code === SLASH && css.charCodeAt(this.#index + 1) === STAR) {
        this.#skipComment();
      } else if (isNameCode(code)) {
        this.#readName();
      } else {
        this.#index++;
        if (code === AT) this.#readAtRule();
        else if (code === BACKSLASH) this.#index++;
        else if (code === SEMICOLON) this.#rule = null;
        else if (code === LEFT_BRACE) this.#openBlock();
        else if (code === RIGHT_BRACE) this.#closeBlock();
      }
    }
    return this.#urls;
  }

  #openBlock(): void {
    this.#depth++;
    if (this.#rule === "font-face" && this.#fontDepth === 0) this.#fontDepth = this.#depth;
    this.#rule = null;
  }

  #closeBlock(): void {
    if (this.#fontDepth === this.#depth) this.#fontDepth = 0;
    if (this.#depth > 0) this.#depth--;
    this.#rule = null;
  }

  #readAtRule(): void {
    const start = this.#index;
    this.#skipName();
    const name = this.#css.slice(start, Math.min(this.#index, start + 10)).toLowerCase();
    this.#rule = name === "import" || name === "font-face" || name === "namespace" ? name : null;
  }

  /** A whole name, so that `my-url(` is not taken for `url(`. */
  #readName(): void {
    const start = this.#index;
    this.#skipName();
    if (this.#index - start !== 3 || this.#css.charCodeAt(this.#index) !== LEFT_PARENTHESIS) return;
    if (this.#css.slice(start, this.#index).toLowerCase() !== "url") return;
    this.#index++;
    const url = this.#readUrl();
    if (this.#rule === "import") this.#importOf(url);
    else if (this.#rule !== "namespace") this.#found(url, this.#fontDepth > 0 ? "font" : "image");
  }

  #skipName(): void {
    while (this.#index < this.#css.length && isNameCode(this.#css.charCodeAt(this.#index))) this.#index++;
  }

  #skipComment(): void {
    const end = this.#css.indexOf("*/", this.#index + 2);
    this.#index = end < 0 ? this.#css.length : end + 2;
  }

  #importOf(url: string | null): void {
    this.#found(url, "import");
    // What follows are conditions (`layer`, `supports(…)`), not further imports.
    this.#rule = null;
  }

  #found(url: string | null, kind: CssUrl["kind"]): void {
    const trimmed = url?.trim() ?? "";
    if (trimmed !== "" && !trimmed.startsWith("#") && !/^data:/i.test(trimmed)) this.#urls.push({ url: trimmed, kind });
  }

  /** The text up to the closing quote; `null` when a line ends first, which makes the string bad (4.3.5). */
  #readString(quote: number): string | null {
    const css = this.#css;
    const start = this.#index;
    let escaped = false;
    for (; this.#index < css.length; this.#index++) {
      const code = css.charCodeAt(this.#index);
      if (code === quote) break;
      if (code === NEW_LINE || code === 12 || code === 13) return null;
      if (code === BACKSLASH) {
        escaped = true;
        this.#index++;
      }
    }
    const text = css.slice(start, this.#index++);
    return escaped ? resolveEscapes(text) : text;
  }

  /** The URL behind `url(`, and the position behind its `)`. */
  #readUrl(): string | null {
    const css = this.#css;
    this.#skipSpaces();
    const quote = css.charCodeAt(this.#index);
    if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
      this.#index++;
      return this.#readString(quote);
    }
    const start = this.#index;
    let bad = false;
    let escaped = false;
    for (; this.#index < css.length; this.#index++) {
      const code = css.charCodeAt(this.#index);
      if (code === RIGHT_PARENTHESIS) break;
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === LEFT_PARENTHESIS) bad = true;
      if (code === BACKSLASH) {
        escaped = true;
        this.#index++;
      }
    }
    const text = css.slice(start, this.#index++).trimEnd();
    // White space inside makes the URL bad as well (4.3.6).
    if (bad || /[\t\n\f\r ]/.test(escaped ? text.replace(ESCAPE, "") : text)) return null;
    return escaped ? resolveEscapes(text) : text;
  }

  #skipSpaces(): void {
    while (this.#index < this.#css.length && this.#css.charCodeAt(this.#index) <= SPACE) this.#index++;
  }
}

function isNameCode(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code === 45 || code === 95 || code >= 128;
}

/** An escape: `\26 ` is "&", `\(` is "(", a backslash before a line end is nothing (4.3.7). */
const ESCAPE = /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|\r\n|[\n\f\r]|([\s\S]))/gi;

function resolveEscapes(text: string): string {
  return text.replace(ESCAPE, (_escape, hex: string | undefined, character: string | undefined) => {
    if (hex === undefined) return character ?? "";
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "\uFFFD" : String.fromCodePoint(code);
  });
}
