/** What every grown site has somewhere: redirects, errors, hidden and forgotten pages, other languages and encodings. */
import { CATEGORIES } from "./data/products.ts";
import { escapeHtml, layout, link, type PageParts, paragraphs } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource, redirect, resource } from "./resource.ts";
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

// Shipping in three languages linked by hreflang, and a letter in windows-1252.

const [ENGLISH, FRENCH, GERMAN] = PLACES.languages;

const SHIPPING = [
  ["en-GB", ENGLISH, "Shipping", "Parcels leave on weekdays at four. Rods travel in a tube, at our risk."],
  ["fr", FRENCH, "Livraison", "Les colis partent en semaine à seize heures. Les cannes voyagent dans un tube."],
  ["de", GERMAN, "Versand", "Pakete gehen werktags um vier Uhr ab. Ruten reisen in einer Röhre."],
] as const;

export function* languagePages(origin: string): Generator<[string, Resource]> {
  const alternates = [
    ...SHIPPING.map(([language, path]) => `<link rel="alternate" hreflang="${language}" href="${origin}${path}">`),
    `<link rel="alternate" hreflang="x-default" href="${origin}${ENGLISH}">`,
  ].join("\n");
  for (const [language, path, heading, text] of SHIPPING) {
    yield [
      path,
      htmlResource(
        layout({
          title: `${heading} | Harbour & Line`,
          description: text,
          canonical: `${origin}${path}`,
          language,
          head: alternates,
          main: `<h1>${heading}</h1>\n${paragraphs([text])}\n<p>${SHIPPING.map((other) => link(other[1], other[2], `hreflang="${other[0]}"`)).join(" · ")}</p>`,
        }),
      ),
    ];
  }
  const letter = layout({
    title: "Café du Port | Harbour & Line",
    description: "Une lettre de Bretagne – déjà vu, naïvely retold.",
    language: "fr",
    charset: "windows-1252",
    breadcrumbs: [["/blog", "Journal"]],
    main: `<h1>Le Café du Port</h1>
<p>“Encore un maquereau ?” demande le patron. Il coûte 4 €, et l’été n’est pas fini…</p>`,
  });
  // No charset in the header: only the meta element says how to read the bytes.
  yield [PLACES.windows1252, resource("text/html", encodeWindows1252(letter))];
}

/** The characters of the letter that windows-1252 keeps where Latin-1 has control codes. */
const WINDOWS_1252: Record<string, number> = {
  "€": 0x80,
  "…": 0x85,
  "’": 0x92,
  "“": 0x93,
  "”": 0x94,
  "–": 0x96,
  "›": 0x9b,
};

function encodeWindows1252(text: string): Buffer {
  return Buffer.from(
    text.replace(/[^\0-\xff]/g, (character) => {
      const byte = WINDOWS_1252[character];
      if (byte === undefined) throw new RangeError(`no windows-1252 byte listed for ${character}`);
      return String.fromCharCode(byte);
    }),
    "latin1",
  );
}
