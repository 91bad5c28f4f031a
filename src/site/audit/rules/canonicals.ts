/** Rules about canonical addresses. */
import { ruleGroup } from "../rule.ts";

const ELSEWHERE = "canonical_id IS NOT NULL AND canonical_id <> id";
/** Pages with something wrong about `t`, their canonical target. */
const targets = (wrong: string, evidence: string): string =>
  `SELECT j.id AS id, ${evidence} AS evidence FROM judged j JOIN judged t ON t.id = j.canonical_id
   WHERE j.as_page AND j.canonical_id <> j.id AND (${wrong})`;

export const CANONICAL_RULES = ruleGroup(
  "Canonicals",
  "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
  {
    "can.missing": {
      name: "No canonical",
      ...{ severity: "warning", priority: "medium", on: "indexable" },
      when: "canonical_id IS NULL AND (canonical_count = 0 OR canonical_written REGEXP '^(?!https?:)[a-z][a-z0-9+.-]*:')",
      evidence: "iif(canonical_count > 0, 'not an address on the web: ' || canonical_written, NULL)",
      why: "If the page has other addresses (parameters, upper case), search engines choose one on their own.",
      fix: "Add a canonical link with the page's own address.",
    },
    "can.canonicalised": {
      name: "Canonical points elsewhere",
      ...{ severity: "notice", priority: "high", on: "page" },
      when: ELSEWHERE,
      evidence: "canonical",
      key: "evidence",
      why: "The page asks search engines to list another one in its place.",
      fix: "If this page should be listed, set the canonical to its own address.",
    },
    "can.multiple": {
      name: "More than one canonical",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "canonical_count > 1",
      evidence: "canonical_count || ' canonicals'",
      why: "If they differ, search engines ignore all of them.",
      fix: "Keep one.",
    },
    "can.to_error": {
      name: "Canonical to an error",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: targets("t.outcome = 'broken'", "coalesce(nullif(t.error, 'challenge'), t.status) || ' at ' || t.url"),
      why: "The page asks search engines to list a page that does not exist.",
      fix: "Use an address that answers 200.",
    },
    "can.to_redirect": {
      name: "Canonical to a redirect",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "page" },
      key: "evidence",
      query: targets("t.outcome = 'redirect'", "t.url || coalesce(' redirects to ' || t.redirect_to, '')"),
      why: "Canonical and redirect say different things.",
      fix: "Use the address where the redirect ends.",
    },
    "can.to_noindex": {
      name: "Canonical to a noindex page",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: targets("t.indexability IN ('noindex_meta', 'noindex_header')", "t.url"),
      why: "Neither of the two pages is listed.",
      fix: "Use a page that may be indexed, or allow that one to be.",
    },
    "can.to_blocked": {
      name: "Canonical to a blocked page",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: targets("t.reason = 'robots_disallow'", "t.url || ': ' || coalesce(t.rule, '')"),
      why: "Search engines may not read the canonical page, so they cannot use it.",
      fix: "Allow it in robots.txt, or use another page.",
    },
    "can.chain": {
      name: "Canonical chain",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "page" },
      key: "evidence",
      query: targets("t.canonical_id IS NOT NULL AND t.canonical_id <> t.id", "t.url || ' names ' || t.canonical"),
      why: "The canonical page names yet another page as canonical; search engines may follow neither.",
      fix: "Use the last page of the chain.",
    },
    "can.unlinked": {
      name: "Canonical target is not linked",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "page" },
      query: targets("t.internal = 'Yes' AND t.as_page AND t.inlinks = 0 AND t.parent <> 0", "t.url"),
      why: "The site does not link to the address it wants search engines to list.",
      fix: "Link to the canonical address instead of the variants.",
    },
    "can.cross_domain": {
      name: "Canonical to another domain",
      ...{ severity: "warning", priority: "medium", on: "page" },
      when: `${ELSEWHERE} AND canonical NOT LIKE '%//' || host || '/%' AND
        EXISTS (SELECT 1 FROM urls t WHERE t.id = canonical_id AND (t.via & 64 <> 0 OR t.reason IN ('external')))`,
      evidence: "canonical",
      why: "The page asks search engines to list a page of another domain instead.",
      fix: "This is right only for copies of somebody else's page.",
    },
    "can.noindex_conflict": {
      name: "Noindex and a canonical to another page",
      ...{ severity: "error", priority: "high", on: "page" },
      when: `${ELSEWHERE} AND indexability IN ('noindex_meta', 'noindex_header')`,
      evidence: "canonical",
      why: "One says that the page is a copy of another; the other says that it should not be listed at all.",
      fix: "Keep the canonical for copies, and noindex for pages that should not be found.",
    },
    "can.conflict_in_duplicate_cluster": {
      name: "Copies with different canonicals",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "page" },
      query: `WITH same AS (SELECT content_hash AS value, min(canonical_id) AS one, max(canonical_id) AS other FROM judged
          WHERE as_page AND word_count > 0 AND content_hash IS NOT NULL AND canonical_id IS NOT NULL GROUP BY 1
          HAVING min(canonical_id) <> max(canonical_id))
        SELECT j.id AS id, 'canonical ' || j.canonical || ', a copy of it names '
            || (SELECT url FROM urls WHERE id = iif(j.canonical_id = one, other, one)) AS evidence
        FROM judged j JOIN same ON j.content_hash = value WHERE j.as_page AND j.canonical_id IS NOT NULL`,
      why: "Pages with the same text should name the same canonical; otherwise search engines choose one.",
      fix: "Use the same canonical on all copies.",
    },
    "can.all_to_home": {
      name: "Most pages name the home page as canonical",
      ...{ severity: "error", priority: "high", phase: "site", on: "host" },
      thresholds: { homeCanonicalPercent: 30, homeCanonicalPages: 5 },
      query: `SELECT a.id AS id, count(*) || ' of ' || (SELECT count(*) FROM judged k WHERE k.as_page AND k.host = a.host)
          || ' pages name ' || min(j.canonical) AS evidence
        FROM audit_hosts a JOIN judged j ON j.host = a.host AND j.as_page AND j.canonical_id <> j.id
          AND j.canonical LIKE '%//' || a.host || '/' GROUP BY a.host
        HAVING count(*) >= $homeCanonicalPages AND count(*) * 100 >= $homeCanonicalPercent
          * (SELECT count(*) FROM judged k WHERE k.as_page AND k.host = a.host)`,
      why: "Search engines then list only the home page.",
      fix: "Set each page's canonical to its own address.",
    },

    "can.relative": {
      name: "Relative canonical",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "canonical_written <> '' AND NOT (canonical_written REGEXP '^[a-z][a-z0-9+.-]*:')",
      evidence: "canonical_written",
      why: "It depends on the address it is read from, so a copy on another host declares itself canonical.",
      fix: "Use the full address.",
    },
    "can.fragment": {
      name: "Canonical with a fragment",
      ...{ severity: "error", priority: "high", on: "page" },
      when: "instr(canonical_written, '#') > 0",
      evidence: "canonical_written",
      why: "Search engines list pages, not parts of them, and may ignore such a canonical.",
      fix: "Remove the # and everything after it.",
    },
    "can.conflicting": {
      name: "Canonicals that disagree",
      ...{ severity: "error", priority: "high", on: "page" },
      when: "canonical_conflicts > 0",
      evidence: "(canonical_conflicts + 1) || ' canonicals, the first is ' || canonical_written",
      why: "Search engines ignore all of them.",
      fix: "Keep the one that is right.",
    },
    "can.html_vs_header": {
      name: "Canonical in HTML and header differ",
      ...{ severity: "error", priority: "high", on: "page" },
      when: `link_header LIKE '%canonical%' AND canonical_written <> ''
        AND link_canonical(link_header, url) <> absolute(canonical_written, url)`,
      evidence: "link_canonical(link_header, url) || ' in the header, ' || canonical_written || ' in the page'",
      why: "Search engines have to choose one, or ignore both.",
      fix: "Use the same address in both, or declare it in only one.",
    },
    "can.invalid_attribute": {
      name: "Canonical with extra attributes",
      ...{ severity: "error", priority: "high", on: "page" },
      when: "canonical_attributes IS NOT NULL",
      evidence: "canonical_attributes",
      why: "Google ignores a canonical that has hreflang, lang, media or type.",
      fix: "Remove these attributes from it.",
    },
  },
);
