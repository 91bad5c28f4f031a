/** Sites for the rules about structured data, what changed, and smaller things in the markup of a page. */
import type { Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
const described = (data: object | string | null): string =>
  page({ data: typeof data === "object" && data !== null ? JSON.stringify(data) : data });
const withBody = (fires: string, silent: string): Fixture => ({
  fires: page({ body: fires }),
  silent: page({ body: silent }),
});
const product = { "@context": "https://schema.org", "@type": "Product", name: "Reel", image: "/reel.png" };
const canonical = (href: string, head = ""): string => page({ canonical: href, head });
const header = (href: string) => ({ body: good, headers: { link: `<${href}>; rel="canonical"` } });
const redirect = { status: 302, headers: { location: "/about" } };
const toOld = page({ body: '<a href="/old">The old page of the shop</a>' });
const HARD =
  "Notwithstanding organisational interdependencies, institutional responsibilities necessitate comprehensive administrative reconsideration. ";

export const MARKUP_FIXTURES: Fixtures = {
  "can.relative": { fires: canonical("/"), silent: good },
  "can.fragment": { fires: canonical("{url}#top"), silent: good },
  "can.conflicting": {
    fires: canonical("{url}", '<link rel="canonical" href="{origin}/about">'),
    silent: canonical("{url}", '<link rel="canonical" href="{url}">'),
  },
  "can.html_vs_header": { fires: header("{origin}/about"), silent: header("{url}") },
  "can.invalid_attribute": {
    fires: page({ canonical: null, head: '<link rel="canonical" href="{url}" hreflang="en">' }),
    silent: good,
  },
  "content.lorem_ipsum": withBody("<p>Lorem ipsum dolor sit amet</p>", "<p>Lorem is a word</p>"),
  "content.readability_hard": { fires: page({ words: 0, body: `<p>${HARD.repeat(20)}</p>` }), silent: good },
  "img.alt_duplicate": withBody(
    '<img src="/icon.png" alt="A boat" width="9" height="9"><img src="/card.png" alt="A boat" width="9" height="9">',
    '<img src="/icon.png" alt="A boat" width="9" height="9"><img src="/card.png" alt="A reel" width="9" height="9">',
  ),
  "img.alt_empty_informative": withBody(
    '<img src="/icon.png" alt="" width="640" height="480">',
    '<img src="/icon.png" alt="" width="32" height="32">',
  ),
  "img.picture_without_img": withBody(
    '<picture><source srcset="/icon.png"></picture><img src="/icon.png" alt="A boat" width="9" height="9">',
    '<picture><source srcset="/icon.png"><img src="/icon.png" alt="A boat" width="9" height="9"></picture>',
  ),
  "h1.alt_only": {
    fires: page({ h1: '<img src="/icon.png" alt="The shop" width="9" height="9">' }),
    silent: page({ h1: 'The shop <img src="/icon.png" alt="A boat" width="9" height="9">' }),
  },
  "video.no_poster": withBody("<video></video>", '<video poster="/card.png"></video>'),
  "sec.protocol_relative": withBody(
    '<img src="//img.audit.test/a.png" alt="A boat" width="9" height="9">',
    '<img src="/icon.png" alt="A boat" width="9" height="9">',
  ),
  "sec.missing_sri": {
    fires: page({ body: '<script src="https://cdn.example/a.js"></script>' }),
    silent: page({ body: '<script src="https://cdn.example/a.js" integrity="sha384-x"></script>' }),
  },
  "sd.missing": { fires: described(null), silent: good },
  "sd.parse_error": { fires: described("{'@type': 'Product'}"), silent: good },
  "sd.required_missing": { fires: described(product), silent: described({ ...product, offers: { "@type": "Offer" } }) },
  "sd.recommended_missing": {
    fires: described({ "@type": "Article", headline: "Reels" }),
    silent: described({
      "@type": "Article",
      headline: "Reels",
      author: "K",
      datePublished: "2026-01-01",
      dateModified: "2026-01-02",
      image: "/a.png",
    }),
  },
  "sd.recovered": {
    fires: described('{"@context":"https://schema.org","@type":"WebPage",}'),
    silent: described({ "@context": "https://schema.org", "@type": "WebPage" }),
  },
  "sd.unknown_type": {
    fires: described({ "@type": "Artikle", headline: "Reels" }),
    silent: described({ "@type": ["Article", "https://example.org/Own"], headline: "Reels", "own:name": 1 }),
  },
  "sd.wrong_value_type": {
    fires: described({ "@type": "Recipe", datePublished: "last week" }),
    silent: described({ "@type": "Recipe", datePublished: "2026-11-18T09:30+01:00" }),
  },
  "sd.mismatch_visible": {
    fires: described({ "@type": "Offer", price: "1299.00" }),
    silent: page({ data: '{"@type":"Offer","price":"1299.00"}', body: "<p>Only 1.299,00 €</p>" }),
  },
  "sd.duplicate_id": {
    fires: described([
      { "@type": "Thing", "@id": "#a", name: "Boat" },
      { "@type": "Thing", "@id": "#a", name: "Reel" },
    ]),
    silent: described([
      { "@type": "Thing", "@id": "#a", name: "Boat" },
      { "@type": "Thing", "@id": "#b", name: "Reel" },
    ]),
  },
  "idx.indexability_changed": {
    earlier: "UPDATE pages SET indexable = 'Yes' WHERE id = ?",
    fires: page({ head: '<meta name="robots" content="noindex">' }),
    silent: page({ head: '<meta name="robots" content="noindex">' }),
  },
  "content.changed": {
    earlier: "UPDATE pages SET word_count = 1000, content_hash = 'x' WHERE id = ?",
    ...{ fires: good, silent: good },
  },
  "link.lost_inlinks": { earlier: "UPDATE graph SET inlinks = 50 WHERE id = ?", fires: good, silent: good },
  "resp.redirect_temporary": {
    at: "/old",
    earlier: "UPDATE pages SET status = 302 WHERE id = ?",
    fires: { "/": toOld, "/old": redirect },
    silent: { "/": toOld, "/old": { ...redirect, status: 301 } },
  },
};
