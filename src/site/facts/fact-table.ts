/**
 * Everything known about a URL, one entry per fact. Row types, columns, list fields, filters, exports, comparison, REST
 * and MCP answers, the web app, SQL docs and reference follow from it. New facts go at the end, so that exported
 * columns keep their places.
 */
import { EXTERNAL, GUESSED, isResource, KINDS, kindNumber, NAMED, VIAS } from "../links/link-kinds.ts";
import { RENDER_PROBLEM_CODES } from "../visit/render-problems.ts";
import {
  attribute,
  BROWSER,
  card,
  DOCUMENT,
  EXCHANGE,
  type Fact,
  FIELD,
  firstLink,
  GRAPH,
  header,
  headers,
  integer,
  link,
  meta,
  RAW,
  real,
  SQL,
  text,
  url,
  urlOf,
  wordOf,
} from "./fact.ts";
import { fieldName } from "./field-names.ts";

/** Older versions stored 304 for a page that was not modified. */
const comparedStatus = (page: string): string => `CASE ${page}.status WHEN 304 THEN 200 ELSE ${page}.status END`;

const tenths = (column: string): string => `round(p.${column}, 1)`;
/** The time the server took, without connecting. A response from the cache tells nothing about the server. */
const SERVER_TIME = "CASE WHEN p.from_cache = 0 THEN round(p.time_first_byte + p.time_download, 1) END";
const FETCHED_AT = "strftime('%Y-%m-%dT%H:%M:%fZ', p.fetched_at / 1000.0, 'unixepoch')";

/** The names of the facts that scripts changed. Crawls made before raw facts were stored have none. */
const differing = (facts: Record<string, [before: string, after: string]>): string => {
  const names = Object.entries(facts).map(([name, [a, b]]) => `iif(${a} IS NOT ${b}, '${fieldName(name)}, ', '')`);
  return `(SELECT nullif(rtrim(${names.join(" || ")}, ', '), '') FROM rendered r
    WHERE r.id = u.id AND r.raw_word_count IS NOT NULL)`;
};
/**
 * Each URL has exactly one outcome, so outcomes add up to all URLs that were found. Crawls of older versions kept
 * guessed sitemaps that did not exist; these are not counted as broken pages.
 */
const OLD_GUESS = `u.parent = 0 AND u.via & 15 = ${VIAS.indexOf("sitemap")} AND u.via & ${GUESSED | NAMED} = 0`;
const OUTCOME = `CASE WHEN u.verdict <> 'crawl' THEN 'not crawled' WHEN u.state = 'open' THEN 'queued'
  WHEN p.error IS NOT NULL OR p.status >= 400 THEN iif(${OLD_GUESS}, 'file', 'broken')
  WHEN p.status BETWEEN 300 AND 399 AND p.status <> 304 THEN 'redirect'
  WHEN p.title_count IS NOT NULL THEN 'page' ELSE 'file' END`;

const RESOURCES = KINDS.filter((kind) => isResource(kind) || kind === "request").map(kindNumber);
const ROLE = `CASE WHEN u.kind = ${kindNumber("sitemap")} THEN 'sitemap' WHEN u.kind IN (${RESOURCES.join(", ")}) THEN 'resource'
  ELSE 'document' END`;

/** The host in a canonical URL: between `//` and the next slash. */
const AFTER_SCHEME = "substr(u.url, instr(u.url, '//') + 2)";
const HOST = `substr(${AFTER_SCHEME}, 1, instr(${AFTER_SCHEME}, '/') - 1)`;

/** Question marks stand for bound values in SQL: here, one is written by its number. */
const WITHOUT_QUERY = "substr(u.url, 1, instr(replace(u.url, '#', char(63)) || char(63), char(63)) - 1)";
/** Removes what follows the last slash: it ends at a run of nothing but slashes. */
const FOLDER = `rtrim(${WITHOUT_QUERY}, replace(${WITHOUT_QUERY}, '/', ''))`;

const PATH = `substr(substr(${WITHOUT_QUERY}, instr(u.url, '//') + 2), instr(substr(${WITHOUT_QUERY}, instr(u.url, '//') + 2), '/'))`;

const ENTRY = kindNumber("sitemap-entry");
/** What the first sitemap that lists a URL says about it, which is stored as the texts of its link. */
const ofEntry = (column: "text" | "context"): string =>
  `(SELECT t.value FROM links l JOIN texts t ON t.id = l.${column} WHERE l.target = u.id AND l.type = ${ENTRY} LIMIT 1)`;
/** One of the lines `name value`. */
const saidInSitemap = (name: string): string => {
  const from = `instr(t.value, '${name} ') + ${name.length + 1}`;
  const rest = `substr(t.value || char(10), ${from})`;
  return `(SELECT substr(${rest}, 1, instr(${rest}, char(10)) - 1) FROM links l JOIN texts t ON t.id = l.text
    WHERE l.target = u.id AND l.type = ${ENTRY} AND instr(t.value, '${name} ') > 0 LIMIT 1)`;
};

