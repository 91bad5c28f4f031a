/** Rules about sitemaps, robots.txt and llms.txt. */
import { entriesOf, ruleGroup } from "../rule.ts";

const LISTED = "in_sitemaps > 0";
const ROBOTS = "https://developers.google.com/search/docs/crawling-indexing/robots/create-robots-txt";
/** robots.txt of each host of the site, as it was read. */
const robotsOf = (select: string): string =>
  `WITH r AS (SELECT a.id AS id, json_extract(n.value, '$.kind') AS kind, json_extract(n.value, '$.why') AS why,
     json_extract(n.value, '$.text') AS text FROM audit_hosts a JOIN urls u ON u.id = a.id
     JOIN notes n ON n.key = 'robots:' || substr(u.url, 1, instr(substr(u.url, 9), '/') + 7)) ${select}`;
const LLMS = "https://llmstxt.org/";
const AI_AGENTS = ["GPTBot", "ClaudeBot", "Google-Extended", "PerplexityBot", "CCBot", "Applebot-Extended"];

export const SITEMAP_RULES = ruleGroup(
  "Sitemaps and robots.txt",
  "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
  {
    "sm.missing": {
      name: "No sitemap",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "host" },
      query: `SELECT a.id AS id, NULL AS evidence FROM audit_hosts a
        WHERE EXISTS (SELECT 1 FROM urls WHERE reason = 'no_sitemap' AND url LIKE '%//' || a.host || '/%')
          AND NOT EXISTS (SELECT 1 FROM judged j WHERE j.host = a.host AND j.as_sitemap AND j.status = 200)`,
      why: "Search engines take longer to find new pages.",
      fix: "Create a sitemap, and name it in robots.txt.",
    },
    "sm.non_indexable": {
      name: "Sitemap lists a page that is not indexable",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "document" },
      when: `${LISTED} AND outcome = 'page' AND indexable = 'No'`,
      evidence: "indexability || coalesce(': ' || nullif(canonical, url), '')",
      why: "A sitemap should contain only pages that search engines may list.",
      fix: "Remove it from the sitemap, or make it indexable.",
    },
    "sm.non_200": {
      name: "Sitemap lists an error",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "fetched" },
      when: `${LISTED} AND outcome = 'broken'`,
      evidence: "coalesce(nullif(error, 'challenge'), status)",
      why: "Search engines trust a sitemap less if it lists pages that do not exist.",
      fix: "Remove it from the sitemap, or restore the page.",
    },
    "sm.redirect": {
      name: "Sitemap lists a redirect",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "redirect" },
      when: LISTED,
      evidence: "redirect_to",
      why: "A sitemap should list final addresses, not redirects.",
      fix: "List the address where the redirect ends.",
    },
    "sm.blocked": {
      name: "Sitemap lists a page that robots.txt blocks",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "known" },
      when: `${LISTED} AND reason = 'robots_disallow'`,
      evidence: "rule",
      why: "One file asks search engines to read the page; the other forbids it.",
      fix: "Allow it in robots.txt, or remove it from the sitemap.",
    },
    "sm.not_in_sitemap": {
      name: "Indexable page that no sitemap lists",
      ...{ severity: "notice", priority: "medium", phase: "graph", on: "indexable" },
      when: `coalesce(in_sitemaps, 0) = 0 AND host IN (SELECT j.host FROM judged j WHERE j.in_sitemaps > 0)`,
      why: "The sitemap is incomplete; search engines find the page only through links.",
      fix: "Add it to the sitemap.",
    },
    "sm.orphan": {
      name: "Known from the sitemap only",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "page" },
      when: `${LISTED} AND orphan = 'Yes'`,
      why: "No page links to it: visitors cannot get there, and search engines give it no weight.",
      fix: "Link to it, or remove it from the sitemap.",
    },
    "sm.multiple": {
      name: "Listed in several sitemaps",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "known" },
      when: "in_sitemaps > 1",
      evidence: "in_sitemaps || ' sitemaps'",
      why: "It makes sitemaps larger and harder to keep consistent.",
      fix: "List each page once.",
    },
    "sm.too_many": {
      name: "Sitemap with too many URLs",
      ...{ severity: "error", priority: "high", phase: "site", on: "sitemap" },
      thresholds: { sitemapMaxUrls: 50_000 },
      when: "links_out > $sitemapMaxUrls OR (links_truncated = 1 AND links_out >= $sitemapMaxUrls)",
      evidence: "links_out || ' URLs'",
      why: "Search engines reject a sitemap with more than 50,000 URLs.",
      fix: "Split it, and list the parts in a sitemap index.",
    },
    "sm.too_big": {
      name: "Sitemap larger than 50 MB",
      ...{ severity: "error", priority: "high", phase: "site", on: "sitemap" },
      thresholds: { sitemapMaxBytes: 52_428_800 },
      when: "size > $sitemapMaxBytes",
      evidence: "size || ' bytes'",
      why: "Search engines reject larger files.",
      fix: "Split it, and list the parts in a sitemap index.",
    },
    "sm.invalid": {
      name: "Sitemap with mistakes",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "sitemap" },
      when: "sitemap_problems IS NOT NULL",
      evidence: "iif(sitemap_kind = 'unknown', 'nothing can be read: ', '') || sitemap_problems",
      why: "Search engines may read less of it than you intend, or nothing at all.",
      fix: "Fix what the evidence lists. Trawl read whatever it could.",
    },
    "sm.nested_as_url": {
      name: "Sitemap listed as a page",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "known" },
      when: `${LISTED} AND (path REGEXP '(sitemap[^/]*|/sitemaps?/[^/]*)\\.xml(\\.gz)?$')`,
      evidence: "found_on",
      why: "Search engines do not read a sitemap that another one lists as a page.",
      fix: "List it in a sitemap index.",
    },
    "sm.lastmod_wrong": {
      name: "Impossible dates in the sitemap",
      ...{ severity: "notice", priority: "low", phase: "site", on: "sitemap" },
      thresholds: { sameLastmodFrom: 10 },
      query: `WITH e AS (SELECT l.source AS id, substr(t.value || char(10), instr(t.value, 'lastmod ') + 8) AS rest
          FROM ${entriesOf("sitemap", "sitemap-entry")} JOIN texts t ON t.id = l.text WHERE instr(t.value, 'lastmod ') > 0),
        d AS (SELECT id, substr(rest, 1, instr(rest, char(10)) - 1) AS said FROM e)
        SELECT id, iif(max(said) > tomorrow, 'in the future: ' || max(said), count(*) || ' pages, all changed ' || max(said)) AS evidence
        FROM d, (SELECT strftime('%Y-%m-%dT%H:%M', max(fetched_at) / 1000 + 86400, 'unixepoch') AS tomorrow FROM pages)
        GROUP BY id HAVING max(said) > tomorrow OR (count(*) >= $sameLastmodFrom AND count(DISTINCT said) = 1)`,
      why: "Search engines ignore lastmod once they notice that it does not say when a page changed.",
      fix: "Write the time of the last real change of each page, or leave lastmod out.",
    },
    "rb.missing": {
      name: "robots.txt missing or failing",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "host" },
      query: robotsOf("SELECT id, why AS evidence FROM r WHERE kind <> 'rules'"),
      why: "Without a robots.txt, crawlers may read everything; if it fails, search engines may stop crawling altogether.",
      fix: "Answer 200 with a robots.txt, even an empty one.",
      link: ROBOTS,
    },
    "rb.syntax": {
      name: "robots.txt has meaningless lines",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "host" },
      query: robotsOf(
        "SELECT id, robots_unknown(text) AS evidence FROM r WHERE kind = 'rules' AND robots_unknown(text) IS NOT NULL",
      ),
      why: "Crawlers ignore lines that they do not understand, so these have no effect.",
      fix: "Correct or remove the lines.",
      link: ROBOTS,
    },
    "rb.blocks_all": {
      name: "robots.txt blocks the whole site",
      ...{ severity: "error", priority: "high", phase: "site", on: "host" },
      query: robotsOf(`SELECT id, iif(robots_blocks(text, '*'), 'all crawlers', 'Googlebot') AS evidence FROM r
        WHERE kind = 'rules' AND (robots_blocks(text, '*') OR robots_blocks(text, 'Googlebot'))`),
      why: "Search engines may not read anything, and will drop the site over time.",
      fix: "Remove Disallow: / from robots.txt.",
      link: ROBOTS,
    },
    "rb.ai_bots_blocked": {
      name: "AI crawlers blocked",
      ...{ severity: "notice", priority: "medium", phase: "site", on: "host" },
      query:
        robotsOf(`SELECT id, rtrim(${AI_AGENTS.map((agent) => `iif(robots_blocks(text, '${agent}'), '${agent}, ', '')`).join(" || ")}, ', ')
          AS evidence FROM r WHERE kind = 'rules' AND NOT robots_blocks(text, '*')
          AND (${AI_AGENTS.map((agent) => `robots_blocks(text, '${agent}')`).join(" OR ")})`),
      why: "Assistants and AI search do not know the site, which may be what you want.",
      fix: "Check that the list is what you want.",
      link: ROBOTS,
    },
    "llms.missing": {
      name: "No llms.txt",
      ...{ severity: "notice", priority: "low", phase: "site", on: "host" },
      query: `SELECT a.id AS id, NULL AS evidence FROM audit_hosts a
        WHERE EXISTS (SELECT 1 FROM urls WHERE reason = 'no_llms' AND url LIKE '%//' || a.host || '/%')`,
      why: "Some assistants read /llms.txt to learn which pages of a site matter. Few do so far, and search engines do not use it.",
      fix: "If assistants matter to you, write an llms.txt that names the site and its most useful pages.",
      link: LLMS,
    },
    "llms.invalid": {
      name: "llms.txt with mistakes",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "llms" },
      when: "llms_problems IS NOT NULL",
      evidence: "llms_problems",
      why: "Programs that follow the format may miss what the file lists.",
      fix: "Begin with one title (# Name), and list links in sections (## Name), each as a Markdown link, with a colon before its note.",
      link: LLMS,
    },
    "llms.broken_link": {
      name: "llms.txt lists a page that cannot be used",
      ...{ severity: "error", priority: "high", phase: "graph", on: "llms" },
      key: "evidence",
      query: `SELECT l.source AS id, group_concat(coalesce(t.error, iif(t.status >= 400, t.status, t.indexability)) || ' ' || t.url, char(10)) AS evidence
        FROM ${entriesOf("llms", "llms-entry")} JOIN judged t ON t.id = l.target WHERE (t.outcome = 'broken' OR t.outcome = 'page' AND t.indexable = 'No') GROUP BY 1`,
      why: "Assistants that follow the file find nothing, or a page that is not meant to be found.",
      fix: "Correct the address, or remove it from llms.txt.",
      link: LLMS,
    },
  },
);
