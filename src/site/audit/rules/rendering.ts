/** Rules about what scripts change on a page. They need a crawl with --render. */
import { ruleGroup } from "../rule.ts";

const noindex = (fact: string): string => `coalesce(${fact}, '') REGEXP '(^|[\\s,])(noindex|none)($|[\\s,])'`;
const nofollow = (fact: string): string => `coalesce(${fact}, '') REGEXP '(^|[\\s,])(nofollow|none)($|[\\s,])'`;
const changed = (fact: string): string =>
  `'before: ' || coalesce(nullif(raw_${fact}, ''), 'nothing') || char(10) || 'after: ' || coalesce(nullif(${fact}, ''), 'nothing')`;

export const RENDERING_RULES = ruleGroup(
  "JavaScript",
  "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
  {
    "js.noindex_raw_only": {
      name: "Noindex removed by a script",
      ...{ severity: "error", priority: "high", phase: "render", on: "rendered" },
      when: `${noindex("raw_robots_meta")} AND NOT ${noindex("robots_meta")}`,
      evidence: "raw_robots_meta",
      why: "Search engines do not run the scripts of a page that says noindex, so it is never listed.",
      fix: "Send the page without noindex.",
    },
    "js.noindex_rendered_only": {
      name: "Noindex added by a script",
      ...{ severity: "error", priority: "high", phase: "render", on: "rendered" },
      when: `NOT ${noindex("raw_robots_meta")} AND ${noindex("robots_meta")}`,
      evidence: "robots_meta",
      why: "The page is dropped once its scripts have run, which is easy to overlook.",
      fix: "If noindex is intended, send it with the page; if not, remove it from the script.",
    },
    "js.nofollow_raw_only": {
      name: "Nofollow removed by a script",
      ...{ severity: "error", priority: "high", phase: "render", on: "rendered" },
      when: `${nofollow("raw_robots_meta")} AND NOT ${nofollow("robots_meta")}`,
      evidence: "raw_robots_meta",
      why: "Search engines read the directive before the script runs.",
      fix: "Send the page without nofollow.",
    },
    "js.canonical_mismatch": {
      name: "Canonical changed by a script",
      ...{ severity: "error", priority: "high", phase: "render", on: "rendered" },
      when: "raw_canonical IS NOT NULL AND raw_canonical IS NOT canonical",
      evidence: changed("canonical"),
      why: "The page names two canonical addresses, and search engines may use either.",
      fix: "Send the right one with the page.",
    },
    "js.canonical_rendered_only": {
      name: "Canonical added by a script",
      ...{ severity: "warning", priority: "low", phase: "render", on: "rendered" },
      when: "raw_canonical IS NULL AND canonical IS NOT NULL",
      evidence: "canonical",
      why: "Search engines that do not run scripts see no canonical.",
      fix: "Send it with the page.",
    },
    "js.title_changed": {
      name: "Title changed by a script",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      when: "coalesce(raw_title, '') <> coalesce(title, '')",
      evidence: changed("title"),
      why: "Link previews and search engines that do not run scripts show the other title.",
      fix: "Send the right title with the page.",
    },
    "js.description_changed": {
      name: "Description changed by a script",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      when: "coalesce(raw_description, '') <> coalesce(description, '')",
      evidence: changed("description"),
      why: "Link previews and search engines that do not run scripts show the other one.",
      fix: "Send the right description with the page.",
    },
    "js.h1_changed": {
      name: "H1 that a script changes",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      when: "coalesce(raw_h1, '') <> coalesce(h1, '')",
      evidence: changed("h1"),
      why: "Search engines that do not run scripts read another heading, or none.",
      fix: "Send the heading with the page.",
    },
    "js.content_rendered": {
      name: "Text that exists only after scripts ran",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      thresholds: { renderedPercent: 30 },
      when: "word_count > raw_word_count AND (word_count - raw_word_count) * 100 >= $renderedPercent * word_count",
      evidence: "raw_word_count || ' words as sent, ' || word_count || ' after scripts ran'",
      why: "Search engines that do not run scripts miss this text, and others see it later.",
      fix: "Send the text with the page.",
    },
    "js.console_errors": {
      name: "Errors of scripts",
      ...{ severity: "warning", priority: "low", phase: "render", on: "rendered" },
      when: "console_errors <> '[]'",
      evidence: "console_errors",
      why: "A part of the page may not work.",
      fix: "Open the page with the browser's console, and fix what it reports.",
    },
    "js.render_timeout": {
      name: "Page never settled",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      when: "settled = 0",
      why: "Timers or requests were still active at the time limit; search engines may have stopped waiting earlier.",
      fix: "Find requests that repeat, and content that loads late.",
    },
  },
);
