/** The canonical form of common hrefs by copying alone: plain ASCII, relative or absolute. Anything else is left to `url.ts`. */
import type { QueryCleaner } from "./query.ts";
import type { BaseUrl, CanonicalOptions } from "./url.ts";

const HASH = 0x23;
const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const QUESTION = 0x3f;
const LOWER_H = 0x68;
const LOWER_X = 0x78;

/** Character classes, by code. `PLAIN` is written as it is in path and query, in the WHATWG form and in ours. */
const OTHER = 0;
const PLAIN = 1;
const PATH_ONLY = 2;
const WATCHED_DOT = 3;
const WATCHED_COLON = 4;
const QUERY_ONLY = 5;
const ENDS = 6;

const CLASSES = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$&()*+,;=@/") {
  CLASSES[character.charCodeAt(0)] = PLAIN;
}
CLASSES[0x27] = PATH_ONLY; // An apostrophe is percent-encoded in a query, not in a path.
CLASSES[DOT] = WATCHED_DOT; // It may begin a dot segment.
CLASSES[COLON] = WATCHED_COLON; // It may end a scheme.
CLASSES[QUESTION] = QUERY_ONLY;
CLASSES[HASH] = ENDS;

function classOf(code: number): number {
  return code < 128 ? CLASSES[code]! : OTHER;
}

/**
 * Where the path begins in `http(s)://plain.host/…`, or -1. Left to the full parser: ports, credentials, upper case,
 * punycode (it may be invalid) and hosts whose last label begins with a digit (they may be IPv4: `0x7f.1`).
 */
function plainPathStart(href: string): number {
  const start = href.startsWith("https://") ? 8 : href.startsWith("http://") ? 7 : -1;
  if (start < 0) return -1;
  let labelStart = true;
  let labelIsWord = false;
  for (let index = start; index < href.length; index++) {
    const code = href.charCodeAt(index);
    const letter = code >= 0x61 && code <= 0x7a;
    if (labelStart) {
      if (!letter && !(code >= 0x30 && code <= 0x39)) return -1;
      if (code === LOWER_X && href.startsWith("xn--", index)) return -1;
      labelStart = false;
      labelIsWord = letter;
    } else if (code === DOT) labelStart = true;
    else if (code === SLASH) return labelIsWord ? index : -1;
    else if (!letter && !(code >= 0x30 && code <= 0x39) && code !== 0x2d) return -1;
  }
  return -1;
}

/** What the session ids in a path begin with. */
function hasMark(text: string, end: number): boolean {
  const semicolon = text.indexOf(";");
  if (semicolon >= 0 && semicolon < end) return true;
  const bracket = text.indexOf("(");
  return bracket >= 0 && bracket < end;
}

/** The parent folder; that of the origin is the origin itself, so `../` never leaves the host. */
function parentFolder(folder: string, origin: string): string {
  const slash = folder.lastIndexOf("/", folder.length - 2);
  return slash < origin.length ? folder : folder.slice(0, slash + 1);
}

/** Returns the canonical URL, or null when the full rule is needed. */
export function createFastPath(
  options: CanonicalOptions,
  cleanQuery: QueryCleaner,
): (href: string, base: BaseUrl) => string | null {
  const { keepFragments, maxLength, stripSessions = false } = options;

  return (href, base) => {
    const length = href.length;
    if (length === 0 || length > maxLength) return null;
    const first = href.charCodeAt(0);
    // The result is `prefix` followed by the href after `from`; the path is read from `index` on.
    let prefix = "";
    let from = 0;
    let index = 0;
    let relative = false;
    if (first === SLASH) {
      if (href.charCodeAt(1) === SLASH) return null;
      prefix = base.origin;
    } else if (first === QUESTION) {
      prefix = base.path;
    } else if (first === HASH) {
      if (base.hasQuery) return null;
      prefix = base.path;
    } else if (
      first === LOWER_H &&
      href.startsWith("http") &&
      (href.startsWith("://", 4) || href.startsWith("s://", 4))
    ) {
      const origin = base.origin;
      const own = href.charCodeAt(origin.length) === SLASH && href.startsWith(origin);
      index = own ? origin.length : plainPathStart(href);
      if (index < 0) return null;
    } else {
      relative = true;
      prefix = base.folder;
      while (href.charCodeAt(index) === DOT) {
        if (href.charCodeAt(index + 1) === SLASH) index += 2;
        else if (href.charCodeAt(index + 1) === DOT && href.charCodeAt(index + 2) === SLASH) {
          prefix = parentFolder(prefix, base.origin);
          index += 3;
        } else return null;
      }
      from = index;
    }

    let pathEnd = index;
    for (; pathEnd < length; pathEnd++) {
      const kind = classOf(href.charCodeAt(pathEnd));
      if (kind <= PATH_ONLY) {
        if (kind === OTHER) return null;
      } else if (kind === WATCHED_DOT) {
        if (pathEnd > 0 && href.charCodeAt(pathEnd - 1) === SLASH) return null;
      } else if (kind === WATCHED_COLON) {
        if (relative) return null;
      } else break;
    }

    let query = "";
    let end = pathEnd;
    if (href.charCodeAt(pathEnd) === QUESTION) {
      for (end = pathEnd + 1; end < length; end++) {
        const kind = classOf(href.charCodeAt(end));
        if (kind === OTHER || kind === PATH_ONLY) return null;
        if (kind === ENDS) break;
      }
      query = cleanQuery(href.slice(pathEnd + 1, end));
    }
    // The fragment is dropped, whatever it contains, because only the full rule can keep one.
    if (keepFragments && end < length) return null;

    // They are rare, and only the full rule removes them.
    if (stripSessions && (hasMark(prefix, prefix.length) || hasMark(href, pathEnd))) return null;
    const path = prefix === "" && pathEnd === length ? href : prefix + href.slice(from, pathEnd);
    const result = query === "" ? path : `${path}?${query}`;
    return result.length > maxLength ? null : result;
  };
}
