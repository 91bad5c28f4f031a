/**
 * Rules about what changed since the previous crawl, which they see as `earlier`. If there is no previous crawl, they
 * are not checked.
 */
import { ruleGroup } from "../rule.ts";

/** Pages `j` that the previous crawl also had; `q` and `g` are what it knew about them. */
const both = (evidence: string, where: string): string =>
  `SELECT j.id AS id, ${evidence} AS evidence FROM judged j JOIN earlier.urls e ON e.url = j.url
   JOIN earlier.pages q ON q.id = e.id LEFT JOIN earlier.graph g ON g.id = e.id WHERE ${where}`;

export const CHANGE_RULES = ruleGroup(
  "Changes",
  "https://developers.google.com/search/docs/crawling-indexing/website-testing",
  {
    "idx.indexability_changed": {
      name: "No longer indexable",
      ...{ severity: "error", priority: "high", phase: "diff", on: "page" },
      query: both("j.indexability", "j.as_page AND j.indexable = 'No' AND q.indexable = 'Yes'"),
      why: "Search engines listed the page until now, and will drop it.",
      fix: "If that was not intended, remove what the evidence shows.",
    },
    "content.changed": {
      name: "Text that grew or shrank a lot",
      ...{ severity: "notice", priority: "medium", phase: "diff", on: "page" },
      thresholds: { textChangePercent: 50 },
      query: both(
        "q.word_count || ' words before, ' || j.word_count || ' now'",
        `j.as_page AND q.word_count > 0 AND j.content_hash IS NOT q.content_hash
         AND abs(j.word_count - q.word_count) * 100.0 / q.word_count > $textChangePercent`,
      ),
      why: "Such a change often means that a template or a query broke.",
      fix: "Look at the page, and compare it with the crawl before.",
    },
    "link.lost_inlinks": {
      name: "Page that lost links",
      ...{ severity: "warning", priority: "medium", phase: "diff", on: "page" },
      thresholds: { lostInlinksPercent: 50, lostInlinksLeast: 5 },
      query: both(
        "g.inlinks || ' links before, ' || j.inlinks || ' now'",
        `j.as_page AND g.inlinks >= $lostInlinksLeast AND g.inlinks > j.inlinks
         AND (g.inlinks - j.inlinks) * 100.0 / g.inlinks > $lostInlinksPercent`,
      ),
      why: "Visitors and search engines find the page less easily than before.",
      fix: "If the page still matters, link to it again.",
    },
    "resp.redirect_temporary": {
      name: "Temporary redirect that stays",
      ...{ severity: "notice", priority: "low", phase: "diff", on: "redirect" },
      query: both(
        "j.status || ' to ' || coalesce(j.redirect_to, '')",
        "j.as_redirect AND j.status IN (302, 307) AND q.status = j.status",
      ),
      why: "Search engines keep the old address in their index for as long as the redirect is temporary.",
      fix: "Answer 301 or 308 if the move is permanent.",
    },
  },
);
