/** Percent-encodings in one spelling: hexadecimal digits in upper case, unreserved characters decoded (RFC 3986, 6.2.2). */

const PERCENT = 0x25;

/** Letters, digits and `-._~`: the only characters whose encoded and plain forms mean the same everywhere (RFC 3986, 2.3). */
function isUnreserved(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f ||
    code === 0x7e
  );
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

/**
 * Gives every `%XX` its one spelling. A `%` that starts no valid pair is left alone, and nothing is decoded within
 * two characters after it: `%4%31` would become `%41`, which a second pass would read as `A`. So the result of a
 * second pass is always the same as that of the first.
 */
export function normalizePercent(text: string): string {
  let next = text.indexOf("%");
  if (next < 0) return text;
  let output = "";
  let copied = 0;
  let strayUntil = -1;
  while (next >= 0) {
    const high = hexValue(text.charCodeAt(next + 1));
    const low = high < 0 ? -1 : hexValue(text.charCodeAt(next + 2));
    if (low < 0) {
      strayUntil = next + 2;
      next = text.indexOf("%", next + 1);
      continue;
    }
    const code = high * 16 + low;
    output += text.slice(copied, next);
    const decode = isUnreserved(code) && next > strayUntil;
    output += decode ? String.fromCharCode(code) : text.slice(next, next + 3).toUpperCase();
    copied = next + 3;
    next = text.charCodeAt(copied) === PERCENT ? copied : text.indexOf("%", copied);
  }
  return output + text.slice(copied);
}
