/** Rules about what pages tell search engines about indexing. */
import { counted, ruleGroup } from "../rule.ts";

/** In a header, directives may be for another crawler alone. */
const HEADER = "iif(robots_header IS NULL, '', for_google(robots_header))";
/** All directives for everybody and for Google, from the page and its headers. */
const DIRECTIVES = `coalesce(robots_meta, '') || ', ' || coalesce(googlebot_meta, '') || ', ' || ${HEADER}`;
const has = (word: string): string => `${DIRECTIVES} REGEXP '(^|[\\s,:])${word}($|[\\s,])'`;
const hasIn = (said: string, word: string): string => `${said} REGEXP '(^|[\\s,:])${word}($|[\\s,])'`;
const SAID = `trim(coalesce('meta: ' || robots_meta, '') || coalesce(' googlebot: ' || googlebot_meta, '')
  || coalesce(' header: ' || robots_header, ''))`;
const NOINDEX = "indexability IN ('noindex_meta', 'noindex_header')";

export const INDEXABILITY_RULES = ruleGroup(
  "Indexability",
  "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
  {
    "idx.noindex": {
      name: "Noindex",
      ...{ severity: "warning", priority: "high", on: "page" },
      when: NOINDEX,
      evidence: SAID,
      why: "Search engines do not list the page.",
      fix: "If it should be found, remove noindex; otherwise nothing is wrong.",
    },
    "idx.nofollow_page": {
      name: "Nofollow for the whole page",
      ...{ severity: "warning", priority: "high", on: "page" },
      when: `${has("nofollow")} OR ${has("none")}`,
      evidence: SAID,
      why: "Search engines follow none of its links, so pages that only it links to are not found.",
      fix: "Remove it, or mark only the links that need nofollow.",
    },
    "idx.none": {
      name: "Directive none",
      ...{ severity: "warning", priority: "high", on: "page" },
      when: has("none"),
      evidence: SAID,
      why: "It means noindex and nofollow, and is easy to overlook.",
      fix: "Spell out what you mean, or remove it.",
    },
    "idx.noindex_nofollow": {
      name: "Noindex and nofollow",
      ...{ severity: "warning", priority: "medium", on: "page" },
      when: `${has("noindex")} AND ${has("nofollow")}`,
      evidence: SAID,
      why: "The page is a dead end: it is not listed, and its links do not count.",
      fix: "Keep only noindex, unless the links should not be followed either.",
    },
    "idx.meta_vs_header_conflict": {
      name: "Meta robots and X-Robots-Tag disagree",
      ...{ severity: "error", priority: "high", on: "page" },
      when: `robots_meta IS NOT NULL AND robots_header IS NOT NULL AND (
        (${hasIn("robots_meta", "(noindex|none)")}) <> (${hasIn(HEADER, "(noindex|none)")}) OR
        (${hasIn("robots_meta", "(nofollow|none)")}) <> (${hasIn(HEADER, "(nofollow|none)")}))`,
      evidence: SAID,
      why: "The stricter one applies, which is rarely what was intended.",
      fix: "Say the same in both places, or use only one.",
    },
    "idx.noimageindex": {
      name: "Noimageindex",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: has("noimageindex"),
      evidence: SAID,
      why: "The images of the page are not listed in image search.",
      fix: "Remove it if images should be found.",
    },
    "idx.nosnippet": {
      name: "No snippet",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: `${has("nosnippet")} OR ${DIRECTIVES} REGEXP 'max-snippet:\\s*0($|[\\s,])'`,
      evidence: SAID,
      why: "Search results show no text of the page, so fewer people open it.",
      fix: "Remove it unless the text must not be shown.",
    },
    "idx.notranslate": {
      name: "Notranslate",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: has("notranslate"),
      evidence: SAID,
      why: "Search engines offer no translation of the page.",
      fix: "Remove it if translations are welcome.",
    },
    "idx.unavailable_after": {
      name: "Unavailable after a date",
      ...{ severity: "warning", priority: "medium", on: "page" },
      when: `${DIRECTIVES} REGEXP 'unavailable_after'`,
      evidence: SAID,
      why: "From that date on, search engines drop the page.",
      fix: "Check the date, and remove it if the page stays.",
    },
    "idx.noodp_noydir": {
      name: "Obsolete noodp or noydir",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: `${has("noodp")} OR ${has("noydir")}`,
      evidence: SAID,
      why: "The directories they refer to no longer exist.",
      fix: "Remove them.",
    },
    "idx.noindex_with_inlinks": {
      name: "Noindex page with many links to it",
      ...{ severity: "notice", priority: "medium", phase: "graph", on: "page" },
      thresholds: { noindexInlinks: 10 },
      when: `${NOINDEX} AND inlinks_followed >= $noindexInlinks`,
      evidence: counted("inlinks_followed", "link"),
      why: "Much of the site leads to a page that search engines may not list.",
      fix: "Allow the page to be indexed, or link to it less.",
    },
    "idx.disallowed_but_linked": {
      name: "Linked, but blocked by robots.txt",
      ...{ severity: "warning", priority: "medium", phase: "graph", on: "known" },
      when: "reason = 'robots_disallow' AND role = 'document' AND inlinks_followed > 0",
      evidence: `${counted("inlinks_followed", "link")} || '; ' || coalesce(rule, '')`,
      why: "Search engines list such addresses without having read them.",
      fix: "Allow it and use noindex, or stop linking to it.",
    },
  },
);
