/**
 * The canonical form of a URL: the one text under which a page is known to the crawl.
 *
 * `definition` below is the rule; `url-fast.ts` answers common hrefs without `new URL` and must agree with it.
 * What happens, in order:
 *
 * 1. An href with a scheme of its own other than http or https is rejected: `scheme`.
 * 2. The WHATWG URL parser resolves it against the base: white space trimmed, tabs and newlines dropped, `\` read as
 *    `/`, scheme and host in lower case, IDN to punycode, default port dropped, dot segments resolved, characters
 *    that need it percent-encoded, in a query in the page's own encoding. What it refuses is rejected: `invalid`.
 * 3. User name and password are removed. The fragment is removed, or kept as it is with `keepFragments`; with "routes" only
 *    one that begins with `#/` or `#!`, for single-page sites that route by it.
 * 4. In path and query each `%XX` gets upper-case digits, and is decoded where it stands for an unreserved
 *    character: letters, digits, `-._~` (RFC 3986, 6.2.2). Nothing else is decoded: `%2F` is not `/`.
 * 5. Parameters of `stripParams` are taken out, the rest sorted by name with `sortQuery`, or the whole query dropped
 *    with `stripAllQuery`. A query that is empty then loses its `?`. With `stripSessions`, session ids are taken out of query
 *    and path.
 * 6. A result longer than `maxLength` is rejected: `too_long`.
 *
 * A trailing slash, `index.html`, double slashes and the case of the path stay: servers tell them apart.
 * The canonical form of a canonical form is itself.
 */
import { TrawlError } from "../errors.ts";
import { encodeQuery, normalizePercent, queryCharset } from "./percent-encoding.ts";
import { createQueryCleaner, type QueryCleaner, type QueryOptions } from "./query.ts";
import { withoutSessionId } from "./session-ids.ts";
import { createFastPath } from "./url-fast.ts";

export interface CanonicalOptions extends QueryOptions {
  keepFragments: boolean | "routes";
  /** Longest canonical URL accepted, in characters. */
  maxLength: number;
}

/** Why an href has no canonical form. `typeof result === "string"` tells it from an accepted URL. */
export interface Rejected {
  readonly rejected: "scheme" | "invalid" | "too_long";
}

/** A page's own address in pieces, so that its hundred links can be resolved without parsing it again. */
export interface BaseUrl {
  /** As the WHATWG parser writes it, without user name, password and fragment. */
  readonly href: string;
  /** Such as `https://example.com:8080`. */
  readonly origin: string;
  /** Origin and canonical path, without query. */
  readonly path: string;
  /** `path` up to and with its last slash. */
  readonly folder: string;
  readonly hasQuery: boolean;
  /** The encoding of the queries in the page's links; null for UTF-8. */
  readonly queryCharset: string | null;
}

export type Canonicalize = (href: string, base: BaseUrl) => string | Rejected;

const SCHEME: Rejected = Object.freeze({ rejected: "scheme" });
const INVALID: Rejected = Object.freeze({ rejected: "invalid" });
const TOO_LONG: Rejected = Object.freeze({ rejected: "too_long" });

/**
 * How much longer than `maxLength` an href may be and still be parsed, because dot segments and a fragment may fall
 * away.
 */
const HREF_SLACK = 8;

const OWN_SCHEME = /^[\0-\x20]*([a-z][a-z0-9+.\-\t\n\r]*):/i;

/**
 * Whether the href has a scheme other than http or https. Decided before parsing, because a `data:` URL may hold a
 * megabyte.
 */
function hasForeignScheme(href: string): boolean {
  const match = OWN_SCHEME.exec(href);
  if (match === null) return false;
  const scheme = match[1]!.replace(/[\t\n\r]/g, "").toLowerCase();
  return scheme !== "http" && scheme !== "https";
}

/** A fragment that stands for a page of its own on sites that route by it. */
const ROUTE = /^#[/!]/;

/** The rule itself, by `new URL`. Exported for the test that compares the fast path with it. */
export function definition(options: CanonicalOptions, cleanQuery: QueryCleaner): Canonicalize {
  return (href, base) => {
    if (hasForeignScheme(href)) return SCHEME;
    if (href.length > options.maxLength * HREF_SLACK) return TOO_LONG;
    const url = URL.parse(base.queryCharset === null ? href : encodeQuery(href, base.queryCharset), base.href);
    if (url === null) return INVALID;
    const query = cleanQuery(normalizePercent(url.search.slice(1)));
    const path = normalizePercent(url.pathname);
    let result = `${url.protocol}//${url.host}${options.stripSessions ? withoutSessionId(path) || "/" : path}`;
    if (query !== "") result += `?${query}`;
    if (options.keepFragments === true || (options.keepFragments === "routes" && ROUTE.test(url.hash)))
      result += url.hash;
    return result.length > options.maxLength ? TOO_LONG : result;
  };
}

export function createCanonicalizer(options: CanonicalOptions): Canonicalize {
  const cleanQuery = createQueryCleaner(options);
  const fastPath = createFastPath(options, cleanQuery);
  const slowPath = definition(options, cleanQuery);
  return (href, base) => fastPath(href, base) ?? slowPath(href, base);
}

function webUrl(href: string, base?: string): URL | null {
  const url = URL.parse(href, base);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url : null;
}

/**
 * Prepares the base of a page's links. `baseHref` is the page's `<base href>`: one that is not an http or https URL
 * is ignored, as browsers do. `charset` is the page's encoding. Throws BAD_URL when `url` itself is not a URL.
 */
export function prepareBase(url: string, baseHref: string | null = null, charset: string | null = null): BaseUrl {
  const page = webUrl(url);
  if (page === null) throw new TrawlError("BAD_URL", `Not an http or https URL: ${url.slice(0, 200)}`);
  const parsed = (baseHref === null ? null : webUrl(baseHref, page.href)) ?? page;
  const origin = `${parsed.protocol}//${parsed.host}`;
  const path = origin + normalizePercent(parsed.pathname);
  return {
    href: origin + parsed.pathname + parsed.search,
    origin,
    path,
    folder: path.slice(0, path.lastIndexOf("/") + 1),
    hasQuery: parsed.search !== "",
    queryCharset: queryCharset(charset),
  };
}

/** Where the host of a canonical URL begins: after `http://` or `https://`. */
function hostStart(url: string): number {
  return url.charCodeAt(4) === 0x3a ? 7 : 8;
}

function pathStart(url: string): number {
  return url.indexOf("/", hostStart(url));
}

function pathEnd(url: string, start: number): number {
  for (let index = start; index < url.length; index++) {
    const code = url.charCodeAt(index);
    if (code === 0x3f || code === 0x23) return index;
  }
  return url.length;
}

/** Host, with its port unless it is the scheme's own. This and the next three take canonical URLs only. */
export function hostOf(url: string): string {
  return url.slice(hostStart(url), pathStart(url));
}

export function originOf(url: string): string {
  return url.slice(0, pathStart(url));
}

/** The path alone, without query and fragment. */
export function pathOf(url: string): string {
  const start = pathStart(url);
  return url.slice(start, pathEnd(url, start));
}

/** Path and query, without fragment: what a request line carries and what robots.txt rules are matched against. */
export function pathAndQueryOf(url: string): string {
  const hash = url.indexOf("#");
  return url.slice(pathStart(url), hash < 0 ? url.length : hash);
}
