/** What every grown site has somewhere: redirects, errors, forbidden, hidden and forgotten pages. */
import { CATEGORIES } from "./data/products.ts";
import { escapeHtml, link, paragraphs } from "./html.ts";
import { layout, type PageParts } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource, redirect } from "./resource.ts";
import { productPath } from "./shop.ts";

export function* oddities(origin: string): Generator<[string, Resource]> {
  yield* redirects();
  yield [PLACES.gone, errorPage(410, "Gone", "The catalogue of 2019 has been pulped.")];
  yield [PLACES.failing, errorPage(500, "Stock levels", "The stock computer does not answer.")];
  yield* hidden(origin);
  yield* forgotten(origin);
}

export function errorPage(status: number, heading: string, text: string): Resource {
  const html = page(heading, [text], { description: undefined, robots: "noindex" });
  return htmlResource(html, { status });
}

function* redirects(): Generator<[string, Resource]> {
  yield [PLACES.movedForGood, redirect(301, "/shop")];
  yield [PLACES.movedForToday, redirect(302, productPath(CATEGORIES[4]!, 2))];
  yield [PLACES.chainStart, redirect(301, "/home.html")];
  yield ["/home.html", redirect(302, "/index.html")];
  yield ["/index.html", redirect(308, "/")];
  yield [PLACES.loopStart, redirect(302, "/account/check")];
  yield ["/account/check", redirect(307, PLACES.loopStart)];
  yield [PLACES.movedAway, redirect(302, "https://example.com/charter")];
}

function* hidden(origin: string): Generator<[string, Resource]> {
  const [rota, prices, search] = PLACES.forbidden;
  yield [rota, htmlResource(page("Staff rota", ["Nora mornings, Samir afternoons, Idris when the glue is dry."]))];
  yield [prices, htmlResource(page("Trade prices", ["Ask Maud."]))];
  yield [search, htmlResource(page("Search", ["Nothing was found, but the search was thorough."]))];
  yield [
    PLACES.noindexByHeader,
    htmlResource(page("Newsletter, November 2026", ["Short days, big tides, and new gloves on the shelf."]), {
      headers: { "x-robots-tag": "noindex, nofollow" },
    }),
  ];
  yield [
    PLACES.nofollowPage,
    htmlResource(
      layout({
        title: "Partners | Harbour & Line",
        description: "People we trust with our customers.",
        canonical: `${origin}${PLACES.nofollowPage}`,
        robots: "nofollow",
        main: `<h1>Partners</h1>
<p>${link(PLACES.behindNofollow, "Charter skippers")} · ${link(PLACES.movedAway, "Charter bookings")} · ${link("https://example.com/", "Example Fisheries")}</p>`,
      }),
    ),
  ];
  yield [PLACES.behindNofollow, htmlResource(page("Charter skippers", ["Three skippers, all of them dry."]))];
}

function* forgotten(origin: string): Generator<[string, Resource]> {
  const texts = [
    ["Spring sale", "Ten per cent off everything that floats."],
    ["Fishing for beginners", "A rod, a reel, a float, and where to stand."],
    ["Gift vouchers", "For the person who has every lure but one."],
    ["The pier club", "Second Tuesday of the month, back room, bring a mug."],
  ] as const;
  for (let index = 0; index < texts.length; index++) {
    const path = PLACES.orphans[index]!;
    const [heading, text] = texts[index]!;
    yield [path, htmlResource(page(heading, [text], { canonical: `${origin}${path}` }))];
  }
}

function page(heading: string, texts: readonly string[], parts: Partial<PageParts> = {}): string {
  return layout({
    title: `${heading} | Harbour & Line`,
    description: texts[0],
    main: `<h1>${escapeHtml(heading)}</h1>\n${paragraphs(texts)}`,
    ...parts,
  });
}
