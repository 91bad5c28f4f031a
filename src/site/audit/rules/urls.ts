/** Rules about how addresses are written. */
import { EXTERNAL } from "../../links/link-kinds.ts";
import { counted, ruleGroup } from "../rule.ts";

/** As written in links, because a crawl removes most of them from its URLs. */
const tracked = (pattern: string): { when: string; evidence: string } => ({
  when: `tracked_links IS NOT NULL AND matching_lines(tracked_links, '${pattern}') IS NOT NULL`,
  evidence: `matching_lines(tracked_links, '${pattern}')`,
});
const SESSION = "[?&;](phpsessid|jsessionid|aspsessionid[a-z]*|session_?id|sess_?id|sid|oscsid|zenid|cfid|cftoken)=";
const CAMPAIGN = "[?&;](utm_[a-z]+|_ga|_gl|gclid|fbclid|msclkid)=";

export const URL_RULES = ruleGroup(
  "URLs",
  "https://developers.google.com/search/docs/crawling-indexing/url-structure",
  {
    "url.uppercase": {
      name: "Uppercase in the path",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: "without_escapes(path) GLOB '*[A-Z]*'",
      evidence: "path",
      why: "Paths are case-sensitive: the same address in lower case is a different page, or does not exist.",
      fix: "Use lower case, and redirect the old address.",
    },
    "url.underscore": {
      name: "Underscore in the path",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: "instr(path, '_') > 0",
      evidence: "path",
      why: "Search engines read hyphens as spaces between words; underscores, not always.",
      fix: "Use hyphens in new addresses; old ones can stay.",
    },
    "url.non_ascii": {
      name: "Non-ASCII characters in the URL",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: "path || query REGEXP '%[89a-f][0-9a-f]'",
      evidence: "path",
      why: "Such addresses turn into long escape sequences when they are copied.",
      fix: "Use plain letters where your language allows it.",
    },
    "url.space": {
      name: "Space in the URL",
      ...{ severity: "error", priority: "low", on: "known" },
      when: "path || '?' || query REGEXP '%20| '",
      evidence: "path",
      why: "Addresses with spaces break when people copy them or programs read them.",
      fix: "Use hyphens instead of spaces.",
    },
    "url.multiple_slashes": {
      name: "Double slash in the path",
      ...{ severity: "error", priority: "low", on: "known" },
      when: "instr(path, '//') > 0",
      evidence: "path",
      why: "Usually a link was built incorrectly, so the same page has two addresses.",
      fix: "Correct the links, and redirect to the address with one slash.",
    },
    "url.repetitive_path": {
      name: "Repeated path segment",
      ...{ severity: "warning", priority: "low", on: "known" },
      // Numbers are left out: a date may have the same day and month.
      when: "path REGEXP '/([^/]*[a-z][^/]*)(/[^/]+)*/\\1(/|$)'",
      evidence: "path",
      why: "This is often a relative link that adds a folder with every click.",
      fix: "Begin internal links with a slash.",
    },
    "url.too_long": {
      name: "Long URL",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      thresholds: { urlMaxChars: 115 },
      when: "length(url) > $urlMaxChars",
      evidence: "length(url) || ' characters'",
      why: "Long addresses are cut in search results and are hard to share.",
      fix: "Keep addresses short and readable.",
    },
    "url.parameters": {
      name: "Query parameters",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: "query <> ''",
      evidence: "query",
      why: "Parameters often make several addresses for the same content.",
      fix: "Use paths for separate pages, and a canonical for variants.",
    },
    "url.many_parameters": {
      name: "Many query parameters",
      ...{ severity: "warning", priority: "low", on: "known" },
      thresholds: { mostParameters: 3 },
      when: "query <> '' AND length(query) - length(replace(query, '&', '')) >= $mostParameters",
      evidence: "query",
      why: "Every additional parameter multiplies the number of addresses that can be crawled.",
      fix: "Leave out parameters that do not change the page.",
    },
    "url.session_id": {
      name: "Session ids in links",
      ...{ severity: "warning", priority: "medium", on: "page" },
      ...tracked(SESSION),
      why: "Every visit gets its own addresses for the same pages, so crawlers never reach the end of them. Anyone who shares such a link also shares the session.",
      fix: "Keep the session in a cookie, and redirect addresses that carry a session id.",
    },
    "url.tracking_params_internal": {
      name: "Internal links with campaign parameters",
      ...{ severity: "warning", priority: "low", phase: "graph", on: "page" },
      ...tracked(CAMPAIGN),
      why: "Each click starts a new visit in the statistics and hides where the visitor came from. The page also gets several addresses.",
      fix: "Use utm_… and similar parameters only in links from outside, and remove them from links within the site.",
      link: "https://support.google.com/analytics/answer/10917952",
    },
    "url.internal_search": {
      name: "Internal search results can be crawled",
      ...{ severity: "warning", priority: "low", on: "indexable" },
      when: "path REGEXP '/search(/|$)' OR query REGEXP '(^|&)(q|s|query|search|keyword)=.'",
      evidence: "path || iif(query = '', '', '?' || query)",
      why: "There is no end to them, and search engines do not want to list search results.",
      fix: "Mark them noindex, or disallow them in robots.txt.",
    },
    "url.crawl_trap": {
      name: "Endless family of URLs",
      ...{ severity: "warning", priority: "high", phase: "graph", on: "known" },
      query: `SELECT min(u.id) AS id, ${counted("count(*)", "URL")} || ': ' || u.rule AS evidence FROM urls u
        WHERE u.reason IN ('trap_no_yield', 'max_urls_per_pattern', 'max_query_variants', 'path_loop')
        GROUP BY u.reason, u.rule`,
      why: "Crawlers spend their time on addresses that bring nothing new, and miss the pages that matter.",
      fix: "Do not link to filter combinations or endless calendars, or disallow them in robots.txt.",
    },
    "url.duplicate_after_normalise": {
      name: "Two addresses that differ only in how they are written",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "page" },
      query: `WITH same AS (SELECT lower(url) AS value, min(id) AS first, max(id) AS last FROM judged WHERE as_page
          GROUP BY 1 HAVING count(*) > 1)
        SELECT j.id AS id, (SELECT url FROM urls WHERE id = iif(j.id = first, last, first)) AS evidence
        FROM judged j JOIN same ON lower(j.url) = value WHERE j.as_page`,
      why: "Both answer with a page, so links and signals are split between them.",
      fix: "Redirect one to the other.",
    },
    "url.trailing_slash_mixed": {
      name: "Same page with and without a slash at the end",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "page" },
      query: `SELECT j.id AS id, o.url AS evidence FROM judged j
        JOIN urls o ON o.url = iif(substr(j.url, -1) = '/', rtrim(j.url, '/'), j.url || '/')
        JOIN pages q ON q.id = o.id WHERE j.as_page AND j.query = '' AND j.path <> '/' AND q.status IN (200, 304)
          AND q.title_count IS NOT NULL`,
      why: "Both addresses answer with a page, so links and signals are split between them.",
      fix: "Redirect one to the other.",
    },
    "url.www_or_scheme_variants": {
      name: "Site answers at more than one of http, https, www and the bare domain",
      ...{ severity: "error", priority: "high", phase: "site", on: "host" },
      query: `WITH variants AS (SELECT replace(replace(substr(url, 1, instr(substr(url, 9), '/') + 7), 'http://', 'https://'),
            '//www.', '//') AS site, substr(url, 1, instr(substr(url, 9), '/') + 7) AS origin, min(id) AS id
          FROM judged WHERE as_page GROUP BY 1, 2)
        SELECT min(id) AS id, group_concat(origin, char(10)) AS evidence FROM variants GROUP BY site HAVING count(*) > 1`,
      why: "Search engines see the same site several times, and links are split between the variants.",
      fix: "Redirect all of them to one.",
    },
    "url.broken_bookmark": {
      name: "Link to an anchor that does not exist",
      ...{ severity: "error", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      query: `SELECT id, group_concat(place, char(10)) AS evidence FROM (
        SELECT p.id AS id, u.url || '#' || (e.value ->> 1) AS place, row_number() OVER (PARTITION BY p.id) AS n
        FROM pages p JOIN urls s ON s.id = p.id AND s.via & ${EXTERNAL} = 0, json_each(p.fragment_links) e
        JOIN links l ON l.id = p.first_link + (e.value ->> 0) JOIN urls u ON u.id = l.target
        LEFT JOIN graph g ON g.id = l.target JOIN pages t ON t.id = coalesce(g.redirect_final, l.target)
        WHERE p.fragment_links IS NOT NULL AND p.error IS NULL AND p.status < 300 AND t.error IS NULL AND t.status < 300
          AND instr(t.bookmarks, e.value ->> 2) = 0 AND instr(t.bookmarks, e.value ->> 3) = 0) WHERE n <= 5 GROUP BY id`,
      why: "Visitors land at the top of the page instead of the part that the link promises.",
      fix: "Correct the part after the # in the link, or add that id to the page. Ids that only scripts add are seen with --render.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTML/Reference/Elements/a#linking_to_an_element_on_the_same_page",
    },
  },
);
