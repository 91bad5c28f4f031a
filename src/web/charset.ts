/** An HTML body as UTF-8: which encoding it is in, and its decoding. Never throws, whatever the bytes and labels. */

import { isAscii, isUtf8 } from "node:buffer";
import { charsetParameter, LATE_BYTES, metaCharset } from "./meta-charset.ts";

export interface DecodedHtml {
  /** Valid UTF-8 without a byte order mark: the body itself when it is that already, as nearly all are. */
  utf8: Buffer;
  /** The name of the encoding used, in lower case: "utf-8", "windows-1252", "shift_jis", … */
  charset: string;
  /** What decided. "default": nothing was declared; UTF-8 when the bytes are valid UTF-8, otherwise windows-1252. */
  source: "bom" | "header" | "meta" | "default";
}

/**
 * BOM, then the `Content-Type` header, then a `<meta>` in the first 1,024 bytes (WHATWG HTML, 13.2.3.2), then a guess.
 * What is valid UTF-8 is that; of what is not, a `<meta>` further down may tell.
 */
export function decodeHtml(body: Buffer, contentType: string | null): DecodedHtml {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    return decodeAs(body.subarray(3), "utf-8", "bom");
  }
  if (body[0] === 0xfe && body[1] === 0xff) return decodeAs(body.subarray(2), "utf-16be", "bom");
  if (body[0] === 0xff && body[1] === 0xfe) return decodeAs(body.subarray(2), "utf-16le", "bom");
  const header = contentType === null ? null : encodingNamed(charsetParameter(contentType));
  if (header !== null) return decodeAs(body, header, "header");
  const meta = metaEncoding(body);
  if (meta !== null) return decodeAs(body, meta, "meta");
  if (isUtf8(withoutCutTail(body))) return decodeAs(body, "utf-8", "default");
  const late = metaEncoding(body, LATE_BYTES);
  return late === null ? decodeAs(body, "windows-1252", "default") : decodeAs(body, late, "meta");
}

function decodeAs(bytes: Buffer, encoding: string, source: DecodedHtml["source"]): DecodedHtml {
  // ASCII bytes mean themselves in the single-byte encodings of old western pages, the most common of the others.
  const isThat = encoding === "utf-8" ? isUtf8(bytes) : encoding === "windows-1252" && isAscii(bytes);
  const utf8 = isThat ? bytes : Buffer.from(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes));
  return { utf8, charset: encoding, source };
}

/** The encoding a label stands for; `null` when nobody knows it, or this Node cannot decode it. */
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

/** The body without an unfinished character at its end: a body cut at the size limit is still UTF-8. */
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
