/** What a browser found on a page, for the rules about scripts. */
import type { PageRow, RenderedRow } from "../../facts/fact-rows.ts";
import type { Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
/** A page that a script did not change. */
const SAME: Partial<RenderedRow> = { raw_word_count: 200, settled: 1, console_errors: "[]" };
const facts = { title: "T", description: "D", h1: "H", word_count: 200, robots_meta: null } satisfies Partial<PageRow>;
const raw: Partial<RenderedRow> = { ...SAME, raw_title: "T", raw_description: "D", raw_h1: "H" };
/** What the page said before its scripts ran, and perhaps what it said afterwards. */
const changed = (before: Partial<RenderedRow>, after: Partial<PageRow> = {}): Fixture => ({
  ...{ fires: good, silent: good },
  facts: { fires: { ...facts, ...after }, silent: facts },
  rendered: { fires: { ...raw, ...before }, silent: raw },
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
};
