/** Rules about how fast a page is shown. */
import { ruleGroup } from "../rule.ts";

export const PERFORMANCE_RULES = ruleGroup("Performance", "https://web.dev/articles/vitals", {
  "perf.budget": {
    name: "Page heavier than its budget",
    ...{ severity: "warning", priority: "medium", phase: "graph", on: "page" },
    thresholds: { pageBudgetBytes: 5_000_000 },
    when: "coalesce(size_wire, 0) + coalesce(resource_bytes, 0) > $pageBudgetBytes",
    evidence: "(coalesce(size_wire, 0) + coalesce(resource_bytes, 0)) || ' bytes with all its resources'",
    why: "Heavy pages are slow on phones and cost visitors money. Images further down may be loaded later than the rest.",
    fix: "Compress and scale images, and remove scripts that the page does not need. Change the budget with the threshold.",
    link: "https://developer.chrome.com/docs/lighthouse/performance/total-byte-weight",
  },
  "perf.render_blocking": {
    name: "Many render-blocking resources",
    ...{ severity: "notice", priority: "low", on: "page" },
    thresholds: { renderBlockingMax: 6 },
    when: "render_blocking > $renderBlockingMax",
    evidence: "render_blocking || ' scripts and style sheets in the head'",
    why: "The browser shows nothing until it has loaded every script and style sheet in the head.",
    fix: "Load scripts with defer or async, and combine style sheets or load the less important ones later.",
    link: "https://developer.chrome.com/docs/lighthouse/performance/render-blocking-resources",
  },
});
