/** Rules about answers and redirects. */
import { ruleGroup } from "../rule.ts";

const TIMEOUTS = "('connect_timeout', 'headers_timeout', 'idle_timeout', 'total_timeout', 'too_slow')";
const FAILED = "error IS NOT NULL AND error <> 'challenge'";
const CAUSE = "error || iif(error_detail IS NULL, '', ': ' || error_detail)";
/** Statuses with which hosts turn crawlers away, whatever visitors see. */
const BOT_WALLS = "status IN (401, 403, 407, 429, 999)";
const TEXT_TYPES = `(content_type LIKE 'text/%' OR content_type IN ('application/javascript', 'application/json',
  'application/xml', 'application/xhtml+xml', 'application/ld+json', 'image/svg+xml', 'application/rss+xml',
  'application/atom+xml', 'application/manifest+json'))`;
/** The kind of file that a name suggests, and the types that match. */
const MISMATCH = `CASE
  WHEN path REGEXP '\\.(png|jpe?g|gif|webp|avif)$' THEN content_type NOT LIKE 'image/%'
  WHEN path REGEXP '\\.css$' THEN content_type <> 'text/css'
  WHEN path REGEXP '\\.m?js$' THEN content_type NOT LIKE '%javascript' AND content_type NOT LIKE '%ecmascript'
  WHEN path REGEXP '\\.(woff2?|ttf|otf)$' THEN content_type NOT LIKE 'font/%' AND content_type NOT LIKE '%font%'
    AND content_type <> 'application/octet-stream'
  WHEN path REGEXP '\\.pdf$' THEN content_type <> 'application/pdf'
  WHEN path REGEXP '\\.html?$' THEN content_type NOT IN ('text/html', 'application/xhtml+xml')
  ELSE 0 END`;

