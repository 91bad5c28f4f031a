/** The endless parts of the demo site: a calendar, a filtered list, and a link that nests itself. */
import { CATEGORIES } from "./data/products.ts";
import { layout, link, list, paragraphs } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource } from "./resource.ts";
import { productPath } from "./shop.ts";

/** The trap's page for this path and query, or undefined when the path is not in a trap. */
export function trapPage(path: string, query: string): Resource | undefined {
  const html = calendar(path) ?? facets(path, query) ?? nesting(path) ?? giftCard(path);
  return html === undefined ? undefined : htmlResource(html);
}

const MONTH = /^\/calendar\/(\d{4,6})\/(\d{1,2})(?:\/(\d{1,2}))?$/;

function calendar(path: string): string | undefined {
  const match = MONTH.exec(path);
  if (!match) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  if (month < 1 || month > 12) return undefined;
  const here = `${year}-${String(month).padStart(2, "0")}`;
  const monthPath = `/calendar/${year}/${month}`;
  if (match[3]) {
    const day = Number(match[3]);
    return layout({
      title: `Tides of ${here}-${String(day).padStart(2, "0")} | Harbour & Line`,
      main: `<h1>Tides</h1>\n<p>High water at ${String((day * 50 + month * 7) % 24).padStart(2, "0")}:${String((day * 13) % 60).padStart(2, "0")}.</p>\n<p>${link(`${monthPath}?view=month`, "The month")}</p>`,
    });
  }
  const next = month === 12 ? `/calendar/${year + 1}/1` : `/calendar/${year}/${month + 1}`;
  const days = Array.from({ length: 28 }, (_, index) => link(`${monthPath}/${index + 1}`, String(index + 1)));
  return layout({
    title: `Tides of ${here} | Harbour & Line`,
    description: `High and low water at Port Ellory in ${here}.`,
    main: `<h1>Tides of ${here}</h1>\n<p>${days.join(" ")}</p>\n<p>${link(`${next}?view=month`, "Next month")}</p>`,
  });
}

const FACETS = {
  colour: ["red", "navy", "sand", "olive"],
  size: ["s", "m", "l"],
  sort: ["price", "name", "newest"],
  page: ["1", "2", "3"],
} as const;

/** Every value of every facet is a link, and parameters keep the order in which they were chosen: the permutations are endless. */
function facets(path: string, query: string): string | undefined {
  if (path !== PLACES.facets) return undefined;
  const chosen = new URLSearchParams(query);
  const choices = Object.entries(FACETS).flatMap(([facet, values]) =>
    values.map((value) => {
      const wanted = new URLSearchParams(chosen);
      wanted.delete(facet);
      wanted.append(facet, value);
      return link(`${PLACES.facets}?${wanted}`, `${facet}: ${value}`);
    }),
  );
  const shown = CATEGORIES.map((category, index) =>
    link(
      productPath(category, index % category.products.length),
      category.products[index % category.products.length]![0],
    ),
  );
  return layout({
    title: "Everything | Harbour & Line",
    description: "All shelves at once, with filters.",
    main: `<h1>Everything</h1>\n${list(shown)}\n<h2>Filter</h2>\n${list(choices)}`,
  });
}

const NESTED = /^\/help\/(?:tides\/)+$/;

/** The link should be "/help/tides/" but lacks its first part. */
function nesting(path: string): string | undefined {
  if (!NESTED.test(path)) return undefined;
  return layout({
    title: "How tides work | Harbour & Line",
    description: "The moon, mostly.",
    main: `<h1>How tides work</h1>\n${paragraphs(["The moon pulls, the sea follows, and the beach is wide at noon."])}\n<p>${link("tides/", "More about tides")}</p>`,
  });
}

function giftCard(path: string): string | undefined {
  if (path !== "/gift-card") return undefined;
  return layout({ title: "Gift card | Harbour & Line", main: "<h1>Gift card</h1>\n<p>Your message fits, just.</p>" });
}