/** Crawls of older versions did not mark the checked ones of other hosts. */
const INTERNAL = `CASE WHEN u.via & ${EXTERNAL} <> 0 OR u.reason IN ('external', 'external_resource') THEN 'No' ELSE 'Yes' END`;

/** All pages without words would count as copies of each other. */
const HAS_TEXT = "status IN (200, 304) AND word_count > 0 AND content_hash IS NOT NULL";
const DUPLICATE = `CASE WHEN p.${HAS_TEXT.replaceAll(" AND ", " AND p.")} AND p.content_hash IN
  (SELECT content_hash FROM pages WHERE ${HAS_TEXT} GROUP BY content_hash HAVING count(*) > 1) THEN 'Yes' END`;

const graphCount = (label: string, description: string) =>
  integer(GRAPH, "Links", label, description, { exported: false });

export const FACTS = {
  url: text(SQL, "Discovery", "URL", "The URL in its canonical form", { unit: "url", sql: "u.url" }),
  status: integer(EXCHANGE, "Response", "Status", "HTTP status", {
    unit: "status",
    stored: "HTTP status; null when there was no response; for an unmodified page, its earlier status",
    compared: comparedStatus,
  }),
  verdict: text(SQL, "Discovery", "Verdict", "crawl, record or skip", {
    unit: "word",
    values: ["crawl", "record", "skip"],
    sql: "u.verdict",
  }),
  reason: text(SQL, "Discovery", "Why not crawled", "Why it was not crawled", { sql: "u.reason" }),
  rule: text(SQL, "Discovery", "Rule", "The setting or robots.txt line that decided", { sql: "u.rule" }),
  state: text(SQL, "Discovery", "State", "open, done or failed", {
    unit: "word",
    values: ["open", "done", "failed"],
    sql: "u.state",
  }),
  depth: integer(SQL, "Discovery", "Depth", "Number of links from the start when it was found; a sitemap has none", {
    sql: `CASE WHEN u.kind <> ${kindNumber("sitemap")} THEN u.depth END`,
  }),
  via: text(SQL, "Discovery", "Found via", "How it was first found", { sql: wordOf("u.via & 15", VIAS) }),
  kind: text(SQL, "Discovery", "Found as", "What it was found as", { sql: wordOf("u.kind", KINDS) }),
  found_on: text(SQL, "Discovery", "Found on", "The URL on which it was first found", {
    unit: "url",
    sql: urlOf("nullif(u.parent, 0)"),
  }),
  content_type: text(EXCHANGE, "Response", "Content type", "Media type, such as text/html", {
    holds: true,
    compared: true,
  }),
  indexable: text(EXCHANGE, "Search engines", "Indexable", "Whether Google may list it", {
    unit: "yes-no",
    values: ["Yes", "No", "-"],
    always: true,
    compared: true,
  }),
  indexability: text(EXCHANGE, "Search engines", "Why not indexable", "Why it is not indexable"),
  title: text(DOCUMENT, "Content", "Title", "First title", { unit: "sentence", compared: true }),
  title_length: integer(SQL, "Content", "Title length", "Characters of the title", { sql: "length(p.title)" }),
  title_count: integer(DOCUMENT, "Content", "Title count", "Title elements; empty when it is not HTML", {
    always: true,
  }),
  description: text(meta("description"), "Content", "Description", "Meta description", {
    unit: "sentence",
    compared: true,
  }),
  description_length: integer(SQL, "Content", "Description length", "Characters of the description", {
    sql: "length(p.description)",
  }),
  h1: text(DOCUMENT, "Content", "H1", "First h1", { unit: "sentence", compared: true }),
  h1_count: integer(DOCUMENT, "Content", "H1 count", "h1 elements", { always: true }),
  h2: text(DOCUMENT, "Content", "H2", "First h2", { unit: "sentence" }),
  h2_count: integer(DOCUMENT, "Content", "H2 count", "h2 elements", { always: true }),
  canonical: url(EXCHANGE, "Search engines", "Canonical", "Canonical URL of the page", {
    unit: "url",
    stored: "id of its canonical URL",
    compared: true,
  }),
  redirect_to: url(EXCHANGE, "Response", "Redirects to", "Redirect target, by HTTP, refresh or script", {
    unit: "url",
    stored: "id of the URL that it redirects to",
    compared: true,
  }),
  robots_meta: text(DOCUMENT, "Search engines", "Robots meta", "Robots meta directives", { compared: true }),
  robots_header: text(headers("x-robots-tag"), "Search engines", "X-Robots-Tag", "X-Robots-Tag directives"),
  language: text(attribute("html", "lang"), "Content", "Language", "Language of the html element", {
    unit: "word",
  }),
  charset: text(EXCHANGE, "Response", "Charset", "Character encoding", { unit: "word", holds: true }),
  word_count: integer(DOCUMENT, "Content", "Words", "Words of visible text", { always: true, compared: true }),
  content_hash: text(DOCUMENT, "Content", "Content hash", "Hash of the visible text; equal for equal content", {
    compared: true,
  }),
  links_out: integer(EXCHANGE, "Content", "Links out", "Links on the page", { column: "link_count", holds: true }),
  size: integer(EXCHANGE, "Response", "Size", "Bytes of the body after decompression", { unit: "bytes", holds: true }),
  size_wire: integer(EXCHANGE, "Response", "Transferred", "Bytes of the body on the wire", { unit: "bytes" }),
  time_total: real(EXCHANGE, "Timing", "Time", "Ms from request to last byte", {
    unit: "ms",
    sql: tenths("time_total"),
  }),
  time_dns: real(EXCHANGE, "Timing", "DNS", "Ms for the DNS lookup", { unit: "ms", sql: tenths("time_dns") }),
  time_connect: real(EXCHANGE, "Timing", "Connect", "Ms to open the connection", {
    unit: "ms",
    sql: tenths("time_connect"),
  }),
  time_tls: real(EXCHANGE, "Timing", "TLS", "Ms for the TLS handshake", { unit: "ms", sql: tenths("time_tls") }),
  time_first_byte: real(EXCHANGE, "Timing", "First byte", "Ms until the server began its response", {
    unit: "ms",
    sql: tenths("time_first_byte"),
  }),
  time_download: real(EXCHANGE, "Timing", "Download", "Ms to receive the response", {
    unit: "ms",
    sql: tenths("time_download"),
  }),
  time_server: real(SQL, "Timing", "Server time", "Ms from request to last byte, once connected", {
    unit: "ms",
    sql: SERVER_TIME,
  }),
  time_render: real(EXCHANGE, "Timing", "Render", "Ms in the browser; not part of the server's times", {
    unit: "ms",
    sql: tenths("time_render"),
  }),
  error: text(
    EXCHANGE,
    "Response",
    "Error",
    "Why there was no response, such as timeout, or challenge for a bot check instead of the page",
  ),
  error_detail: text(
    EXCHANGE,
    "Response",
    "Error detail",
    "The underlying error, such as CERT_HAS_EXPIRED, or whose bot check it was",
  ),
  truncated: text(EXCHANGE, "Response", "Truncated", "Why the body was cut; empty when it was not"),
  http_version: text(EXCHANGE, "Response", "HTTP version", "HTTP version"),
  last_modified: text(header("last-modified"), "Response", "Last modified", "Last-Modified header"),
  etag: text(header("etag"), "Response", "ETag", "ETag header"),
  attempts: integer(EXCHANGE, "Response", "Attempts", "Number of attempts", { always: true }),
  fetched_at: integer(EXCHANGE, "Response", "Fetched", "When it was fetched", {
    unit: "date",
    stored: "when it was fetched, in ms since 1970",
    sql: FETCHED_AT,
    always: true,
  }),

  charset_source: text(
    EXCHANGE,
    "Response",
    "Charset source",
    "Where the encoding was declared: bom, header or meta; guess or default when it was not",
    { unit: "word", values: ["bom", "header", "meta", "guess", "default"], holds: true, exported: false },
  ),
  remote_address: text(EXCHANGE, "Response", "Remote address", "Address of the server", { listed: false }),
  from_cache: integer(EXCHANGE, "Response", "From cache", "1 when it came from the response cache", {
    always: true,
    listed: false,
  }),
  text_length: integer(DOCUMENT, "Content", "Text length", "Characters of the visible text", {
    always: true,
    listed: false,
  }),
  links_truncated: integer(EXCHANGE, "Content", "Links truncated", "1 when it has more links than were read", {
    holds: true,
    listed: false,
  }),
  headers: text(EXCHANGE, "Response", "Headers", "Response headers, a JSON array of pairs", { listed: false }),

  final_url: text(BROWSER, "Browser", "Final URL", "The address of the page after its scripts ran", { always: true }),
  redirected_to: text(BROWSER, "Browser", "Redirected to", "Where a script redirected to"),
  settled: integer(
    BROWSER,
    "Browser",
    "Settled",
    "Whether the page settled: no timer, request or worker was pending at the time limit",
    {
      unit: "yes-no",
      stored: "0 when a timer, request or worker was still pending at the time limit",
      always: true,
    },
  ),
  requests: integer(BROWSER, "Browser", "Requests", "Requests the page made", { always: true }),
  requests_failed: integer(BROWSER, "Browser", "Requests failed", "Requests without a response", { always: true }),
  requests_blocked: integer(BROWSER, "Browser", "Requests blocked", "Requests blocked by the settings", {
    always: true,
  }),
  console_errors: text(BROWSER, "Browser", "Console errors", "A JSON array", { always: true }),
  time_navigate: real(BROWSER, "Browser", "Navigate", "Ms until the page was loaded", { unit: "ms", always: true }),
  time_settle: real(BROWSER, "Browser", "Settle", "Ms until it settled", { unit: "ms", always: true }),

  canonical_count: integer(DOCUMENT, "Search engines", "Canonical count", "Canonical link elements", { always: true }),
  hreflang: text(
    DOCUMENT,
    "Search engines",
    "Hreflang",
    "Alternate languages, a JSON array of pairs: language, address",
    {
      compared: true,
    },
  ),
  next: text(SQL, "Search engines", "Next", "Next page of a series", {
    unit: "url",
    sql: firstLink(kindNumber("next")),
    exported: false,
  }),
  prev: text(SQL, "Search engines", "Previous", "Previous page of a series", {
    unit: "url",
    sql: firstLink(kindNumber("prev")),
    exported: false,
  }),
  refresh: text(SQL, "Search engines", "Refreshes to", "Target of its meta refresh", {
    unit: "url",
    sql: firstLink(kindNumber("refresh")),
    exported: false,
  }),
  texts_cut: text(DOCUMENT, "Content", "Texts cut", "Texts of this page that were cut because they were too long"),
  og_title: text(card("og:title"), "Social", "og:title", "Title for link previews", {
    unit: "sentence",
    compared: true,
  }),
  og_image: text(card("og:image"), "Social", "og:image", "Image for link previews, as written", { compared: true }),
  og_type: text(card("og:type"), "Social", "og:type", "Type of the page for link previews, such as article", {
    unit: "word",
  }),
  twitter_card: text(card("twitter:card"), "Social", "twitter:card", "Layout of the card on X, such as summary", {
    unit: "word",
  }),
  viewport: text(meta("viewport"), "Content", "Viewport", "Viewport for mobile devices"),
  generator: text(meta("generator"), "Content", "Generator", "The program that generated the page"),
  author: text(meta("author"), "Content", "Author", "Author of the page"),
  keywords: text(meta("keywords"), "Search engines", "Keywords", "Meta keywords"),
  theme_color: text(meta("theme-color"), "Content", "Theme color", "Color for the browser's interface", {
    unit: "word",
  }),
  amphtml: text(link("amphtml"), "Search engines", "AMP version", "Address of the AMP version, as written"),
  raw_title: text(RAW, "Browser", "Raw title", "Title of the HTML as sent", {
    unit: "sentence",
  }),
  raw_description: text(RAW, "Browser", "Raw description", "Meta description of the HTML as sent", {
    unit: "sentence",
  }),
  raw_h1: text(RAW, "Browser", "Raw H1", "First h1 of the HTML as sent", { unit: "sentence" }),
  raw_word_count: integer(RAW, "Browser", "Raw words", "Words of the HTML as sent", {
    always: true,
  }),
  raw_content_hash: text(RAW, "Browser", "Raw content hash", "Content hash of the HTML as sent"),
  raw_canonical: text(RAW, "Browser", "Raw canonical", "Canonical URL of the page as sent", {
    unit: "url",
  }),
  raw_robots_meta: text(RAW, "Browser", "Raw robots meta", "Robots meta directives of the HTML as sent"),
  raw_links_out: integer(RAW, "Browser", "Raw links out", "Links in the HTML as sent", {
    always: true,
  }),
  raw_indexable: text(RAW, "Browser", "Raw indexable", "Whether the page as sent is indexable", {
    unit: "yes-no",
    values: ["Yes", "No", "-"],
    always: true,
  }),
  differs: text(
    SQL,
    "Browser",
    "Changed by scripts",
    "Facts that scripts changed, such as title, canonical; empty when none, or when scripts did not run",
    {
      exported: false,
      sql: differing({
        title: ["r.raw_title", "p.title"],
        description: ["r.raw_description", "p.description"],
        h1: ["r.raw_h1", "p.h1"],
        word_count: ["r.raw_word_count", "p.word_count"],
        content_hash: ["r.raw_content_hash", "p.content_hash"],
        canonical: ["r.raw_canonical", urlOf("p.canonical")],
        robots_meta: ["r.raw_robots_meta", "p.robots_meta"],
        links_out: ["r.raw_links_out", "r.link_count"],
        indexable: ["r.raw_indexable", "p.indexable"],
      }),
    },
  ),
  outcome: text(SQL, "Response", "Outcome", "What became of it: page, file, redirect, broken, queued or not crawled", {
    values: ["page", "file", "redirect", "broken", "queued", "not crawled"],
    sql: OUTCOME,
  }),
  role: text(SQL, "Discovery", "Role", "What it was found as: a document, a document's resource, or a sitemap", {
    unit: "word",
    values: ["document", "resource", "sitemap"],
    sql: ROLE,
  }),
  host: text(SQL, "Discovery", "Host", "Its host, with the port where the URL names one", { unit: "word", sql: HOST }),
  folder: text(SQL, "Discovery", "Folder", "The address up to the last slash of its path", {
    unit: "url",
    sql: FOLDER,
    exported: false,
  }),
  internal: text(SQL, "Discovery", "Internal", "Whether its host is part of the site", {
    unit: "yes-no",
    values: ["Yes", "No"],
    sql: INTERNAL,
  }),
  duplicate: text(SQL, "Content", "Duplicate", "Whether another page has the same visible text", {
    unit: "yes-no",
    values: ["Yes"],
    sql: DUPLICATE,
    exported: false,
  }),
  text_print: integer(EXCHANGE, "Content", "Text print", "Fingerprint of its content, for recognising repeated pages", {
    holds: true,
    listed: false,
  }),
  trap_signs: integer(
    EXCHANGE,
    "Content",
    "Trap signs",
    "What the page says about endless parts of the site, as bits",
    {
      listed: false,
    },
  ),
  soft_404: text(
    EXCHANGE,
    "Response",
    "Soft 404",
    "Whether it answers 200 with the page that its host shows for addresses that do not exist",
    { unit: "yes-no", values: ["Yes"], holds: true, compared: true },
  ),
  content_encoding: text(header("content-encoding"), "Response", "Content encoding", "Content-Encoding header", {
    unit: "word",
  }),
  cache_control: text(header("cache-control"), "Response", "Cache control", "Cache-Control header"),
  expires: text(header("expires"), "Response", "Expires", "Expires header"),
  hsts: text(header("strict-transport-security"), "Security", "HSTS", "Strict-Transport-Security header"),
  csp: text(headers("content-security-policy"), "Security", "CSP", "Content-Security-Policy headers"),
  content_type_options: text(
    header("x-content-type-options"),
    "Security",
    "Content type options",
    "X-Content-Type-Options header",
  ),
  frame_options: text(header("x-frame-options"), "Security", "Frame options", "X-Frame-Options header"),
  referrer_policy: text(header("referrer-policy"), "Security", "Referrer policy", "Referrer-Policy header"),
  cors_origin: text(
    header("access-control-allow-origin"),
    "Security",
    "CORS origin",
    "Access-Control-Allow-Origin header",
  ),
  cors_credentials: text(
    header("access-control-allow-credentials"),
    "Security",
    "CORS credentials",
    "Access-Control-Allow-Credentials header",
  ),
  server: text(header("server"), "Security", "Server", "Server header"),
  powered_by: text(header("x-powered-by"), "Security", "Powered by", "X-Powered-By header"),
  refresh_header: text(header("refresh"), "Response", "Refresh header", "Refresh header: seconds and perhaps a URL"),
  link_header: text(headers("link"), "Response", "Link header", "Link headers, as sent"),
  inlinks: graphCount("Inlinks", "Links to it from other pages of the crawl; for a resource, its uses"),
  unique_inlinks: graphCount("Unique inlinks", "Other pages that link to it, or use it"),
  inlinks_followed: graphCount("Followed inlinks", "Links to it without nofollow, from other pages"),
  inlinks_indexable: graphCount("Indexable inlinks", "Links to it from indexable pages"),
  self_links: graphCount("Self-links", "Links of the page to itself"),
  outlinks_internal: graphCount("Internal outlinks", "Links of the page to pages of the site, without self-links"),
  outlinks_external: graphCount("External outlinks", "Links of the page to other hosts"),
  outlinks_resources: graphCount("Resources", "Images, scripts, styles and other files that the page uses"),
  outlinks_nofollow: graphCount("Nofollow outlinks", "Links of the page to the site that are marked nofollow"),
  broken_links: graphCount("Broken links", "Links of the page to broken URLs of the site"),
  broken_links_external: graphCount("Broken external links", "Links of the page to broken URLs of other hosts"),
  redirect_links: graphCount("Redirecting links", "Links of the page to URLs of the site that redirect"),
  in_sitemaps: graphCount("In sitemaps", "Sitemaps that list it"),
  link_score: real(
    GRAPH,
    "Links",
    "Link score",
    "0 to 100: how much of the site's followed links leads to it, on a logarithmic scale (PageRank)",
  ),
  orphan: text(
    GRAPH,
    "Links",
    "Orphan",
    "Whether it is an orphan: no page links to it, and the crawl did not start there",
    {
      unit: "yes-no",
      values: ["Yes"],
      exported: false,
    },
  ),
  link_kinds: integer(GRAPH, "Links", "Link kinds", "Types of links that it has, as bits", { listed: false }),
  redirect_hops: graphCount("Redirect hops", "Redirects in a row that begin here; empty when it does not redirect"),
  redirect_final: url(GRAPH, "Links", "Redirect end", "Where its redirects end; empty when they never do", {
    unit: "url",
    stored: "id of the URL where its redirects end",
    exported: false,
  }),
  redirect_status: integer(GRAPH, "Links", "Redirect end status", "HTTP status where its redirects end", {
    unit: "status",
    exported: false,
  }),
  redirect_loop: text(GRAPH, "Links", "Redirect loop", "Whether its redirects lead in a circle", {
    unit: "yes-no",
    values: ["Yes"],
    exported: false,
  }),
  title_pixels: integer(
    DOCUMENT,
    "Content",
    "Title width (px)",
    "Pixels of the title in search results (Arial, 20 px)",
  ),
  description_pixels: integer(
    DOCUMENT,
    "Content",
    "Description width (px)",
    "Pixels of the description in search results (Arial, 14 px)",
  ),
  description_count: integer(DOCUMENT, "Content", "Description count", "Meta descriptions", { always: true }),
  keywords_count: integer(DOCUMENT, "Search engines", "Keywords count", "Meta keywords elements", { always: true }),
  is_amp: text(DOCUMENT, "Search engines", "AMP", "Whether it is marked as an AMP page", {
    unit: "yes-no",
    values: ["Yes"],
  }),
  images: integer(DOCUMENT, "Images", "Images", "Images of the page (img)", { always: true }),
  images_no_alt: integer(DOCUMENT, "Images", "Images without alt", "Images without an alt attribute", {
    always: true,
  }),
  images_empty_alt: integer(DOCUMENT, "Images", "Images with empty alt", "Images that are marked as decoration", {
    always: true,
  }),
  images_no_size: integer(DOCUMENT, "Images", "Images without size", "Images without width or height", {
    always: true,
  }),
  images_lazy: integer(DOCUMENT, "Images", "Lazy images", "Images that are loaded when they come into view", {
    always: true,
  }),
  longest_alt: integer(DOCUMENT, "Images", "Longest alt", "Characters of the longest alt text", { always: true }),
  text_ratio: real(SQL, "Content", "Text ratio (%)", "Visible text as a share of the HTML, in percent", {
    sql: "CASE WHEN p.size > 0 AND p.text_length IS NOT NULL THEN round(p.text_length * 100.0 / p.size, 1) END",
  }),
  cookies: text(
    EXCHANGE,
    "Security",
    "Cookies",
    "Cookies that the response sets, one per line: name and attributes, without values",
  ),
  render_problem: text(
    EXCHANGE,
    "Browser",
    "Rendering problem",
    `Why the page could not be rendered, or did not settle: ${RENDER_PROBLEM_CODES.join(", ")}`,
    { unit: "word", values: RENDER_PROBLEM_CODES, compared: true },
  ),
  issues: integer(SQL, "Search engines", "Issues", "Audit rules that found something on it", {
    sql: "(SELECT nullif(count(*), 0) FROM findings WHERE id = u.id)",
    exported: false,
  }),
  not_modified: text(
    EXCHANGE,
    "Response",
    "Not modified",
    "Whether the server answered 304: the page is unchanged, so the status and facts of the earlier crawl still apply",
    { unit: "yes-no", values: ["Yes"] },
  ),
  is_page: text(SQL, "Response", "Page", "Whether it is a page: an HTML document that answered 2xx", {
    unit: "yes-no",
    values: ["Yes", "No"],
    sql: `iif((${OUTCOME}) = 'page', 'Yes', 'No')`,
    exported: false,
  }),
  canonical_written: text(
    DOCUMENT,
    "Search engines",
    "Canonical as written",
    "The first canonical, as written in the page",
  ),
  canonical_conflicts: integer(
    DOCUMENT,
    "Search engines",
    "Other canonicals",
    "Canonicals whose address differs from the first",
    { always: true },
  ),
  canonical_attributes: text(
    DOCUMENT,
    "Search engines",
    "Canonical attributes",
    "Attributes of a canonical that make search engines ignore it",
  ),
  readability: real(
    DOCUMENT,
    "Content",
    "Readability",
    "Flesch reading ease, for English: over 60 is plain, under 30 very difficult; empty with less than 100 words, or without sentences",
  ),
  placeholder_text: text(DOCUMENT, "Content", "Placeholder text", "Whether its text contains lorem ipsum", {
    unit: "yes-no",
    values: ["Yes"],
  }),
  images_same_alt: integer(
    DOCUMENT,
    "Images",
    "Images with the same alt",
    "Images that share their alt text with another",
    {
      always: true,
    },
  ),
  images_empty_alt_large: integer(
    DOCUMENT,
    "Images",
    "Large images with empty alt",
    "Images of at least 300 by 300 pixels marked as decoration",
    { always: true },
  ),
  videos_no_poster: integer(DOCUMENT, "Images", "Videos without poster", "Videos without a poster image", {
    always: true,
  }),
  protocol_relative: integer(
    DOCUMENT,
    "Security",
    "Protocol-relative",
    "Resources whose address has a host but no scheme",
    { always: true },
  ),
  scripts_no_integrity: text(
    DOCUMENT,
    "Security",
    "Scripts without integrity",
    "Scripts with a host in their address that have no checksum, the first 20",
  ),
  structured_data: text(
    DOCUMENT,
    "Search engines",
    "Structured data",
    "Types that the page describes in JSON-LD, Microdata and RDFa",
    {
      compared: true,
    },
  ),
  structured_data_problems: text(
    DOCUMENT,
    "Search engines",
    "Structured data problems",
    "What is wrong with its structured data: parse errors, missing properties, conflicting descriptions",
  ),
  dom_elements: integer(DOCUMENT, "Content", "Elements", "Elements of the document", { always: true }),
  dom_depth: integer(DOCUMENT, "Content", "Element depth", "How deep its elements are nested", { always: true }),
  document_problems: text(
    DOCUMENT,
    "Content",
    "Document problems",
    "Problems in the document's structure: head and body, ids, the order of headings, elements outside the head, links that crawlers cannot follow",
  ),
  googlebot_meta: text(DOCUMENT, "Search engines", "Googlebot meta", "Meta directives for Google alone"),
  meta_refresh: text(DOCUMENT, "Search engines", "Meta refresh", "Its meta refresh: seconds and perhaps a URL"),
  indexability_evidence: text(
    EXCHANGE,
    "Search engines",
    "Not indexable because of",
    "The element, header or line of robots.txt that makes it not indexable; empty when its status does. For an indexable page that was only partly read, how much was read",
  ),
  title_2: text(DOCUMENT, "Content", "Second title", "Second title", { unit: "sentence" }),
  description_2: text(DOCUMENT, "Content", "Second description", "Second meta description", { unit: "sentence" }),
  h1_2: text(DOCUMENT, "Content", "Second H1", "Second h1", { unit: "sentence" }),
  h2_2: text(DOCUMENT, "Content", "Second H2", "Second h2", { unit: "sentence" }),
  links_left_out: integer(
    EXCHANGE,
    "Links",
    "Links left out",
    "Links of the page beyond the limit maxLinksPerPage, which were not read",
    { holds: true },
  ),
  links_other: integer(
    EXCHANGE,
    "Links",
    "Other links",
    "Links of the page that are not web addresses, such as mailto:, tel: or javascript:",
    { holds: true },
  ),
  links_other_list: text(
    EXCHANGE,
    "Links",
    "Addresses of other links",
    "Its links that are not web addresses, each once, as written",
    { holds: true },
  ),
  accessibility_problems: text(
    DOCUMENT,
    "Content",
    "Accessibility problems",
    "Problems that the HTML shows without a browser: fields without a label, buttons and links without a name, unknown roles, a missing main element",
  ),
  render_blocking: integer(
    DOCUMENT,
    "Content",
    "Render-blocking resources",
    "Scripts and style sheets in the head that browsers wait for before they show anything",
    { always: true },
  ),
  tracked_links: text(
    EXCHANGE,
    "Links",
    "Links with tracking",
    "Links to the site itself with campaign parameters (utm_…) or session ids, as written, the first 10",
    { holds: true },
  ),
  charset_declared: text(
    SQL,
    "Response",
    "Charset declared",
    "No when neither the page nor its headers declare its encoding",
    {
      unit: "yes-no",
      values: ["Yes", "No"],
      sql: "CASE WHEN p.charset_source IN ('guess', 'default') THEN 'No' WHEN p.charset_source IS NOT NULL THEN 'Yes' END",
    },
  ),
  folder_depth: integer(SQL, "Discovery", "Folder depth", "Folders in the path of its address", {
    sql: `length(${PATH}) - length(replace(${PATH}, '/', '')) - 1`,
  }),
  canonical_source: text(
    EXCHANGE,
    "Search engines",
    "Canonical source",
    "Where its canonical is: in the head, in a Link header, or in the head only after scripts ran",
    { unit: "word", values: ["head", "header", "rendered"], holds: true },
  ),
  hreflang_header: text(
    EXCHANGE,
    "Search engines",
    "Hreflang in headers",
    "Alternate languages in Link headers, a JSON array of pairs: language, address",
  ),
  hreflang_sitemap: text(
    SQL,
    "Search engines",
    "Hreflang in sitemaps",
    "Alternate languages in a sitemap, a JSON array of pairs: language, address",
    { exported: false, sql: ofEntry("context") },
  ),
  sitemap_kind: text(
    EXCHANGE,
    "Search engines",
    "Sitemap kind",
    "For a sitemap: urlset, sitemapindex, rss, atom or text; unknown if it is something else",
    { unit: "word", values: ["urlset", "sitemapindex", "rss", "atom", "text", "unknown"], holds: true },
  ),
  sitemap_problems: text(
    EXCHANGE,
    "Search engines",
    "Sitemap problems",
    "What is wrong with a sitemap, one line each",
    { holds: true },
  ),
  sitemaps: text(SQL, "Search engines", "Listed in", "The sitemaps that list it, the first five", {
    exported: false,
    sql: `(SELECT group_concat(url, char(10)) FROM (SELECT DISTINCT s.url AS url FROM links l JOIN urls s ON s.id = l.source
      WHERE l.target = u.id AND l.type = ${ENTRY} ORDER BY s.id LIMIT 5))`,
  }),
  sitemap_lastmod: text(SQL, "Search engines", "Sitemap date", "When it was last changed, according to a sitemap", {
    exported: false,
    sql: saidInSitemap("lastmod"),
  }),
  sitemap_priority: real(SQL, "Search engines", "Sitemap priority", "Its priority in a sitemap, 0 to 1", {
    exported: false,
    sql: `CAST(${saidInSitemap("priority")} AS REAL)`,
  }),
  unique_inlinks_followed: graphCount("Unique followed inlinks", "Other pages that link to it without nofollow"),
  unique_outlinks: graphCount("Unique internal outlinks", "Pages of the site that it links to, each once"),
  redirect_chain: text(
    GRAPH,
    "Links",
    "Redirect chain",
    "Where its redirects lead, one line per step: status and URL",
    { exported: false },
  ),
  text_sketch: text(DOCUMENT, "Content", "Text sketch", "Sketch of its text, for recognising near duplicates", {
    listed: false,
  }),
  own_text: real(
    DOCUMENT,
    "Content",
    "Own text (%)",
    "Visible text outside navigation, header, footer and asides, as a percentage of all text",
  ),
  near_duplicate: url(
    GRAPH,
    "Content",
    "Near duplicate",
    "The indexable page whose own text is most like this page's",
    {
      unit: "url",
      stored: "id of the indexable page whose own text is most like this page's",
      exported: false,
    },
  ),
  similarity: graphCount(
    "Similarity (%)",
    "How much of its own text the near duplicate shares, in percent: at least 50",
  ),
  boilerplate: graphCount(
    "Boilerplate (%)",
    "Text that is not its own: in navigation, header, footer and asides, or repeated on 30 % of the pages",
  ),
  axe_violations: text(
    BROWSER,
    "Browser",
    "Accessibility (axe)",
    "axe-core rules that the rendered page breaks, one per line: rule, impact, what to do, number of elements",
  ),
  layout_problems: text(
    BROWSER,
    "Browser",
    "Layout problems",
    "Layout problems of the rendered page, each with its size: images, background images, elements without a visible focus, width and tap targets on a phone",
  ),
  raw_structured_data: text(
    RAW,
    "Browser",
    "Raw structured data",
    "Types that the page describes in JSON-LD, Microdata and RDFa as sent, before its scripts ran",
  ),
  resource_bytes: graphCount(
    "Bytes of resources",
    "Bytes transferred for the images, scripts, styles and other files that the page uses, each once, as far as they were fetched",
  ),
  number: integer(SQL, "Discovery", "Number", "Its number in this crawl, in the order of discovery", {
    sql: "u.id",
    exported: false,
  }),
  llms_problems: text(
    EXCHANGE,
    "Search engines",
    "llms.txt problems",
    "What is wrong with an llms.txt, one line each",
    {
      holds: true,
    },
  ),
  tls_version: text(EXCHANGE, "Security", "TLS version", "TLS version of the connection, such as TLSv1.3", {
    unit: "word",
  }),
  certificate_until: text(EXCHANGE, "Security", "Certificate valid until", "Last day of the server's certificate", {
    unit: "word",
  }),
  bookmarks: text(
    DOCUMENT,
    "Links",
    "Bookmarks",
    "Fingerprints of its ids and anchor names, for recognising broken bookmarks",
    {
      listed: false,
    },
  ),
  fragment_links: text(
    EXCHANGE,
    "Links",
    "Links to bookmarks",
    "Its links with a fragment, a JSON array: place of the link among those of the page, fragment, its prints",
    { listed: false, holds: true },
  ),
  lcp: integer(
    FIELD,
    "Field data",
    "LCP",
    "Largest Contentful Paint of three quarters of the visits, in milliseconds (Chrome UX Report)",
    { unit: "ms" },
  ),
  inp: integer(
    FIELD,
    "Field data",
    "INP",
    "Interaction to Next Paint of three quarters of the visits, in milliseconds (Chrome UX Report)",
    { unit: "ms" },
  ),
  cls: real(FIELD, "Field data", "CLS", "Cumulative Layout Shift of three quarters of the visits (Chrome UX Report)"),
  clicks: integer(FIELD, "Field data", "Clicks", "Clicks from Google's results in the last 28 days (Search Console)"),
  impressions: integer(
    FIELD,
    "Field data",
    "Impressions",
    "How often Google's results showed it in the last 28 days (Search Console)",
  ),
  search_position: real(FIELD, "Field data", "Position", "Mean position in Google's results (Search Console)"),
  raw_indexability: text(RAW, "Browser", "Raw: why not indexable", "Why the page as sent is not indexable"),
  raw_indexability_evidence: text(
    RAW,
    "Browser",
    "Raw: not indexable because of",
    "The element, header or line of robots.txt that makes the page as sent not indexable",
  ),
} satisfies Record<string, Fact>;