export const RESPONSE_RULES = ruleGroup(
  "Responses and redirects",
  "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
  {
    "resp.no_response_internal": {
      name: "No answer",
      ...{ severity: "error", priority: "high", on: "fetched" },
      when: `${FAILED} AND error NOT IN ${TIMEOUTS}`,
      evidence: CAUSE,
      why: "Visitors and search engines get an error instead of the page.",
      fix: "Check DNS, certificate and server for this address, or remove the links to it.",
    },
    "resp.4xx_internal": {
      name: "Broken page or file (4xx)",
      ...{ severity: "error", priority: "high", on: "fetched" },
      when: "status BETWEEN 400 AND 499 AND error IS NULL",
      evidence: "status || iif(found_on IS NULL, '', ', found on ' || found_on)",
      why: "Anyone who follows a link to it gets an error, and the value of the link is lost.",
      fix: "Restore the page, redirect it to the one that replaced it, or correct the links to it.",
    },
    "resp.5xx_internal": {
      name: "Server error (5xx)",
      ...{ severity: "error", priority: "high", on: "fetched" },
      when: "status >= 500 AND error IS NULL",
      evidence: "status",
      why: "The server fails. Search engines crawl a failing site more slowly, and drop pages that keep failing.",
      fix: "Look for the error in the server's log.",
    },
    "resp.timeout": {
      name: "Timed out",
      ...{ severity: "error", priority: "high", on: "fetched" },
      when: `error IN ${TIMEOUTS}`,
      evidence: CAUSE,
      why: "The server did not answer in time; visitors leave, and search engines give up.",
      fix: "Find out why the page is slow: a slow query, an overloaded server, or a limit on requests.",
    },
    "resp.blocked_robots": {
      name: "Blocked by robots.txt",
      ...{ severity: "warning", priority: "high", on: "known" },
      when: "reason = 'robots_disallow' AND role = 'document'",
      evidence: "rule",
      why: "Search engines may not read it, though they may still list its address.",
      fix: "If it should be found, remove the line from robots.txt; if not, stop linking to it.",
    },
    "resp.blocked_resource": {
      name: "Script or style blocked by robots.txt",
      ...{ severity: "warning", priority: "high", on: "known" },
      when: "reason = 'robots_disallow' AND kind IN ('script', 'stylesheet')",
      evidence: "rule",
      why: "Search engines render pages; without their scripts and styles they see something other than visitors do.",
      fix: "Allow scripts and style sheets in robots.txt.",
    },
    "resp.no_response_external": {
      name: "External link that did not answer",
      ...{ severity: "warning", priority: "low", on: "external" },
      when: `${FAILED} AND error <> 'dns_not_found'`,
      evidence: CAUSE,
      why: "The link may be dead, or the host was down for a moment.",
      fix: "Open it in a browser; replace or remove the link if it does not answer there either.",
    },
    "resp.4xx_external": {
      name: "Broken external link (4xx)",
      ...{ severity: "warning", priority: "low", on: "external" },
      when: `status BETWEEN 400 AND 499 AND NOT (${BOT_WALLS}) AND error IS NULL`,
      evidence: "status",
      why: "Visitors who follow the link get an error.",
      fix: "Link to where the page is now, or remove the link.",
    },
    "resp.5xx_external": {
      name: "External link to a server error (5xx)",
      ...{ severity: "warning", priority: "low", on: "external" },
      when: "status >= 500 AND status <> 999 AND error IS NULL",
      evidence: "status",
      why: "The other server fails; visitors who follow the link see an error.",
      fix: "Check again later, and replace the link if it is still broken.",
    },
    "resp.bot_wall_external": {
      name: "External link that could not be verified",
      ...{ severity: "notice", priority: "low", on: "external" },
      when: `(${BOT_WALLS}) OR error = 'challenge'`,
      evidence: "coalesce(status, '') || iif(error_detail IS NULL, '', ' ' || error_detail)",
      why: "The host turns crawlers away, so the link could not be checked. It may work for visitors.",
      fix: "If it matters, open it in a browser.",
    },
    "resp.dead_external_domain": {
      name: "External domain that does not exist",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "external" },
      when: "error = 'dns_not_found'",
      evidence: "host",
      why: "The domain has expired, and whoever registers it next decides what your visitors see.",
      fix: "Remove the link, or link to where the content is now.",
    },
    "resp.redirect_internal": {
      name: "Redirect",
      ...{ severity: "notice", priority: "low", on: "redirect" },
      when: "1",
      evidence: "status || coalesce(' to ' || redirect_to, '')",
      why: "Each redirect costs visitors and crawlers a request.",
      fix: "Link to the address it leads to.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.redirect_chain": {
      name: "Redirect chain",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "fetched" },
      when: "redirect_hops > 1 AND redirect_loop IS NULL",
      evidence: "redirect_hops || ' redirects: ' || replace(redirect_chain, char(10), ', ')",
      why: "Each additional hop takes time, and crawlers give up after a few.",
      fix: "Redirect straight to the last address.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.redirect_loop": {
      name: "Redirect loop",
      ...{ severity: "error", priority: "high", phase: "graph", on: "fetched" },
      when: "redirect_loop = 'Yes'",
      evidence: "'redirects to ' || redirect_to",
      why: "The redirects lead in a circle: nobody ever sees a page.",
      fix: "Change one of the redirects so that the chain ends at a page.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.redirect_to_error": {
      name: "Redirect to an error",
      ...{ severity: "error", priority: "high", phase: "graph", on: "fetched" },
      when: "redirect_status >= 400",
      evidence: "redirect_status || ' at ' || redirect_final",
      why: "Anyone who follows it gets an error.",
      fix: "Redirect to a page that exists, or answer 404 or 410 here.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.redirect_to_noindex": {
      name: "Redirect to a page that is not indexed",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "redirect" },
      query: `SELECT j.id AS id, f.url AS evidence FROM judged j JOIN judged f ON f.id = j.redirect_final_id
        WHERE j.as_redirect AND f.indexability IN ('noindex_meta', 'noindex_header')`,
      why: "Links to the old address count toward a page that search engines may not list.",
      fix: "Redirect to a page that may be indexed, or allow this one to be.",
    },
    "resp.redirect_canonical_chain": {
      name: "Redirect to a page with another canonical",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "redirect" },
      query: `SELECT j.id AS id, f.url || ' names ' || f.canonical AS evidence FROM judged j
        JOIN judged f ON f.id = j.redirect_final_id WHERE j.as_redirect AND f.indexability = 'canonicalised'`,
      why: "The redirect and the canonical give different addresses; search engines may follow neither.",
      fix: "Redirect to the canonical address.",
    },
    "resp.meta_refresh": {
      name: "Meta refresh",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "refresh IS NOT NULL AND refresh <> url",
      evidence: "refresh",
      why: "It takes visitors away without asking, breaks the back button, and is a weaker signal than a redirect.",
      fix: "Use an HTTP redirect (301) instead.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.http_refresh": {
      name: "Refresh header",
      ...{ severity: "warning", priority: "low", on: "document" },
      when: "refresh_header IS NOT NULL",
      evidence: "refresh_header",
      why: "It takes visitors away without asking, and is a weaker signal than a redirect.",
      fix: "Use an HTTP redirect (301) instead.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.js_redirect": {
      name: "Redirect by script",
      ...{ severity: "warning", priority: "low", phase: "render", on: "rendered" },
      when: "redirected_to IS NOT NULL",
      evidence: "redirected_to",
      why: "Search engines that do not run the script stay on the page.",
      fix: "Use an HTTP redirect (301) instead.",
      link: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    },
    "resp.slow_ttfb": {
      name: "Slow first byte",
      ...{ severity: "warning", priority: "medium", on: "page" },
      thresholds: { firstByteMs: 800 },
      when: "from_cache = 0 AND time_first_byte > $firstByteMs",
      evidence: "time_first_byte || ' ms'",
      why: "Nothing can be shown before the server begins to answer.",
      fix: "Cache the page on the server, or find out what takes so long.",
      link: "https://web.dev/articles/ttfb",
    },
    "resp.slow": {
      name: "Slow response",
      ...{ severity: "notice", priority: "low", on: "page" },
      thresholds: { responseMs: 2_000 },
      when: "time_server > $responseMs",
      evidence: "time_server || ' ms'",
      why: "Visitors leave slow pages, and search engines crawl slow sites less.",
      fix: "Make the page smaller or the server faster.",
      link: "https://web.dev/articles/ttfb",
    },
    "resp.soft_404": {
      name: "Soft 404",
      ...{ severity: "warning", priority: "high", on: "page" },
      when: "soft_404 = 'Yes'",
      why: "It answers 200 with what the host shows for pages that do not exist; search engines drop it.",
      fix: "Answer 404 or 410 for what does not exist.",
      link: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    },
    "resp.bad_content_type": {
      name: "Content type does not match the file name",
      ...{ severity: "warning", priority: "low", on: "fetched" },
      when: `status = 200 AND content_type IS NOT NULL AND ${MISMATCH}`,
      evidence: "content_type",
      why: "Browsers refuse scripts and styles of the wrong type, and other programs misread the file.",
      fix: "Send the right Content-Type for the file.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Type",
    },
    "resp.no_compression": {
      name: "Text sent without compression",
      ...{ severity: "warning", priority: "low", on: "fetched" },
      thresholds: { compressedFromBytes: 2_000 },
      when: `status = 200 AND content_encoding IS NULL AND ${TEXT_TYPES} AND size > $compressedFromBytes AND from_cache = 0`,
      evidence: "size || ' bytes'",
      why: "Text shrinks to a quarter with gzip or Brotli, and arrives that much sooner.",
      fix: "Turn on gzip or Brotli for text on the server.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Compression",
    },
    "resp.no_cache_headers": {
      name: "File without a cache lifetime",
      ...{ severity: "notice", priority: "low", on: "resource" },
      when: "status = 200 AND expires IS NULL AND coalesce(cache_control, '') NOT REGEXP 'max-age=[1-9]|immutable|s-maxage=[1-9]'",
      evidence: "coalesce(cache_control, 'no Cache-Control header')",
      why: "Browsers ask for the file again on every visit.",
      fix: "Send Cache-Control with a max-age.",
      link: "https://web.dev/articles/http-cache",
    },
  },
);
