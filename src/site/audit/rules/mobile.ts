/** Rules about pages on a phone. They need a crawl with --render. */
import { problemsBeyond, ruleGroup } from "../rule.ts";

export const MOBILE_RULES = ruleGroup(
  "Mobile",
  "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing",
  {
    "mobile.content_wider": {
      name: "Wider than the screen of a phone",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      thresholds: { wideFromPixels: 8 },
      ...problemsBeyond("layout_problems", "wider", "at_least", "$wideFromPixels"),
      why: "Visitors have to scroll sideways to read. The number says how many pixels too wide the page is; the element is the one that sticks out furthest.",
      fix: "Give images and tables max-width: 100%, and allow long lines and rows to wrap.",
      link: "https://web.dev/articles/responsive-web-design-basics",
    },
    "mobile.tap_targets": {
      name: "Links and buttons too small to tap",
      ...{ severity: "warning", priority: "low", phase: "render", on: "rendered" },
      thresholds: { tapTargetBelow: 23.9 },
      ...problemsBeyond("layout_problems", "tap_target", "at_most", "$tapTargetBelow"),
      why: "People tap on the wrong thing, or need several attempts. WCAG 2.2 asks for at least 24 by 24 pixels. Links within text do not count.",
      fix: "Enlarge the element with padding or min-height.",
      link: "https://www.w3.org/WAI/WCAG22/Understanding/target-size-minimum.html",
    },
  },
);
