/** Boat hire: a page whose links appear only after its script has fetched them as JSON. */
import { BOATS } from "./data/company.ts";
import { escapeHtml, slug } from "./html.ts";
import { layout } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource, resource } from "./resource.ts";

const DATA_PATH = "/api/boats.json";

const SCRIPT = `const list = document.querySelector("#boats");
const boats = await (await fetch("${DATA_PATH}")).json();
list.replaceChildren(...boats.map((boat) => {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = boat.path;
  link.textContent = boat.name;
  item.append(link);
  return item;
}));
document.title = boats.length + " boats for hire | Harbour & Line";
`;

export function* boatPages(origin: string): Generator<[string, Resource]> {
  yield [
    PLACES.rendered,
    htmlResource(
      layout({
        title: "Boat hire | Harbour & Line",
        description: "Six boats, by the half day.",
        canonical: `${origin}${PLACES.rendered}`,
        head: '<script type="module" src="/assets/boats.js"></script>',
        main: '<h1>Boat hire</h1>\n<p>Our boats lie at the inner quay.</p>\n<ul id="boats"><li>Looking who is in…</li></ul>',
      }),
    ),
  ];
  yield ["/assets/boats.js", resource("text/javascript; charset=utf-8", SCRIPT)];
  const boats = BOATS.map(([name]) => ({ name, path: `${PLACES.rendered}/${slug(name)}` }));
  yield [DATA_PATH, resource("application/json", JSON.stringify(boats))];
  for (const [name, text] of BOATS) {
    yield [
      `${PLACES.rendered}/${slug(name)}`,
      htmlResource(
        layout({
          title: `${name} | Boat hire | Harbour & Line`,
          description: text,
          canonical: `${origin}${PLACES.rendered}/${slug(name)}`,
          breadcrumbs: [
            ["/", "Home"],
            [PLACES.rendered, "Boat hire"],
          ],
          main: `<h1>${escapeHtml(name)}</h1>\n<p>${escapeHtml(text)}</p>`,
        }),
      ),
    ];
  }
}
