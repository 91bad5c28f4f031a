/** Rules about the structure of a document: its head and body, the order of its headings, and elements in the wrong place. */
import { hasProblem, problemLines, ruleGroup } from "../rule.ts";

const DOCUMENT = "document_problems";
const outside = (what: string): { when: string } => ({
  when: `instr(char(10) || document_problems || char(10), char(10) || 'outside_head ${what}' || char(10)) > 0`,
});

const HEAD = "https://developers.google.com/search/docs/crawling-indexing/valid-page-metadata";
const ENDS_HEAD =
  "Look for an element before it that is not allowed in the head, such as a div or an image, and move that into the body.";

export const DOCUMENT_RULES = ruleGroup(
  "Document structure",
  "https://html.spec.whatwg.org/multipage/semantics.html#the-head-element",
  {
    "html.head_missing_or_multiple": {
      name: "No head, or more than one",
      ...{ severity: "error", priority: "high", on: "page" },
      ...problemLines(DOCUMENT, "head"),
      why: "Browsers ignore a second head. Without one, the head ends at the first element of the body, and whatever belongs in the head may come too late.",
      fix: "Write one <head>, with everything that belongs in it.",
    },
    "html.body_missing_or_multiple": {
      name: "No body, or more than one",
      ...{ severity: "error", priority: "high", on: "page" },
      ...problemLines(DOCUMENT, "body"),
      why: "A second body is often a page pasted into another. Without one, the body begins inside the head, at an element that is not allowed there.",
      fix: "Write one <body> after the head.",
    },
    "html.body_before_html": {
      name: "Body before html",
      ...{ severity: "warning", priority: "high", on: "page" },
      ...problemLines(DOCUMENT, "body_before_html"),
      why: "Everything after it counts as the body, even what should be in the head.",
      fix: "Begin the document with <!doctype html><html><head>.",
    },
    "html.head_not_first": {
      name: "Something before the head",
      ...{ severity: "warning", priority: "high", on: "page" },
      ...problemLines(DOCUMENT, "head_not_first"),
      why: "Browsers begin the head, or even the body, with it, and ignore the <head> that follows.",
      fix: "Write <head> directly after <html>.",
    },
    "html.invalid_in_head": {
      name: "Element ends the head early",
      ...{ severity: "warning", priority: "high", on: "page" },
      ...problemLines(DOCUMENT, "invalid_in_head"),
      why: "Browsers end the head at an element that is not allowed in it; canonical and hreflang after it do not count.",
      fix: "Move the element shown in the evidence into the body.",
      link: HEAD,
    },
    "html.duplicate_id": {
      name: "Duplicate id",
      ...{ severity: "warning", priority: "low", on: "page" },
      ...problemLines(DOCUMENT, "duplicate_id"),
      why: "Links to the id, labels and scripts reach only the first element that has it.",
      fix: "Give each element its own id.",
      link: "https://html.spec.whatwg.org/multipage/dom.html#the-id-attribute",
    },
    "html.dom_too_big": {
      name: "Very many elements",
      ...{ severity: "warning", priority: "low", on: "page" },
      thresholds: { domMaxElements: 1_500, domMaxDepth: 32 },
      when: "dom_elements > $domMaxElements OR dom_depth > $domMaxDepth",
      evidence: "dom_elements || ' elements, ' || dom_depth || ' deep'",
      why: "Each of them takes memory and time whenever the page changes; slow phones notice.",
      fix: "Show less at once, and remove elements that only wrap others.",
      link: "https://developer.chrome.com/docs/lighthouse/performance/dom-size",
    },
    "h1.not_first": {
      name: "H1 is not the first heading",
      ...{ severity: "warning", priority: "low", on: "indexable" },
      when: `h1_count > 0 AND ${hasProblem("document_problems", "first_heading")}`,
      evidence: "problems_of(document_problems, 'first_heading')",
      why: "People who go from heading to heading with a screen reader miss what comes before the subject of the page.",
      fix: "Put the h1 before all other headings.",
    },
    "h.skipped_level": {
      name: "Heading level skipped",
      ...{ severity: "warning", priority: "low", on: "indexable" },
      ...problemLines(DOCUMENT, "skipped_heading"),
      why: "Screen readers present the outline of a page by its headings; a missing level looks like missing text.",
      fix: "Use levels in order, and set the size with style sheets.",
      link: "https://www.w3.org/WAI/tutorials/page-structure/headings/",
    },
    "title.outside_head": {
      name: "Title outside the head",
      ...{ severity: "error", priority: "high", on: "page" },
      ...outside("title"),
      why: "Search engines may not use a title in the body.",
      fix: ENDS_HEAD,
      link: HEAD,
    },
    "desc.outside_head": {
      name: "Description outside the head",
      ...{ severity: "error", priority: "medium", on: "page" },
      ...outside("description"),
      why: "Search engines may not use a description in the body.",
      fix: ENDS_HEAD,
      link: HEAD,
    },
    "can.outside_head": {
      name: "Canonical outside the head",
      ...{ severity: "error", priority: "high", on: "page" },
      ...outside("canonical"),
      why: "Search engines ignore a canonical in the body, and so does Trawl.",
      fix: ENDS_HEAD,
      link: HEAD,
    },
    "hreflang.outside_head": {
      name: "Hreflang outside the head",
      ...{ severity: "error", priority: "high", on: "page" },
      ...outside("hreflang"),
      why: "Search engines ignore alternates in the body, and so does Trawl.",
      fix: ENDS_HEAD,
      link: HEAD,
    },
    "idx.directive_outside_head": {
      name: "Robots directive outside the head",
      ...{ severity: "error", priority: "high", on: "page" },
      ...outside("robots"),
      why: "Whether it counts in the body depends on the search engine.",
      fix: ENDS_HEAD,
      link: HEAD,
    },
  },
);
