/** Rules about links and how pages are connected. */
import { hasProblem, problemLines, ruleGroup } from "../rule.ts";

const HYPERLINKS = ["anchor", "area"] as const;
const INTERNAL = { types: HYPERLINKS, has: ["internal"] } as const;
const EXTERNAL = { types: HYPERLINKS, lacks: ["internal"] } as const;
/** Leaves out links that merely could not be verified. */
const DEAD = "(status >= 400 AND status NOT IN (401, 403, 407, 429, 999) OR error NOT IN ('challenge'))";
const CAUSE = "coalesce(nullif(error, 'challenge'), status) || ' ' || url";
const GENERIC =
  "('click here', 'here', 'read more', 'more', 'learn more', 'this', 'link', 'this page', 'details', " +
  "'continue reading', 'hier', 'mehr', 'weiterlesen', 'en savoir plus', 'ici', 'leer más', 'aquí')";
const LOCAL =
  "after_scheme REGEXP '^(localhost|127\\.|10\\.|192\\.168\\.|172\\.(1[6-9]|2[0-9]|3[01])\\.|169\\.254\\.|\\[::1\\]|0\\.0\\.0\\.0)[.:/0-9]'";

export const LINK_RULES = ruleGroup(
  "Links",
  "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
  {
    "link.broken_internal": {
      name: "Links to broken pages of the site",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      links: { ...INTERNAL, target: "status >= 400 OR error IS NOT NULL", shown: CAUSE },
      why: "Visitors who follow the links get an error.",
      fix: "Correct or remove the links.",
    },
    "link.broken_external": {
      name: "Links to broken pages of other sites",
      ...{ severity: "warning", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      links: { ...EXTERNAL, target: DEAD, shown: CAUSE },
      why: "Visitors who follow the links get an error.",
      fix: "Link to where the pages are now, or remove the links.",
    },
    "link.to_redirect": {
      name: "Links to redirects of the site",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      links: { ...INTERNAL, target: "error IS NULL AND status BETWEEN 300 AND 399 AND status <> 304" },
      why: "Each redirect costs visitors and crawlers a request.",
      fix: "Link to where the redirects end.",
    },
    "link.external_to_redirect": {
      name: "External links that redirect",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "page" },
      key: "evidence",
      links: { ...EXTERNAL, target: "error IS NULL AND status IN (301, 308)" },
      why: "The pages have moved permanently, and the redirects may stop working one day.",
      fix: "Link to where they are now.",
    },
    "link.to_http": {
      name: "Links to http addresses",
      ...{ severity: "warning", priority: "medium", on: "page" },
      key: "evidence",
      when: "url LIKE 'https://%'",
      links: { types: HYPERLINKS, target: "url LIKE 'http://%'" },
      why: "Visitors leave the encrypted site, or take a redirect back to it.",
      fix: "Link to the https address.",
    },
    "link.to_localhost": {
      name: "Links to a private address",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      when: "NOT (host REGEXP '^(localhost|127\\.|10\\.|192\\.168\\.|172\\.|169\\.254\\.|\\[)')",
      links: { types: [...HYPERLINKS, "image", "script", "stylesheet"], lacks: ["internal"], target: LOCAL },
      why: "The address works only on one machine or network, most likely a developer's.",
      fix: "Link to the public address.",
    },
    "link.no_internal_outlinks": {
      name: "No internal links",
      ...{ severity: "warning", priority: "high", on: "indexable" },
      when: "coalesce(outlinks_internal, 0) = 0",
      why: "The page is a dead end for visitors, and passes no weight on.",
      fix: "Add navigation, or links to related pages.",
    },
    "link.js_only": {
      name: "Links that exist only after scripts ran",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      links: { types: HYPERLINKS, has: ["internal", "rendered"] },
      why: "Search engines that do not run scripts do not find the pages behind these links.",
      fix: "Send the links with the page.",
    },
    "link.uncrawlable": {
      name: "Links that crawlers cannot follow",
      ...{ severity: "warning", priority: "high", on: "page" },
      ...problemLines("document_problems", "uncrawlable"),
      why: "Search engines follow only <a> elements with an address in href. They do not click on elements or run the scripts behind them.",
      fix: "Use <a href> with the address of the page. Where a click only changes something on this page, use a <button>.",
    },
    "link.target_blank_no_noopener": {
      name: "New window without noopener",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: `${hasProblem("document_problems", "new_window")} AND foreign_addresses(problems_of(document_problems, 'new_window'), host) IS NOT NULL`,
      evidence: "foreign_addresses(problems_of(document_problems, 'new_window'), host)",
      why: "In browsers from before 2021, the page that opens can navigate this one to another address.",
      fix: 'Add rel="noopener" to links to other sites that open in a new window.',
      link: "https://developer.mozilla.org/docs/Web/HTML/Reference/Attributes/rel/noopener",
    },
    "link.nofollow_internal_out": {
      name: "Internal links marked nofollow",
      ...{ severity: "warning", priority: "low", on: "page" },
      links: { types: HYPERLINKS, has: ["internal", "nofollow"] },
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
      links: { ...INTERNAL, text: "text = ''" },
      why: "Nothing says where the links lead, especially to people who use a screen reader.",
      fix: "Give the links text, or their images an alt text.",
    },
    "link.generic_anchor": {
      name: "Links with uninformative text",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      links: { ...INTERNAL, text: `length(text) <= 20 AND lower(text) IN ${GENERIC}`, shown: "text || ': ' || url" },
      why: "“Click here” tells neither visitors nor search engines what the page is about.",
      fix: "Use the subject of the page as the text of the link.",
    },
    "link.anchor_too_long": {
      name: "Links with very long text",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      thresholds: { anchorMaxChars: 100 },
      links: {
        ...INTERNAL,
        text: "length(text) > $anchorMaxChars",
        shown: "length(text) || ' characters: ' || url",
      },
      why: "A link around a paragraph does not say what it leads to.",
      fix: "Make only the heading the link.",
    },
    "link.too_many_internal": {
      name: "Very many internal links",
      ...{ severity: "warning", priority: "low", on: "indexable" },
      thresholds: { mostInternalLinks: 1_000 },
      when: "outlinks_internal > $mostInternalLinks",
      evidence: "outlinks_internal || ' links'",
      why: "The more links there are, the less each one is worth, and visitors cannot choose.",
      fix: "Split the list into several pages.",
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
    "link.low_link_score": {
      name: "Important page with few links",
      ...{ severity: "notice", priority: "medium", phase: "graph", on: "indexable" },
      thresholds: { importantPriority: 0.8, importantClicks: 10 },
      query: `WITH s AS (SELECT id, link_score, cume_dist() OVER (ORDER BY link_score) AS share FROM judged
          WHERE as_indexable AND link_score IS NOT NULL)
        SELECT s.id AS id, iif(j.clicks >= $importantClicks, j.clicks || ' clicks from Google', 'priority ' || j.sitemap_priority) || ', link score ' || s.link_score AS evidence
        FROM s JOIN judged j ON j.id = s.id WHERE s.share <= 0.1 AND (j.sitemap_priority >= $importantPriority OR j.clicks >= $importantClicks)`,
      why: "The sitemap calls the page important, or people find it through Google, but nine tenths of the other pages get more weight from internal links.",
      fix: "Link to it from pages that have many links themselves, such as the start page or a menu.",
    },
    "link.same_anchor_many_targets": {
      name: "Same link text for different pages",
      ...{ severity: "notice", priority: "low", phase: "graph", on: "indexable" },
      thresholds: { sameAnchorTargets: 3 },
      links: { ...INTERNAL, position: "content", text: "length(text) > 2", targetsOfText: "$sameAnchorTargets" },
      why: "The same text for different pages tells visitors and search engines nothing about any of them.",
      fix: "Use the subject of each page as the text of its link.",
    },
  },
);
