/** The fields of a URL that can be listed, filtered, sorted and exported, and the SQL behind each. */
import { KINDS, VIAS } from "../link-kinds.ts";

export type FieldType = "text" | "number";

export interface Field {
  name: string;
  type: FieldType;
  /** Over `urls u LEFT JOIN pages p`. Numbers that stand for words are turned into the words here. */
  sql: string;
  description: string;
}

/** A number that stands for a word of a list, as the word. */
export const words = (column: string, list: readonly string[]): string =>
  `CASE ${column} ${list.map((word, index) => `WHEN ${index} THEN '${word}'`).join(" ")} END`;

const url = (id: string): string => `(SELECT url FROM urls WHERE id = ${id})`;

const text = (name: string, sql: string, description: string): Field => ({ name, type: "text", sql, description });
const number = (name: string, sql: string, description: string): Field => ({ name, type: "number", sql, description });

/** What the server took, without the way to it. An answer out of a cache says nothing of the server. */
const SERVER_TIME = "CASE WHEN p.from_cache = 0 THEN round(p.time_first_byte + p.time_download, 1) END";

export const FIELDS: readonly Field[] = [
  text("url", "u.url", "The URL in its canonical form"),
  number("status", "p.status", "HTTP status"),
  text("verdict", "u.verdict", "crawl, record or skip"),
  text("reason", "u.reason", "Why it was not crawled"),
  text("rule", "u.rule", "The setting or robots.txt line that decided"),
  text("state", "u.state", "open, done or failed"),
  number("depth", "u.depth", "Links away from the start when it was found"),
  text("via", words("u.via & 15", VIAS), "How it was found first"),
  text("kind", words("u.kind", KINDS), "What it was found as"),
  text("found_on", url("nullif(u.parent, 0)"), "The URL that it was found on first"),
  text("content_type", "p.content_type", "Media type"),
  text("indexable", "p.indexable", "Yes, No, or -"),
  text("indexability", "p.indexability", "Why it is not indexable"),
  text("title", "p.title", "Title"),
  number("title_length", "length(p.title)", "Characters of the title"),
  number("title_count", "p.title_count", "Title elements"),
  text("description", "p.description", "Meta description"),
  number("description_length", "length(p.description)", "Characters of the description"),
  text("h1", "p.h1", "First h1"),
  number("h1_count", "p.h1_count", "h1 elements"),
  text("h2", "p.h2", "First h2"),
  number("h2_count", "p.h2_count", "h2 elements"),
  text("canonical", url("p.canonical"), "Canonical URL that the page names"),
  text("redirect_to", url("p.redirect_to"), "Where it redirects to"),
  text("robots_meta", "p.robots_meta", "Robots meta directives"),
  text("robots_header", "p.robots_header", "X-Robots-Tag directives"),
  text("language", "p.language", "Language of the page"),
  text("charset", "p.charset", "Character encoding"),
  number("word_count", "p.word_count", "Words of visible text"),
  text("content_hash", "p.content_hash", "Hash of the visible text"),
  number("links_out", "p.link_count", "Links on the page"),
  number("size", "p.size", "Bytes after decompression"),
  number("size_wire", "p.size_wire", "Bytes on the wire"),
  number("time_total", "round(p.time_total, 1)", "Ms from request to last byte"),
  number("time_dns", "round(p.time_dns, 1)", "Ms to look the host up"),
  number("time_connect", "round(p.time_connect, 1)", "Ms to connect"),
  number("time_tls", "round(p.time_tls, 1)", "Ms to agree on encryption"),
  number("time_first_byte", "round(p.time_first_byte, 1)", "Ms the server took to begin its answer"),
  number("time_download", "round(p.time_download, 1)", "Ms to read the answer"),
  number("time_server", SERVER_TIME, "Ms from request to last byte, once connected"),
  number("time_render", "round(p.time_render, 1)", "Ms spent rendering; not part of the server's times"),
  text("error", "p.error", "Why there was no answer"),
  text("error_detail", "p.error_detail", "What lies beneath the error, such as CERT_HAS_EXPIRED"),
  text("truncated", "p.truncated", "Why the body was cut"),
  text("http_version", "p.http_version", "HTTP version"),
  text("last_modified", "p.last_modified", "Last-Modified header"),
  text("etag", "p.etag", "ETag header"),
  number("attempts", "p.attempts", "Tries it took"),
  text("fetched_at", "strftime('%Y-%m-%dT%H:%M:%fZ', p.fetched_at / 1000.0, 'unixepoch')", "When it was fetched"),
];

const byName = new Map(FIELDS.map((field) => [field.name, field]));
export const fieldNamed = (name: string): Field | undefined => byName.get(name);
export const FIELD_NAMES: readonly string[] = FIELDS.map((field) => field.name);
