/** Shipping in three languages joined by hreflang, and a letter in windows-1252. */
import { link, paragraphs } from "./html.ts";
import { layout } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource, resource } from "./resource.ts";

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
  // No charset in the header: only the meta element tells how to read the bytes.
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
