/** The encoding labels a page declares in itself (WHATWG HTML, 13.2.3.2 "prescan a byte stream"). */

/** Browsers look no further before they begin, and so authors should not declare later. */
const PRESCAN_BYTES = 1024;
/** Where they do, browsers begin anew (13.2.3.5, "changing the encoding while parsing"). A head is seldom longer. */
export const LATE_BYTES = 64 * 1024;

const SLASH = 47;
const EQUALS = 61;
const GREATER_THAN = 62;

/** The labels declared by `<meta>` in the first bytes, first one first; the first that names an encoding counts. */
export function metaCharset(body: Buffer, bytes = PRESCAN_BYTES): Iterable<string> {
  const head = body.toString("latin1", 0, bytes).toLowerCase();
  return head.includes("charset") ? new Prescan(head).labels() : [];
}

/** The value of `charset=` in a `Content-Type` or in `<meta content>` (WHATWG HTML, 2.6.6). */
export function charsetParameter(text: string): string | null {
  const lower = text.toLowerCase();
  for (let index = lower.indexOf("charset"); index >= 0; index = lower.indexOf("charset", index)) {
    index = skipSpaces(lower, index + 7);
    if (lower[index] !== "=") continue;
    index = skipSpaces(lower, index + 1);
    const quote = lower[index];
    if (quote === '"' || quote === "'") {
      const end = lower.indexOf(quote, index + 1);
      return end < 0 ? null : lower.slice(index + 1, end);
    }
    let end = index;
    while (end < lower.length && lower[end] !== ";" && !isSpace(lower.charCodeAt(end))) end++;
    return end > index ? lower.slice(index, end) : null;
  }
  return null;
}

class Prescan {
  readonly #head: string;
  #index = 0;

  constructor(head: string) {
    this.#head = head;
  }

  /** One at a time, because most pages need no look behind the first. */
  *labels(): Generator<string> {
    const head = this.#head;
    while (this.#index < head.length) {
      const start = head.indexOf("<", this.#index);
      if (start < 0) break;
      this.#index = start;
      if (head.startsWith("<!--", start)) {
        // The dashes of "<!--" may also be those of "-->".
        this.#moveBehind("-->", start + 2);
      } else if (head.startsWith("<meta", start) && isSpaceOrSlash(head.charCodeAt(start + 5))) {
        this.#index = start + 5;
        const label = this.#metaLabel();
        if (label !== null) yield label;
      } else if (/^<\/?[a-z]/.test(head.slice(start, start + 3))) {
        this.#index = endOfValue(head, start);
        while (this.#attribute() !== null);
      } else if (/^<[!/?]/.test(head.slice(start, start + 2))) {
        this.#moveBehind(">", start);
      } else {
        this.#index++;
      }
    }
  }

  #moveBehind(text: string, from: number): void {
    const found = this.#head.indexOf(text, from);
    this.#index = found < 0 ? this.#head.length : found + text.length;
  }

  #metaLabel(): string | null {
    const seen = new Map<string, string>();
    for (let found = this.#attribute(); found !== null; found = this.#attribute()) {
      if (!seen.has(found.name)) seen.set(found.name, found.value);
    }
    const charset = seen.get("charset");
    if (charset !== undefined) return charset;
    // `content` counts only as a replacement for the header.
    return seen.get("http-equiv") === "content-type" ? charsetParameter(seen.get("content") ?? "") : null;
  }

  /** "Get an attribute": the next one of this tag, or `null` at its end or at the end of the bytes. */
  #attribute(): { name: string; value: string } | null {
    const head = this.#head;
    while (isSpaceOrSlash(head.charCodeAt(this.#index))) this.#index++;
    const start = this.#index;
    if (start >= head.length || head[start] === ">") return null;
    let end = start + 1;
    while (end < head.length && !endsName(head.charCodeAt(end))) end++;
    const name = head.slice(start, end);
    let index = skipSpaces(head, end);
    if (head[index] !== "=") {
      this.#index = index;
      return index < head.length ? { name, value: "" } : null;
    }
    index = skipSpaces(head, index + 1);
    const quote = head[index];
    if (quote === '"' || quote === "'") {
      const close = head.indexOf(quote, index + 1);
      this.#index = close < 0 ? head.length : close + 1;
      return close < 0 ? null : { name, value: head.slice(index + 1, close) };
    }
    this.#index = endOfValue(head, index);
    return this.#index < head.length ? { name, value: head.slice(index, this.#index) } : null;
  }
}

// These take what `charCodeAt` gives behind the end, NaN, for no space and no sign.

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11);
}

function isSpaceOrSlash(code: number): boolean {
  return code === SLASH || isSpace(code);
}

function endsName(code: number): boolean {
  return code <= GREATER_THAN && (code === EQUALS || code === GREATER_THAN || isSpaceOrSlash(code));
}

function skipSpaces(text: string, from: number): number {
  let index = from;
  while (isSpace(text.charCodeAt(index))) index++;
  return index;
}

/** The next white space or ">", or the end. */
function endOfValue(text: string, from: number): number {
  let index = from;
  while (index < text.length && text.charCodeAt(index) !== GREATER_THAN && !isSpace(text.charCodeAt(index))) index++;
  return index;
}
