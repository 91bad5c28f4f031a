/** Sites for the rules about languages, series and AMP. */
import type { Answer, Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

type Alternates = Record<string, string>;
const alternates = (codes: Alternates): string =>
  Object.entries(codes)
    .map(([code, href]) => `<link rel="alternate" hreflang="${code}" href="{origin}${href}">`)
    .join("");
/** A page in these languages, with a link to each, so that no page is an orphan. */
const inLanguages = (codes: Alternates, more = "", lang = "en"): string =>
  page({
    lang,
    head: alternates(codes) + more,
    body: Object.values(codes)
      .map((href) => `<a href="${href}">In another language</a>`)
      .join(" "),
  });
const BOTH = { en: "/", de: "/de", "x-default": "/" };
const german = (codes: Alternates = BOTH): string => inLanguages(codes, "", "de");
const pair = (de: Answer): Record<`/${string}`, Answer> => ({ "/": inLanguages(BOTH), "/de": de });
const healthy = pair(german());
const against = (fires: Fixture["fires"], at = "/"): Fixture => ({ at, fires, silent: healthy });

/** A page of a series. */
const inSeries = (prev: string | null, next: string | null, more = "", canonical = "{url}"): string => {
  const [before, after] = [prev, next].map((href) => (href === null ? "" : `<a href="${href}">Another page</a>`));
  return page({
    canonical,
    head: `${prev === null ? "" : `<link rel="prev" href="${prev}">`}${next === null ? "" : `<link rel="next" href="${next}">`}${more}`,
    body: `${before} ${after}`,
  });
};
const series: Record<`/${string}`, Answer> = { "/": inSeries(null, "/2"), "/2": inSeries("/", null) };
const inSeriesOnly = (fires: Fixture["fires"], at = "/"): Fixture => ({ at, fires, silent: series });

const amp = (html: string): string => html.replace("<html", "<html amp");
const withAmp = page({ head: '<link rel="amphtml" href="{origin}/amp">', body: '<a href="/amp">AMP</a>' });

export const HREFLANG_FIXTURES: Fixtures = {
  "hreflang.invalid_code": against({ "/": inLanguages({ ...BOTH, "en-uk": "/uk" }), "/de": german(), "/uk": page() }),
  "hreflang.non_200": against({ "/": inLanguages({ ...BOTH, fr: "/fr" }), "/de": german() }),
  "hreflang.to_noindex": against(pair(page({ lang: "de", head: '<meta name="robots" content="noindex">' }))),
  "hreflang.to_non_canonical": against(pair(page({ lang: "de", canonical: "{origin}/about" }))),
  "hreflang.missing_return": against(pair(page({ lang: "de" }))),
  "hreflang.inconsistent_return": against(pair(german({ "en-gb": "/", de: "/de" }))),
  "hreflang.multiple_entries": against({
    "/": page({ head: `${alternates(BOTH)}${alternates({ de: "/de-at" })}` }),
    "/de": german(),
    "/de-at": german(),
  }),
  "hreflang.missing_self": against({ "/": inLanguages({ de: "/de", "x-default": "/de" }), "/de": german() }),
  "hreflang.missing_xdefault": against({ "/": inLanguages({ en: "/", de: "/de" }), "/de": german() }),
  "hreflang.lang_mismatch": against({ "/": inLanguages(BOTH, "", "fr"), "/de": german() }),
  "hreflang.relative_url": against({
    "/": page({ head: '<link rel="alternate" hreflang="de" href="/de">' }),
    "/de": german(),
  }),
  "hreflang.unlinked": against({
    "/": page({ head: alternates(BOTH) }),
    "/de": page({ lang: "de", head: alternates(BOTH) }),
  }),
  "hreflang.not_using_canonical": against({
    "/": page({ head: alternates(BOTH), canonical: "{origin}/about" }),
    "/de": german(),
  }),
  "page.next_prev_broken": inSeriesOnly(inSeries(null, "/missing")),
  "page.not_in_anchor": inSeriesOnly({ "/": page({ head: '<link rel="next" href="/2">' }), "/2": inSeries("/", null) }),
  "page.sequence_error": inSeriesOnly({ "/": inSeries(null, "/2"), "/2": inSeries("/about", null) }),
  "page.loop": inSeriesOnly({ "/": inSeries(null, "/2"), "/2": inSeries("/", "/") }),
  "page.multiple": inSeriesOnly({
    "/": inSeries(null, "/2", '<link rel="next" href="/3">'),
    "/2": inSeries("/", null),
    "/3": inSeries("/2", null),
  }),
  "page.canonical_to_first": inSeriesOnly(
    { "/": inSeries(null, "/2"), "/2": inSeries("/", null, "", "{origin}/") },
    "/2",
  ),
  "amp.missing_canonical": { fires: amp(page({ canonical: null })), silent: amp(page()) },
  "amp.invalid": {
    fires: amp(page()),
    silent: amp(
      page({
        head: `<script async src="https://cdn.ampproject.org/v0.js"></script>
          <style amp-boilerplate>body{animation:-amp-start 8s steps(1,end) 0s 1 normal both}</style>`,
      }),
    ),
  },
  "amp.missing_return": {
    fires: { "/": withAmp, "/amp": amp(page()) },
    silent: { "/": withAmp, "/amp": amp(page({ canonical: "{origin}/" })) },
  },
};
