/** Sites for the rules about how a document is built. */
import type { Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
const changed = (from: string | RegExp, to: string, silent: string = good): Fixture => ({
  fires: good.replace(from, to),
  silent,
});
/** Valid: browsers add these tags where they were. */
const withoutTags = good.replaceAll(/<\/?(?:head|body)>/g, "");
const EARLY = "</title><div>Early</div>";
const early = (head: string): Fixture => ({
  fires: page({ canonical: null, head: `<div>Early</div>${head}` }),
  silent: page({ canonical: null, head: `<noscript><div>Early</div></noscript>${head}` }),
});
const headings = (list: string): string => page({ h1: null, h2: null, body: list });

export const DOCUMENT_FIXTURES: Fixtures = {
  "html.head_missing_or_multiple": changed("</head>", "</head><head></head>", withoutTags),
  "html.body_missing_or_multiple": changed("<body>", "<body><body>", withoutTags),
  "html.body_before_html": changed("<!doctype html>", "<!doctype html><body>"),
  "html.head_not_first": changed("<head>", '<meta name="x" content="y"><head>'),
  "html.invalid_in_head": changed("</title>", EARLY, page({ head: "<noscript><div>Early</div></noscript>" })),
  "html.duplicate_id": {
    fires: page({ body: '<p id="a">One</p><p id="a">Two</p>' }),
    silent: page({ body: '<p id="a">One</p><p id="A">Two</p><template><p id="a">Three</p></template>' }),
  },
  "html.dom_too_big": { fires: page({ body: "<i></i>".repeat(1_600) }), silent: page({ body: "<i></i>".repeat(100) }) },
  "h1.not_first": { fires: headings("<h2>One</h2><h1>Two</h1>"), silent: headings("<h1>One</h1><h2>Two</h2>") },
  "h.skipped_level": {
    fires: headings("<h1>One</h1><h2>Two</h2><h4>Four</h4>"),
    silent: headings("<h1>One</h1><h2>Two</h2><h3>Three</h3><h2>Two again</h2>"),
  },
  "title.outside_head": {
    fires: page({ title: null, body: "<title>Late</title>" }),
    silent: page({ body: "<svg><title>A drawing</title></svg>" }),
  },
  "desc.outside_head": {
    fires: page({ description: null, body: '<meta name="description" content="Late">' }),
    silent: good,
  },
  "can.outside_head": early('<link rel="canonical" href="{url}">'),
  "hreflang.outside_head": early('<link rel="alternate" hreflang="en" href="{url}">'),
  "idx.directive_outside_head": early('<meta name="robots" content="max-snippet:50">'),
};
