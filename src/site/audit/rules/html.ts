/** Rules about the document itself, and its display on phones. */
import { hasLinks, ruleGroup } from "../rule.ts";

export const HTML_RULES = ruleGroup("HTML and mobile", "https://html.spec.whatwg.org/multipage/semantics.html", {
  "html.doc_too_big": {
    name: "Very large document",
    ...{ severity: "error", priority: "high", on: "page" },
    thresholds: { documentMaxBytes: 2_000_000 },
    when: "size > $documentMaxBytes",
    evidence: "size || ' bytes'",
    why: "Search engines read only the beginning of it, and phones take long to load it.",
    fix: "Move data, scripts and styles out of the page.",
    link: "https://developers.google.com/search/docs/crawling-indexing/googlebot",
  },
  "html.resource_too_big": {
    name: "Very large script or style sheet",
    ...{ severity: "error", priority: "high", on: "resource" },
    thresholds: { scriptMaxBytes: 2_000_000 },
    when: "kind IN ('script', 'stylesheet') AND size > $scriptMaxBytes",
    evidence: "size || ' bytes'",
    why: "Search engines read only the beginning of it, and phones take long to load it.",
    fix: "Split it, and load only what the page needs.",
  },
  "html.charset_missing": {
    name: "Character encoding not declared",
    ...{ severity: "warning", priority: "low", on: "page" },
    when: "charset_source IN ('default', 'guess')",
    evidence: "'read as ' || charset",
    why: "Browsers have to guess, and letters come out wrong when they guess wrong.",
    fix: 'Send charset=utf-8 in Content-Type, or begin the head with <meta charset="utf-8">.',
  },
  "html.lang_missing": {
    name: "Language not declared",
    ...{ severity: "warning", priority: "low", on: "page" },
    when: "coalesce(language, '') = ''",
    why: "Screen readers need it to choose a voice, and browsers need it to offer a translation.",
    fix: 'Write the language into the html element: <html lang="en">.',
  },
  "html.lang_invalid": {
    name: "Invalid language",
    ...{ severity: "warning", priority: "medium", on: "page" },
    when: "language <> '' AND NOT (language REGEXP '^[a-z]{2,3}(-[a-z]{3}){0,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-[a-z0-9]+)*$' AND is_language(language))",
    evidence: "language",
    why: "Screen readers and browsers ignore a language that they do not know.",
    fix: "Use a code such as en, en-GB or pt-BR.",
  },
  "html.favicon_missing": {
    name: "No page names an icon",
    ...{ severity: "notice", priority: "low", phase: "site", on: "host" },
    query: `SELECT a.id AS id, NULL AS evidence FROM audit_hosts a WHERE
      EXISTS (SELECT 1 FROM judged j WHERE j.host = a.host AND j.as_page) AND NOT EXISTS (
        SELECT 1 FROM judged j WHERE ${hasLinks("icon")} AND j.host = a.host AND j.as_page)
      AND NOT EXISTS (SELECT 1 FROM judged f WHERE f.host = a.host AND f.path = '/favicon.ico' AND f.status = 200)`,
    why: "Search results show the icon that the home page names. Browsers also try /favicon.ico, which Trawl did not request.",
    fix: "Link to an icon in the head: <link rel=icon>.",
    link: "https://developers.google.com/search/docs/appearance/favicon-in-search",
  },
  "mobile.viewport_missing": {
    name: "No viewport",
    ...{ severity: "error", priority: "high", on: "page" },
    when: "coalesce(viewport, '') = ''",
    why: "Phones show the page as on a desktop, too small to read.",
    fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
    link: "https://developer.mozilla.org/en-US/docs/Web/HTML/Reference/Elements/meta/name/viewport",
  },
});
