/** What a browser found on a page, for the rules about scripts. */
import type { PageRow, RenderedRow } from "../../facts/fact-rows.ts";
import type { Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
/** A page that a script did not change. */
const SAME: Partial<RenderedRow> = { raw_word_count: 200, settled: 1, console_errors: "[]" };
const facts = { title: "T", description: "D", h1: "H", word_count: 200, robots_meta: null } satisfies Partial<PageRow>;
const raw: Partial<RenderedRow> = { ...SAME, raw_title: "T", raw_description: "D", raw_h1: "H" };
/** What the page said before its scripts ran, and optionally what it said afterwards. */
const changed = (before: Partial<RenderedRow>, after: Partial<PageRow> = {}): Fixture => ({
  ...{ fires: good, silent: good },
  facts: { fires: { ...facts, ...after }, silent: facts },
  rendered: { fires: { ...raw, ...before }, silent: raw },
});

/** What was seen on the page, and a milder case. */
const seen = (column: "axe_violations" | "layout_problems", fires: string, silent: string): Fixture => ({
  ...{ fires: good, silent: good },
  facts: { fires: facts, silent: facts },
  rendered: { fires: { ...raw, [column]: fires }, silent: { ...raw, [column]: silent } },
});

export const RENDERING_FIXTURES: Fixtures = {
  "js.noindex_raw_only": changed({ raw_robots_meta: "noindex" }),
  "js.noindex_rendered_only": changed({}, { robots_meta: "noindex" }),
  "js.nofollow_raw_only": changed({ raw_robots_meta: "nofollow" }),
  "js.canonical_mismatch": changed({ raw_canonical: "https://site.test/other" }),
  "js.canonical_rendered_only": {
    ...{ fires: good, silent: page({ canonical: null }) },
    rendered: { fires: raw, silent: raw },
  },
  "js.title_changed": changed({ raw_title: "Loading" }),
  "js.description_changed": changed({ raw_description: null }),
  "js.h1_changed": changed({ raw_h1: null }),
  "js.content_rendered": changed({ raw_word_count: 100 }),
  "js.console_errors": changed({ console_errors: '["x is not defined"]' }),
  "js.render_timeout": changed({ settled: 0 }),
  "a11y.low_contrast": seen(
    "axe_violations",
    "color-contrast serious: Elements must meet minimum color contrast ratio thresholds (2 elements, the first: p)",
    "label critical: Form elements must have labels (1 element, the first: input)",
  ),
  "a11y.axe_violation": seen(
    "axe_violations",
    "label critical: Form elements must have labels (1 element, the first: input)",
    "color-contrast serious: Elements must meet minimum color contrast ratio thresholds (2 elements, the first: p)",
  ),
  "a11y.focus_hidden": seen("layout_problems", "no_focus 1 a.menu Rods", "wider 20 table"),
  "img.wrong_size": seen(
    "layout_problems",
    "wrong_size 16 800x600 shown at 200x150: /a.jpg",
    "wrong_size 1.8 400x300 shown at 300x225: /a.jpg",
  ),
  "img.background_only": seen(
    "layout_problems",
    "background 120000 div.hero: https://a.test/a.jpg",
    "background 900 i.icon: https://a.test/a.png",
  ),
  "img.no_lazy": seen("layout_problems", "below_fold 3.1 /a.jpg", "below_fold 0.4 /a.jpg"),
  "mobile.content_wider": seen("layout_problems", "wider 300 table on a screen of 412 pixels", "wider 1 table"),
  "mobile.tap_targets": seen("layout_problems", "tap_target 12 a 40x12 Rods", "tap_target 48 a 100x48 Rods"),
  "sd.only_rendered": {
    ...{ fires: good, silent: good },
    rendered: { fires: raw, silent: { ...raw, raw_structured_data: "WebPage" } },
  },
};
