/**
 * One spelling for the paths of robots.txt rules and of URLs, so that both can be compared octet by octet
 * (RFC 9309, 2.2.2): what a URL may not hold plainly is percent-encoded, `%XX` in upper case, unreserved decoded.
 *
 * Texts here are byte strings: one character an octet. A file in Latin-1 then gives `%E9` for its é, as it means.
 */
import { normalizePercent } from "../percent.ts";

/** All that the URL parser would encode in a path or query; both sides pass here, so more than needed does no harm. */
const NOT_PLAIN = /[^\x21-\x7e]|["<>\\^`{|}]/g;
const ASTERISK = /\*/g;
const DOLLAR = /\$/g;

function encodeOctet(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** The octets of a text in UTF-8, as a byte string. */
export function toByteString(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

const NOT_ASCII = /[\x80-\xff]/;

export function fromByteString(bytes: string): string {
  if (!NOT_ASCII.test(bytes)) return bytes;
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** The value of an Allow or Disallow line. */
export function normalizeRulePath(value: string): string {
  return normalizePercent(value.replace(NOT_PLAIN, encodeOctet));
}

/** Encodes `$` where it is not the end mark, to meet what `normalizeUrlPath` makes of a `$` in a URL. */
export function encodeInnerDollars(pattern: string): string {
  return pattern.replace(DOLLAR, "%24");
}

const NEEDS_WORK = /[^\x21-\x7e]|["<>\\^`{|}%*$]/;

/** Path and query of a URL. `*` and `$` are encoded: a rule names them as `%2A` and `%24` (RFC 9309, 2.2.3). */
export function normalizeUrlPath(path: string): string {
  if (!NEEDS_WORK.test(path)) return path;
  const encoded = normalizeRulePath(toByteString(path));
  return encoded.replace(ASTERISK, "%2A").replace(DOLLAR, "%24");
}
