/** Response headers as undici gives them, made into pairs under a limit. */
import { isUtf8 } from "node:buffer";
import { FetchError } from "./fetch-errors.ts";
import type { HeaderPairs } from "./headers.ts";

/** RFC 9113 section 6.5.2 counts 32 bytes for each field besides its name and value. */
const FIELD_OVERHEAD = 32;

const NOT_ASCII = /[^\0-\x7f]/;
const NOT_LATIN1 = /[^\0-\xff]/;

export function headerPairs(headers: Record<string, string | string[] | undefined>, limit: number): HeaderPairs {
  const pairs: HeaderPairs = [];
  let size = 0;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    for (const text of typeof value === "string" ? [value] : value) {
      size += name.length + text.length + FIELD_OVERHEAD;
      if (size > limit) throw new FetchError("too_many_headers");
      pairs.push([name, NOT_ASCII.test(text) ? fromBytes(text) : text]);
    }
  }
  return pairs;
}

/** Header bytes arrive as Latin-1 characters; servers that send more than ASCII (in `Location`) mostly mean UTF-8. */
function fromBytes(text: string): string {
  if (NOT_LATIN1.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : text;
}
