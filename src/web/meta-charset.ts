/** The encoding labels a page declares in itself (WHATWG HTML, 13.2.3.2 "prescan a byte stream"). */

/** Browsers look no further, and so authors may not declare later. */
const PRESCAN_BYTES = 1024;

const SPACE_OR_SLASH = /[\t\n\f\r /]/;
const SPACE = /[\t\n\f\r ]/;

/** The labels declared by `<meta>` in the first 1,024 bytes, first one first; the first that names an encoding counts. */
export function metaCharset(body: Buffer): string[] {
  const head = body.toString("latin1", 0, PRESCAN_BYTES).toLowerCase();
  return head.includes("charset") ? new Prescan(head).labels() : [];
}

/** The value of `charset=` in a `Content-Type` or in `<meta content>` (WHATWG HTML, 2.6.6). */
export function charsetParameter(text: string): string | null {
  const lower = text.toLowerCase();
  for (let index = lower.indexOf("charset"); index >= 0; index = lower.indexOf("charset", index)) {
    index = skip(lower, index + 7, SPACE);
    if (lower[index] !== "=") continue;
    index = skip(lower, index + 1, SPACE);
    const quote = lower[index];
    if (quote === '"' || quote === "'") {
      const end = lower.indexOf(quote, index + 1);
      return end < 0 ? null : lower.slice(index + 1, end);
    }
    let end = index;
    while (end < lower.length && lower[end] !== ";" && !SPACE.test(lower[end]!)) end++;
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

  labels(): string[] {
    const head = this.#head;
    const labels: string[] = [];
    while (this.#index < head.length) {
      const start = head.indexOf("<", this.#index);
      if (start < 0) break;
      this.#index = start;
      if (head.startsWith("<!--", start)) {
        // The dashes of "<!--" may also be those of "-->".
        this.#moveBehind("-->", start + 2);
      } else if (head.startsWith("<meta", start) && SPACE_OR_SLASH.test(head[start + 5] ?? "")) {
        this.#index = start + 5;
        const label = this.#metaLabel();
        if (label !== null) labels.push(label);
      } else if (/^<\/?[a-z]/.test(head.slice(start, start + 3))) {
        while (this.#index < head.length && head[this.#index] !== ">" && !SPACE.test(head[this.#index]!)) this.#index++;
        while (this.#attribute() !== null);
      } else if (/^<[!/?]/.test(head.slice(start, start + 2))) {
        this.#moveBehind(">", start);
      } else {
        this.#index++;
      }
    }
    return labels;
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
    this.#index = skip(head, this.#index, SPACE_OR_SLASH);
    const start = this.#index;
    if (start >= head.length || head[start] === ">") return null;
    let end = start + 1;
    while (end < head.length && !/[=>/\t\n\f\r ]/.test(head[end]!)) end++;
    const name = head.slice(start, end);
    let index = skip(head, end, SPACE);
    if (head[index] !== "=") {
      this.#index = index;
      return index < head.length ? { name, value: "" } : null;
    }
    index = skip(head, index + 1, SPACE);
    const quote = head[index];
    if (quote === '"' || quote === "'") {
      const close = head.indexOf(quote, index + 1);
      this.#index = close < 0 ? head.length : close + 1;
      return close < 0 ? null : { name, value: head.slice(index + 1, close) };
    }
    const valueStart = index;
    while (index < head.length && head[index] !== ">" && !SPACE.test(head[index]!)) index++;
    this.#index = index;
    return index < head.length ? { name, value: head.slice(valueStart, index) } : null;
  }
}

function skip(text: string, from: number, characters: RegExp): number {
  let index = from;
  while (index < text.length && characters.test(text[index]!)) index++;
  return index;
}
