/** Rules about links and how the site hangs together. */
import { hasLink, linkedUrls, ruleGroup } from "../rule.ts";

/** Hyperlinks, by the numbers of `link-kinds.ts`; flag 8 is internal, 1 nofollow, 16 rendered. */
const HYPERLINK = "l.type IN (0, 1)";
const INTERNAL = `${HYPERLINK} AND l.flags & 8 <> 0`;
const EXTERNAL = `${HYPERLINK} AND l.flags & 8 = 0`;
const BROKEN = "(q.status >= 400 OR q.error IS NOT NULL)";
/** Not those that only could not be verified. */
const DEAD = "(q.status >= 400 AND q.status NOT IN (401, 403, 407, 429, 999) OR q.error NOT IN ('challenge'))";
const GENERIC =
  "('click here', 'here', 'read more', 'more', 'learn more', 'this', 'link', 'this page', 'go', 'details', " +
  "'continue', 'continue reading', 'hier', 'mehr', 'weiterlesen', 'en savoir plus', 'ici', 'leer más', 'aquí')";
const TEXT = "(SELECT value FROM texts WHERE texts.id = l.text)";
const HOST_OF_TARGET = "substr(t.url, instr(t.url, '//') + 2)";
const LOCAL = `(${HOST_OF_TARGET} REGEXP '^(localhost|127\\.|10\\.|192\\.168\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|169\\.254\\.|\\[::1\\]|0\\.0\\.0\\.0)[.:/0-9]')`;

