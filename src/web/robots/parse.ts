/** Reads robots.txt into groups of rules, as RFC 9309 defines them and as tolerantly as Google's own parser does. */
import { normalizePercent } from "../percent-encoding.ts";

/** RFC 9309, 2.5: at least 500 KiB must be read. What follows is ignored, so an endless file costs nothing. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** Google's cap: eight times the longest URL that browsers accepted. The rest of a longer line is cut off. */
const MAX_LINE_BYTES = 2083 * 8 - 1;

/** Some sites ask for an hour between requests; we never wait longer than this many seconds. Heritrix does the same. */
export const MAX_CRAWL_DELAY_SECONDS = 300;

const BYTE_ORDER_MARK = "\xef\xbb\xbf";

export interface ParsedRule {
  allow: boolean;
  /** Normalised, with `*` and a final `$` still in it. Never empty. */
  pattern: string;
  line: number;
  /** The line as written in the file, without comment. */
  text: string;
}

/**
 * All rules for one product token, collected from all its groups (RFC 9309, 2.2.1). The agents of a group share their lists:
 * if they were copied, 17,000 agents with as many rules would turn one small file into 300 million rules.
 */
export interface AgentGroup {
  /** As first written; `*` for all agents. */
  name: string;
  rules: ParsedRule[][];
  /** Crawl delays in seconds. */
  delays: number[][];
}

export interface ParsedRobots {
  /** By product token in lower case, or `*`. */
  groups: ReadonlyMap<string, AgentGroup>;
  sitemaps: readonly string[];
}

type Key = "user-agent" | "allow" | "disallow" | "sitemap" | "crawl-delay" | null;

/** Keys by their beginnings, including the misspellings that Google accepts. */
const KEYS: readonly [string, Key][] = [
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["allow", "allow"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
  ["crawl-delay", "crawl-delay"],
];

function keyOf(text: string): Key {
  const lower = text.toLowerCase();
  return KEYS.find(([beginning]) => lower.startsWith(beginning))?.[1] ?? null;
}

/** Not `trim()`: that also removes octet A0, which in UTF-8 is the end of an à. */
function trimAscii(text: string): string {
  let start = 0;
  let end = text.length;
  const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Splits a line without its comment into key and value. A missing colon between two words is accepted. */
function splitLine(line: string): [string, string] | null {
  let separator = line.indexOf(":");
  if (separator < 0) {
    separator = line.search(/[ \t]/);
    if (separator < 0 || /[ \t]/.test(trimAscii(line.slice(separator)))) return null;
  }
  const key = trimAscii(line.slice(0, separator));
  return key === "" ? null : [key, trimAscii(line.slice(separator + 1))];
}

/** The product token at the start of a user agent: letters, `-` and `_` (RFC 9309, 2.2.1). `FooBot/2.1` is `FooBot`. */
export function productToken(agent: string): string {
  return /^[a-zA-Z_-]*/.exec(agent)![0];
}

/** A star, alone or before a space, means all agents. */
function agentName(value: string): string {
  return /^\*(?:\s|$)/.test(value) ? "*" : productToken(value);
}

/** A file up to the limit, without the line that the limit cut: half of `Disallow: /private/` would block more. */
export function withoutCutLine(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1);
}

function toByteLines(input: string | Uint8Array): string[] {
  // One more than is read, to recognise a longer file.
  const head = BYTE_ORDER_MARK.length + MAX_ROBOTS_BYTES + 1;
  const bytes =
    typeof input === "string"
      ? toByteString(input.slice(0, head))
      : Buffer.from(input.subarray(0, head)).toString("latin1");
  // A byte order mark, even a broken one, is skipped because it would hide the first line.
  let start = 0;
  while (start < BYTE_ORDER_MARK.length && bytes[start] === BYTE_ORDER_MARK[start]) start++;
  const read = bytes.slice(start, start + MAX_ROBOTS_BYTES);
  const goesOn = bytes.length > start + MAX_ROBOTS_BYTES;
  return (goesOn ? withoutCutLine(read) : read).split(/\r\n|\r|\n/);
}

function parseDelay(value: string): number | null {
  const seconds = /^\d+(?:\.\d+)?|^\.\d+/.exec(value)?.[0];
  return seconds === undefined ? null : Math.min(Number(seconds), MAX_CRAWL_DELAY_SECONDS);
}

/** Adds a list to those of an agent, unless the agent was named twice in a row. */
function share<Item>(lists: Item[][], list: Item[]): void {
  if (lists.at(-1) !== list) lists.push(list);
}

export function parseLines(input: string | Uint8Array): ParsedRobots {
  const groups = new Map<string, AgentGroup>();
  const sitemaps = new Set<string>();
  // Where the next rule goes. Lines other than Allow and Disallow do not close the list of agents: RFC 9309, 2.2.4.
  // A crawl delay, which is not in the RFC, applies to the agents named just before it.
  let rules: ParsedRule[] = [];
  let delays: number[] = [];
  let sawRule = false;
  let sawDelay = false;

  const lines = toByteLines(input);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.slice(0, MAX_LINE_BYTES);
    const comment = line.indexOf("#");
    const content = trimAscii(comment < 0 ? line : line.slice(0, comment));
    const pair = splitLine(content);
    if (pair === null) continue;
    const [key, value] = [keyOf(pair[0]), pair[1]];
    if (key === "user-agent") {
      if (sawRule) rules = [];
      if (sawRule || sawDelay) delays = [];
      sawRule = sawDelay = false;
      const name = agentName(value);
      if (name === "") continue;
      const group = groups.get(name.toLowerCase()) ?? { name, rules: [], delays: [] };
      groups.set(name.toLowerCase(), group);
      share(group.rules, rules);
      share(group.delays, delays);
    } else if (key === "allow" || key === "disallow") {
      sawRule = true;
      const pattern = normalizeRulePath(value);
      if (pattern === "") continue;
      rules.push({ allow: key === "allow", pattern, line: index + 1, text: fromByteString(content) });
    } else if (key === "crawl-delay") {
      sawDelay = true;
      const delay = parseDelay(value);
      if (delay !== null) delays.push(delay);
    } else if (key === "sitemap" && value !== "") {
      sitemaps.add(fromByteString(value));
    }
  }
  return { groups, sitemaps: [...sitemaps] };
}

// Paths of rules and of URLs are brought into one spelling, so that both can be compared octet by octet (RFC 9309,
// 2.2.2): characters a URL may not contain are percent-encoded, `%XX` is upper case, unreserved characters are decoded.
// Texts here are byte strings, one character per octet: a file in Latin-1 then gives `%E9` for its é, as it means.

/**
 * Everything that the URL parser would encode in a path or query. Rules and URLs both pass through here, so encoding
 * more than necessary does no harm.
 */
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

/** Encodes `$` where it is not the end mark, to match what `normalizeUrlPath` does with a `$` in a URL. */
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
