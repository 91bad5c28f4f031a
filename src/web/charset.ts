/** Finds the encoding of an HTML body and decodes it to UTF-8. Never throws, whatever the bytes and labels. */
import { isAscii, isUtf8 } from "node:buffer";
import { guessCharset } from "./charset-guess.ts";

export interface DecodedHtml {
  /** The body as valid UTF-8 without a byte order mark. Nearly every body already is, and is returned as it came. */
  utf8: Buffer;
  /** The name of the encoding used, in lower case: "utf-8", "windows-1252", "shift_jis", … */
  charset: string;
  /** What decided. "default": nothing was declared; UTF-8 when the bytes are valid UTF-8, otherwise windows-1252. "guess": by the bytes. */
  source: "bom" | "header" | "meta" | "guess" | "default";
  /** The body is longer than allowed as UTF-8, and was cut. */
  isCut: boolean;
}

/**
 * BOM, then the `Content-Type` header, then a `<meta>` in the first 1,024 bytes (WHATWG HTML, 13.2.3.2), then a guess.
 * The guess tries a `<meta>` further down the head, then UTF-8 if the bytes are valid, then a `<meta>` anywhere nearby,
 * and finally the bytes themselves.
 */
export function decodeHtml(
  body: Buffer,
  contentType: string | null,
  mostBytes = Number.POSITIVE_INFINITY,
): DecodedHtml {
  const { bytes, encoding, source } = encodingOf(body, contentType);
  // ASCII bytes are the same in the single-byte encodings of old western pages, the most common of the others.
  const isThat = encoding === "utf-8" ? isUtf8(bytes) : encoding === "windows-1252" && isAscii(bytes);
  if (isThat) return { utf8: bytes, charset: encoding, source, isCut: false };
  return { ...toUtf8(bytes, encoding, mostBytes), charset: encoding, source };
}

interface Encoding extends Pick<DecodedHtml, "source"> {
  encoding: string;
  /** Without a byte order mark. */
  bytes: Buffer;
}

function encodingOf(body: Buffer, contentType: string | null): Encoding {
  const is = (encoding: string, source: Encoding["source"], bytes = body): Encoding => ({ encoding, source, bytes });
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    return is("utf-8", "bom", body.subarray(3));
  }
  if (body[0] === 0xfe && body[1] === 0xff) return is("utf-16be", "bom", body.subarray(2));
  if (body[0] === 0xff && body[1] === 0xfe) return is("utf-16le", "bom", body.subarray(2));
  const header = contentType === null ? null : encodingNamed(charsetParameter(contentType));
  if (header !== null) return is(header, "header");
  const meta = metaEncoding(body);
  if (meta !== null) return is(meta, "meta");
  const late = metaEncoding(headOf(body), LATE_BYTES);
  if (late !== null) return is(late, "meta");
  if (isUtf8(withoutCutTail(body))) return is("utf-8", "default");
  const later = metaEncoding(body, LATE_BYTES);
  if (later !== null) return is(later, "meta");
  const guessed = guessCharset(body);
  return guessed === null ? is("windows-1252", "default") : is(guessed, "guess");
}

/** The part before the body: browsers look for a declaration all the way through it, however long it is. */
function headOf(body: Buffer): Buffer {
  if (body.length <= PRESCAN_BYTES) return body.subarray(0, 0);
  const head = body.subarray(0, LATE_BYTES);
  const end = head.toString("latin1").search(/<body[\s>]/i);
  return end < 0 ? head.subarray(0, 0) : head.subarray(0, end);
}

/** A larger page is decoded in pieces: as one string it could take up to twice its size. */
const WHOLE_BYTES = 1 << 20;
/**
 * Short enough for their strings to be collected with other short-lived objects. Larger strings stay until there are
 * many.
 */
const PIECE_BYTES = 32 << 10;

function toUtf8(bytes: Buffer, encoding: string, mostBytes: number): Pick<DecodedHtml, "utf8" | "isCut"> {
  if (bytes.length <= WHOLE_BYTES) {
    const utf8 = Buffer.from(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes));
    if (utf8.length <= mostBytes) return { utf8, isCut: false };
  }
  // Counted first, so that no buffer has to grow.
  let length = 0;
  for (const piece of decodedPieces(bytes, encoding)) length += Buffer.byteLength(piece);
  const utf8 = Buffer.allocUnsafeSlow(Math.min(length, mostBytes));
  const encoder = new TextEncoder();
  let at = 0;
  for (const piece of decodedPieces(bytes, encoding)) {
    const { read, written } = encoder.encodeInto(piece, utf8.subarray(at));
    at += written;
    if (read < piece.length) break;
  }
  return { utf8: utf8.subarray(0, at), isCut: length > mostBytes };
}

function* decodedPieces(bytes: Buffer, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield decoder.decode(bytes.subarray(start, start + PIECE_BYTES), { stream: true });
  }
  yield decoder.decode();
}

/** The encoding that a label names; `null` when it is unknown or this build of Node cannot decode it. */
function encodingNamed(label: string | null): string | null {
  if (label === null) return null;
  const lower = label.trim().toLowerCase();
  if (lower === "utf-8" || lower === "utf8") return "utf-8";
  try {
    return new TextDecoder(lower).encoding;
  } catch {
    return null;
  }
}

function metaEncoding(body: Buffer, bytes?: number): string | null {
  for (const label of metaCharset(body, bytes)) {
    const encoding = encodingNamed(label);
    if (encoding === null) continue;
    // The bytes of the declaration were readable as ASCII, so they are not UTF-16 (WHATWG HTML, 13.2.3.2).
    if (encoding.startsWith("utf-16")) return "utf-8";
    return encoding === "x-user-defined" ? "windows-1252" : encoding;
  }
  return null;
}

/** The body without an unfinished character at its end, because a body cut at the size limit is still UTF-8. */
function withoutCutTail(body: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= body.length; back++) {
    const byte = body[body.length - back]!;
    if (byte < 0x80) return body;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back < needed ? body.subarray(0, body.length - back) : body;
    }
  }
  return body;
}

// Labels that a page declares about itself (WHATWG HTML, 13.2.3.2 "prescan a byte stream").

/** Browsers look no further before they start parsing, so authors should declare the encoding within these bytes. */
const PRESCAN_BYTES = 1024;
/** If it is declared later, browsers start over (13.2.3.5, "changing the encoding while parsing"). A head is seldom longer. */
const LATE_BYTES = 64 * 1024;

const SLASH = 47;
const EQUALS = 61;
const GREATER_THAN = 62;

/** The labels declared by `<meta>` in the first bytes, first one first; the first that names an encoding counts. */
function metaCharset(body: Buffer, bytes = PRESCAN_BYTES): Iterable<string> {
  const head = body.toString("latin1", 0, bytes).toLowerCase();
  return head.includes("charset") ? new Prescan(head).labels() : [];
}

/** The value of `charset=` in a `Content-Type` or in `<meta content>` (WHATWG HTML, 2.6.6). */
function charsetParameter(text: string): string | null {
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

  /** One at a time, because most pages need only the first. */
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

// Past the end, `charCodeAt` gives NaN, which is neither a space nor a sign here.

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
