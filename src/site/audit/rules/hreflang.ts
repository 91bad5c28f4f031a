/** Rules about translations, series of pages and AMP. */
import { hasLinks, linkedUrls, problemLines, ruleGroup } from "../rule.ts";
import { countOfSeries, firstOfSeries } from "../series-links.ts";

/** The translations that pages, their headers and sitemaps name: see `alternates.ts`. */
const ALTERNATES = "SELECT id, url, code, target FROM audit_alternates";
/** Problems of alternates, the first few of each page; `t` is the target's facts. */
const problems = (wrong: string, evidence: string): string =>
  `WITH a AS (${ALTERNATES})
   SELECT a.id AS id, group_concat(a.code || ': ' || ${evidence}, char(10)) AS evidence
   FROM a JOIN judged t ON t.url = a.target WHERE a.target <> a.url AND (${wrong}) GROUP BY a.id`;

const VALID = "'^(x-default|[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?)$'";
/** The code of Laos, where people mean Latin America. */
const WRONG = "('es-la', 'en-la')";
const SERIES_LINKS = ["next", "prev"] as const;
const SERIES = "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading";
const AMP = "https://developers.google.com/search/docs/crawling-indexing/amp";

export const HREFLANG_RULES = ruleGroup(
  "Languages, series and AMP",
  "https://developers.google.com/search/docs/specialty/international/localized-versions",
  {
    "hreflang.invalid_code": {
      name: "Invalid hreflang code",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      query: `WITH a AS (${ALTERNATES}) SELECT id, group_concat(code, ', ') AS evidence FROM a
        WHERE NOT (code REGEXP ${VALID}) OR code <> 'x-default' AND NOT is_language(code) OR code IN ${WRONG} GROUP BY id`,
      why: "Search engines ignore the alternate.",
      fix: "Use a language code (ISO 639-1), perhaps with a region (ISO 3166-1): en, en-gb, pt-br.",
    },
    "hreflang.non_200": {
      name: "Hreflang target does not answer 200",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: problems(
        "t.outcome IN ('broken', 'redirect')",
        "coalesce(nullif(t.error, 'challenge'), t.status) || ' ' || t.url",
      ),
      why: "Search engines ignore alternates that redirect or do not exist.",
      fix: "Use the current address of the translation.",
    },
    "hreflang.to_noindex": {
      name: "Hreflang target is noindex",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: problems("t.indexability IN ('noindex_meta', 'noindex_header')", "t.url"),
      why: "A page that may not be listed cannot replace this one.",
      fix: "Allow the translation to be indexed, or remove the alternate.",
    },
    "hreflang.to_non_canonical": {
      name: "Hreflang target names another canonical",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: problems("t.indexability = 'canonicalised'", "t.url || ' names ' || t.canonical"),
      why: "Alternates must be canonical addresses, or they are ignored.",
      fix: "Use the canonical address of the translation.",
    },
    "hreflang.missing_return": {
      name: "No return link from the translation",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: `WITH a AS MATERIALIZED (${ALTERNATES})
        SELECT a.id AS id, group_concat(a.code || ': ' || a.target, char(10)) AS evidence FROM a
        JOIN judged t ON t.url = a.target WHERE a.target <> a.url AND t.as_page
          AND NOT EXISTS (SELECT 1 FROM a b WHERE b.id = t.id AND b.target = a.url) GROUP BY a.id`,
      why: "If two pages do not name each other, search engines ignore both alternates.",
      fix: "Add an alternate for this page to the translation.",
    },
    "hreflang.inconsistent_return": {
      name: "Return link with another code",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      query: `WITH a AS MATERIALIZED (${ALTERNATES}), own AS (SELECT id, code FROM a WHERE target = url AND code <> 'x-default')
        SELECT a.id AS id, group_concat(b.code || ' at ' || a.target, char(10)) AS evidence FROM a
        JOIN judged t ON t.url = a.target JOIN a b ON b.id = t.id AND b.target = a.url
        WHERE a.target <> a.url AND b.code <> 'x-default' AND EXISTS (SELECT 1 FROM own WHERE own.id = a.id)
          AND b.code NOT IN (SELECT code FROM own WHERE own.id = a.id) GROUP BY a.id`,
      why: "The page and its translation give different languages for this page.",
      fix: "Use the same code for the page everywhere.",
    },
    "hreflang.multiple_entries": {
      name: "One language code for several pages",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      query: `WITH a AS (${ALTERNATES}), many AS (SELECT id, code FROM a GROUP BY 1, 2 HAVING count(DISTINCT target) > 1)
        SELECT id, group_concat(code, ', ') AS evidence FROM many GROUP BY id`,
      why: "Search engines cannot know which of them is meant.",
      fix: "Keep one page for each code.",
    },
    "hreflang.missing_self": {
      name: "Hreflang without the page itself",
      ...{ severity: "warning", priority: "low", on: "page" },
      query: `WITH a AS (${ALTERNATES}) SELECT id, NULL AS evidence FROM a GROUP BY id HAVING sum(target = url) = 0`,
      why: "Each page should list all languages, including its own.",
      fix: "Add an alternate with this page's address and language.",
    },
    "hreflang.missing_xdefault": {
      name: "No x-default",
      ...{ severity: "notice", priority: "low", on: "page" },
      query: `WITH a AS (${ALTERNATES}) SELECT id, NULL AS evidence FROM a GROUP BY id HAVING sum(code = 'x-default') = 0`,
      why: "Nothing says which page is for visitors with another language.",
      fix: "Add an alternate with hreflang x-default.",
    },
    "hreflang.lang_mismatch": {
      name: "Hreflang differs from the language of the page",
      ...{ severity: "warning", priority: "low", on: "page" },
      query: `WITH a AS (${ALTERNATES}) SELECT a.id AS id, a.code || ', but lang is ' || j.language AS evidence FROM a
        JOIN judged j ON j.id = a.id WHERE a.target = a.url AND a.code <> 'x-default' AND coalesce(j.language, '') <> ''
        AND substr(a.code || '-', 1, instr(a.code || '-', '-')) <> lower(substr(j.language || '-', 1, instr(j.language || '-', '-')))`,
      why: "The page declares two different languages.",
      fix: "Correct lang or hreflang.",
    },
    "hreflang.relative_url": {
      name: "Relative hreflang address",
      ...{ severity: "error", priority: "medium", on: "page" },
      query: `SELECT j.id AS id, group_concat(json_extract(e.value, '$[1]'), char(10)) AS evidence
        FROM judged j, json_each(j.hreflang) e WHERE j.as_page AND j.hreflang IS NOT NULL
        AND NOT (json_extract(e.value, '$[1]') REGEXP '^https?://') GROUP BY j.id`,
      why: "Google asks for complete addresses, with https.",
      fix: "Use the full address.",
    },
    "hreflang.unlinked": {
      name: "Hreflang target is not linked",
      ...{ severity: "error", priority: "medium", phase: "graph", on: "page" },
      key: "evidence",
      query: problems("t.as_page AND t.orphan = 'Yes'", "t.url"),
      why: "Visitors cannot reach the translation through a link.",
      fix: "Link to it, for example from a list of languages.",
    },
    "hreflang.not_using_canonical": {
      name: "Hreflang on a page that is not canonical",
      ...{ severity: "error", priority: "high", on: "page" },
      when: "hreflang IS NOT NULL AND canonical_id IS NOT NULL AND canonical_id <> id",
      evidence: "canonical",
      why: "Search engines read alternates on canonical pages only.",
      fix: "Make the page its own canonical, or move the alternates to the canonical page.",
    },
    "page.next_prev_broken": {
      name: "Next or previous page does not answer 200",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      key: "evidence",
      links: {
        types: SERIES_LINKS,
        target: "status >= 300 AND status <> 304 OR error IS NOT NULL",
        shown: "coalesce(nullif(error, 'challenge'), status) || ' ' || url",
      },
      why: "The series of pages is broken.",
      fix: "Correct rel=next and rel=prev.",
      link: SERIES,
    },
    "page.not_in_anchor": {
      name: "Next or previous page is not linked",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      links: { types: SERIES_LINKS, isNotLinked: true },
      why: "Search engines follow links, not rel=next, and visitors have no way to continue either.",
      fix: "Link to the next and the previous page.",
      link: SERIES,
    },
    "page.sequence_error": {
      name: "Next and previous do not match",
      ...{ severity: "error", priority: "low", phase: "graph", on: "page" },
      query: `WITH s AS MATERIALIZED (SELECT j.id AS id, j.url AS url, ${firstOfSeries("next", "j.id")} AS next,
          ${firstOfSeries("prev", "j.id")} AS prev FROM judged j WHERE ${hasLinks(...SERIES_LINKS)} AND j.as_page)
        SELECT s.id AS id, 'next is ' || n.url || ', whose previous is ' ||
          coalesce((SELECT url FROM urls WHERE id = n.prev), 'missing') AS evidence
        FROM s JOIN s n ON n.id = s.next WHERE n.prev IS NOT s.id AND n.id <> s.id`,
      why: "The series cannot be followed in both directions.",
      fix: "On each page, name the one before and the one after it.",
      link: SERIES,
    },
    "page.loop": {
      name: "Series of pages leads in a circle",
      ...{ severity: "error", priority: "low", phase: "graph", on: "page" },
      query: "SELECT id, pages || iif(pages = 1, ' page', ' pages') AS evidence FROM series_loops",
      why: "Anyone who follows it never reaches the end.",
      fix: "Leave out rel=next on the last page.",
      link: SERIES,
    },
    "page.multiple": {
      name: "Several next or previous pages",
      ...{ severity: "error", priority: "low", on: "page" },
      when: `${hasLinks(...SERIES_LINKS)} AND (${countOfSeries("next", "id")} > 1 OR ${countOfSeries("prev", "id")} > 1)`,
      evidence: linkedUrls(...SERIES_LINKS),
      why: "It is unclear which one is meant.",
      fix: "Keep only one of each.",
      link: SERIES,
    },
    "page.canonical_to_first": {
      name: "Later page of a series names the first as canonical",
      ...{ severity: "warning", priority: "medium", on: "page" },
      when: "prev IS NOT NULL AND canonical_id IS NOT NULL AND canonical_id <> id",
      evidence: "canonical",
      why: "Search engines drop the later pages, and whatever only they link to.",
      fix: "Make each page of the series its own canonical.",
      link: SERIES,
    },
    "amp.missing_canonical": {
      name: "AMP page without canonical",
      ...{ severity: "error", priority: "high", on: "page" },
      when: "is_amp = 'Yes' AND canonical_id IS NULL",
      why: "An AMP page must name its normal version, or itself.",
      fix: "Add a canonical link.",
      link: AMP,
    },
    "amp.invalid": {
      name: "AMP page lacks required parts",
      ...{ severity: "error", priority: "high", on: "page" },
      ...problemLines("document_problems", "amp"),
      why: "Search engines do not treat the page as AMP if its runtime script, its boilerplate style, its charset or its viewport is missing.",
      fix: "Add what the evidence lists. The validator at validator.ampproject.org shows the rest.",
      link: "https://amp.dev/documentation/guides-and-tutorials/learn/spec/amphtml/#required-markup",
    },
    "amp.missing_return": {
      name: "AMP version does not link back",
      ...{ severity: "error", priority: "high", phase: "graph", on: "page" },
      query: `SELECT j.id AS id, t.url || coalesce(' names ' || t.canonical, ' has no canonical') AS evidence FROM judged j
        JOIN judged t ON t.url = absolute(j.amphtml, j.url)
        WHERE j.as_page AND j.amphtml IS NOT NULL AND t.outcome = 'page' AND t.canonical_id IS NOT j.id`,
      why: "Search engines use the AMP version only if both name each other.",
      fix: "Set the canonical of the AMP page to this page.",
      link: AMP,
    },
  },
);