export const LINK_RULES = ruleGroup(
  "Links",
  "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
  {
    "link.broken_internal": {
      name: "Links to broken pages of the site",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      when: "broken_links > 0",
      evidence: linkedUrls(`${INTERNAL} AND ${BROKEN}`, "coalesce(q.status, q.error) || ' ' || t.url"),
      why: "Visitors who follow the links find nothing.",
      fix: "Correct or remove the links.",
    },
    "link.broken_external": {
      name: "Links to broken pages of other sites",
      ...{ severity: "warning", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      when: `broken_links_external > 0 AND ${hasLink(`${EXTERNAL} AND ${DEAD}`)}`,
      evidence: linkedUrls(`${EXTERNAL} AND ${DEAD}`, "coalesce(q.status, q.error) || ' ' || t.url"),
      why: "Visitors who follow the links find nothing.",
      fix: "Link to where the pages are now, or remove the links.",
    },
    "link.to_redirect": {
      name: "Links to redirects of the site",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      when: "redirect_links > 0",
      evidence: linkedUrls(`${INTERNAL} AND q.error IS NULL AND q.status BETWEEN 300 AND 399 AND q.status <> 304`),
      why: "Each redirect costs visitors and crawlers a request.",
      fix: "Link to where the redirects end.",
    },
    "link.external_to_redirect": {
      name: "External links that redirect",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      when: `outlinks_external > 0 AND ${hasLink(`${EXTERNAL} AND q.error IS NULL AND q.status IN (301, 308)`)}`,
      evidence: linkedUrls(`${EXTERNAL} AND q.error IS NULL AND q.status IN (301, 308)`),
      why: "The pages have moved for good, and the redirects may end one day.",
      fix: "Link to where they are now.",
    },
    "link.to_http": {
      name: "Links to http addresses",
      ...{ severity: "warning", priority: "medium", on: "page" },
      key: "evidence",
      when: `url LIKE 'https://%' AND ${hasLink(`${HYPERLINK} AND l.target IN (SELECT id FROM urls WHERE url LIKE 'http://%')`)}`,
      evidence: linkedUrls(`${HYPERLINK} AND l.target IN (SELECT id FROM urls WHERE url LIKE 'http://%')`),
      why: "Visitors leave the encrypted site, or take a redirect back to it.",
      fix: "Link to the https address.",
    },
    "link.to_localhost": {
      name: "Links to a private address",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      when: `NOT (host REGEXP '^(localhost|127\\.|10\\.|192\\.168\\.|172\\.|169\\.254\\.|\\[)') AND ${hasLink(`l.type IN (0, 1, 2, 3, 4) AND l.flags & 8 = 0 AND ${LOCAL}`)}`,
      evidence: linkedUrls(`l.type IN (0, 1, 2, 3, 4) AND l.flags & 8 = 0 AND ${LOCAL}`),
      why: "The address works on one machine or network only: most likely that of a developer.",
      fix: "Link to the public address.",
    },
    "link.no_internal_outlinks": {
      name: "No links to the site",
      ...{ severity: "warning", priority: "high", on: "indexable" },
      when: "coalesce(outlinks_internal, 0) = 0",
      why: "The page is a dead end for visitors, and passes nothing on.",
      fix: "Add navigation, or links to related pages.",
    },
    "link.js_only": {
      name: "Links that exist only after scripts ran",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      when: hasLink(`${INTERNAL} AND l.flags & 16 <> 0`),
      evidence: linkedUrls(`${INTERNAL} AND l.flags & 16 <> 0`),
      why: "Search engines that do not run scripts do not find the pages behind these links.",
      fix: "Send the links with the page.",
    },
    "link.nofollow_internal_out": {
      name: "Internal links marked nofollow",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "outlinks_nofollow > 0",
      evidence: linkedUrls(`${INTERNAL} AND l.flags & 1 <> 0`),
      why: "The site tells search engines not to trust its own pages.",
      fix: "Remove nofollow from links within the site.",
    },
    "link.nofollow_inlinks_only": {
      name: "Only nofollow links lead to it",
      ...{ severity: "warning", priority: "low", phase: "graph", on: "known" },
      when: "role = 'document' AND inlinks > 0 AND inlinks_followed = 0",
      evidence: "inlinks || iif(inlinks = 1, ' link', ' links')",
      why: "Search engines may not find the page, and give it no weight.",
      fix: "Link to it without nofollow if it should be found.",
    },
    "link.follow_and_nofollow_in": {
      name: "Both followed and nofollow links lead to it",
      ...{ severity: "warning", priority: "low", phase: "graph", on: "page" },
      when: "inlinks_followed > 0 AND inlinks_followed < inlinks",
      evidence: "(inlinks - inlinks_followed) || ' of ' || inlinks || ' links are nofollow'",
      why: "The site contradicts itself about whether the page matters.",
      fix: "Remove nofollow from links within the site.",
    },
    "link.nonindexable_inlinks_only": {
      name: "Only pages that are not indexable link to it",
      ...{ severity: "warning", priority: "high", phase: "graph", on: "indexable" },
      when: "inlinks > 0 AND inlinks_indexable = 0",
      evidence: "inlinks || iif(inlinks = 1, ' link', ' links')",
      why: "In time search engines stop following links of pages that they do not list.",
      fix: "Link to it from a page that may be indexed.",
    },
    "link.no_anchor_text": {
      name: "Links without text",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: hasLink(`${INTERNAL} AND l.text = 0`),
      evidence: linkedUrls(`${INTERNAL} AND l.text = 0`),
      why: "Nothing says where the links lead, least of all to people who use a screen reader.",
      fix: "Give them a text, or their image an alt text.",
    },
    "link.generic_anchor": {
      name: "Links with a text that says nothing",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: hasLink(`${INTERNAL} AND l.text IN (SELECT id FROM texts WHERE lower(value) IN ${GENERIC})`),
      evidence: linkedUrls(
        `${INTERNAL} AND l.text IN (SELECT id FROM texts WHERE lower(value) IN ${GENERIC})`,
        `${TEXT} || ': ' || t.url`,
      ),
      why: "“Click here” tells neither visitors nor search engines what the page is about.",
      fix: "Use the subject of the page as the text of the link.",
    },
    "link.anchor_too_long": {
      name: "Links with a very long text",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      thresholds: { anchorMaxChars: 100 },
      when: hasLink(`${INTERNAL} AND l.text IN (SELECT id FROM texts WHERE length(value) > $anchorMaxChars)`),
      evidence: linkedUrls(
        `${INTERNAL} AND l.text IN (SELECT id FROM texts WHERE length(value) > $anchorMaxChars)`,
        `length(${TEXT}) || ' characters: ' || t.url`,
      ),
      why: "A link around a paragraph does not say what it leads to.",
      fix: "Make only the heading the link.",
    },
    "link.too_many_internal": {
      name: "Very many internal links",
      ...{ severity: "warning", priority: "low", on: "indexable" },
      thresholds: { mostInternalLinks: 1_000 },
      when: "outlinks_internal > $mostInternalLinks",
      evidence: "outlinks_internal || ' links'",
      why: "What each link is worth goes down with their number, and visitors cannot choose.",
      fix: "Divide the list into several pages.",
    },
    "link.too_many_external": {
      name: "Very many external links",
      ...{ severity: "warning", priority: "low", on: "indexable" },
      thresholds: { mostExternalLinks: 100 },
      when: "outlinks_external > $mostExternalLinks",
      evidence: "outlinks_external || ' links'",
      why: "Pages that consist of links to other sites look like spam.",
      fix: "Check whether all of them belong here.",
    },
    "link.depth_high": {
      name: "Far from the start",
      ...{ severity: "notice", priority: "medium", phase: "graph", on: "indexable" },
      thresholds: { depthMax: 4 },
      when: "depth >= $depthMax AND via <> 'sitemap'",
      evidence: "depth || ' clicks'",
      why: "Few visitors click so often, and search engines crawl such pages less.",
      fix: "Link to it from pages closer to the start.",
    },
    "link.orphan": {
      name: "Orphan page",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "indexable" },
      when: "orphan = 'Yes'",
      evidence: "'found via ' || via",
      why: "No page links to it: visitors cannot get there, and search engines give it no weight.",
      fix: "Link to it, or remove it from the sitemap.",
    },
    "link.same_anchor_many_targets": {
      name: "Same link text for different pages",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "indexable" },
      thresholds: { sameAnchorTargets: 3 },
      query: `WITH words AS (SELECT lower(x.value) AS text, l.source AS source, l.target AS target FROM links l
        JOIN texts x ON x.id = l.text WHERE ${INTERNAL} AND l.source <> l.target AND l.position = 4 AND length(x.value) > 2),
      many AS (SELECT source, text, count(DISTINCT target) AS n FROM words GROUP BY 1, 2 HAVING n >= $sameAnchorTargets)
      SELECT j.id AS id, group_concat(many.text || ' (' || n || ' pages)', char(10)) AS evidence FROM many
      JOIN judged j ON j.id = many.source WHERE j.as_indexable GROUP BY j.id`,
      why: "One text for different pages tells visitors and search engines nothing about either.",
      fix: "Use the subject of each page as the text of its link.",
    },
  },
);
