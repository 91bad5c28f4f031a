/** SQL functions that rules can call in addition to SQLite's. */
import type { DatabaseSync } from "node:sqlite";
import { getDomain } from "tldts";
import { parseRobots } from "../../web/robots/robots.ts";
import { parseRobotsHeader } from "../../web/robots-directives.ts";
import { canonicalInLinkHeader } from "../page/link-header.ts";

type Value = string | number | bigint | null | Uint8Array;

const FUNCTIONS: Record<string, (...values: Value[]) => string | number | null> = {
  /** `text REGEXP 'pattern'`, ignoring case. */
  regexp: (pattern, text) => (text === null ? null : Number(compiled(String(pattern)).test(String(text)))),
  /** A text without its percent escapes, whose letters are upper case everywhere. */
  without_escapes: (text) => String(text ?? "").replace(/%[0-9A-F]{2}/gi, ""),
  /** An address on a page, resolved and without its fragment; null when it is not an address. */
  absolute: (href, base) => {
    if (href === null || !URL.canParse(String(href), String(base))) return null;
    const url = new URL(String(href), String(base));
    url.hash = "";
    return url.href;
  },
  /**
   * Whether the language and the country in a code such as pt-BR exist, if each has two letters: uk is not a country,
   * and jp is not a language.
   */
  is_language: (code) => Number(knownLanguage(String(code ?? ""))),
  /** The seconds of a `max-age`; 0 if there isn't one. */
  max_age: (text) => Number(/max-age\s*=\s*"?(\d+)/i.exec(String(text ?? ""))?.[1] ?? 0),
  /** Cookies that lack an attribute that protects them, with what they lack, as `facts/cookies.ts` writes them. */
  weak_cookies: (lines) => {
    const weak = String(lines)
      .split("\n")
      .flatMap((line) => {
        const [name, ...attributes] = line.split("; ");
        const missing = ["Secure", "HttpOnly", "SameSite"].filter(
          (wanted) => !attributes.some((attribute) => attribute.startsWith(wanted)),
        );
        return missing.length === 0 ? [] : [`${name} lacks ${missing.join(", ")}`];
      });
    return weak.length === 0 ? null : weak.join("\n");
  },
  /** The canonical that a Link header names, resolved; null if there isn't one. */
  link_canonical: (header, base) => {
    const named = canonicalInLinkHeader(String(header ?? ""));
    if (named === null || !URL.canParse(named, String(base))) return null;
    const url = new URL(named, String(base));
    url.hash = "";
    return url.href;
  },
  /** Those addresses, one per line, that belong to another site than this host; null when there are none. */
  foreign_addresses: (lines, host) => {
    if (lines === null) return null;
    const own = getDomain(String(host)) ?? String(host);
    const foreign = String(lines)
      .split("\n")
      .filter((src) => URL.canParse(src, "https://site.test"))
      .filter((src) => {
        const { hostname } = new URL(src, "https://site.test");
        return (getDomain(hostname) ?? hostname) !== own;
      });
    return foreign.length === 0 ? null : foreign.slice(0, 5).join("\n");
  },
  /** The lines in which the pattern is found; null when there are none. */
  matching_lines: (lines, pattern) => {
    if (lines === null) return null;
    const found = String(lines)
      .split("\n")
      .filter((line) => compiled(String(pattern)).test(line));
    return found.length === 0 ? null : found.join("\n");
  },
  /** The problems of one kind on a page; null when there are none. */
  problems_of: (lines, kind) => {
    if (lines === null) return null;
    const start = `${kind} `;
    const own = String(lines)
      .split("\n")
      .flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
    return own.length === 0 ? null : own.join("\n");
  },
  /** The problems of one kind whose number, the second word of their lines, is at least or at most this; null when there are none. */
  problems_at_least: (lines, kind, least) => measured(lines, kind, (number) => number >= Number(least)),
  problems_at_most: (lines, kind, most) => measured(lines, kind, (number) => number <= Number(most)),
  /** All problems except those of one kind; null when there are none. */
  problems_except: (lines, kind) => {
    if (lines === null) return null;
    const others = String(lines)
      .split("\n")
      .filter((line) => !line.startsWith(`${kind} `));
    return others.length === 0 ? null : others.join("\n");
  },
  /** What an X-Robots-Tag says to everybody and to Google. */
  for_google: (header) => parseRobotsHeader(String(header ?? ""), "googlebot").found.join(", "),
  robots_blocks: (text, agent) => Number(!parseRobots(String(text)).test("https://site.test/", String(agent)).allowed),
  /** The first lines of a robots.txt that no crawler understands; null when there are none. */
  robots_unknown: (text) => {
    const unknown = String(text)
      .split(/\r\n|\r|\n/)
      .filter((line) => !ROBOTS_LINE.test(line));
    return unknown.length === 0 ? null : unknown.slice(0, 5).join("\n");
  },
};

function measured(lines: Value, kind: Value, isOne: (number: number) => boolean): string | null {
  if (lines === null) return null;
  const start = `${kind} `;
  const found = String(lines)
    .split("\n")
    .flatMap((line) =>
      line.startsWith(start) && isOne(Number.parseFloat(line.slice(start.length))) ? [line.slice(start.length)] : [],
    );
  return found.length === 0 ? null : found.join("\n");
}

const REGIONS = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
/** These codes have names but are not countries. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(["EU", "EZ", "UN", "ZZ", "XA", "XB"]);

/** A site has few, and looking one up takes microseconds for each page. */
const languages = new Map<string, boolean>();
const MOST_LANGUAGES = 1_000;

function knownLanguage(code: string): boolean {
  let known = languages.get(code);
  if (known === undefined) {
    known = isLanguage(code);
    if (languages.size < MOST_LANGUAGES) languages.set(code, known);
  }
  return known;
}

function isLanguage(code: string): boolean {
  const [language = "", ...rest] = code.split("-");
  if (/^[a-z]{2}$/i.test(language) && LANGUAGES.of(language.toLowerCase()) === undefined) return false;
  const region = rest.find((part) => part.length === 2)?.toUpperCase();
  if (region === undefined) return true;
  if (!/^[A-Z]{2}$/.test(region) || NO_COUNTRIES.has(region) || REGIONS.of(region) === undefined) return false;
  // Replaced codes, such as SU, come back as others.
  return Intl.getCanonicalLocales(`und-${region}`)[0] === `und-${region}`;
}

/** Lines that some crawler knows, comments and empty lines. */
const ROBOTS_LINE =
  /^[\s\uFEFF]*(?:#.*|(?:user-?agent|allow|disallow|sitemap|crawl-delay|host|clean-param|request-rate|visit-time|noindex|content-signal)\s*:.*)?$/i;

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  let known = patterns.get(pattern);
  if (known === undefined) {
    known = new RegExp(pattern, "i");
    patterns.set(pattern, known);
  }
  return known;
}

export function addRuleFunctions(db: DatabaseSync): void {
  for (const [name, call] of Object.entries(FUNCTIONS)) db.function(name, { deterministic: true, varargs: true }, call);
}
