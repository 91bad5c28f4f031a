/** The shop: its front page, nine shelves and their products. */
import { CATEGORIES, type Category } from "./data/products.ts";
import { escapeHtml, layout, link, list, paragraphs, slug } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource } from "./resource.ts";

export function* shopPages(origin: string): Generator<[string, Resource]> {
  yield ["/shop", htmlResource(shopFront(origin))];
  for (const category of CATEGORIES) {
    yield [`/shop/${category.slug}`, htmlResource(shelf(origin, category))];
    for (let index = 0; index < category.products.length; index++) {
      yield [productPath(category, index), htmlResource(product(origin, category, index))];
    }
  }
}

export function productPath(category: Category, index: number): string {
  return `/products/${slug(category.products[index]![0])}`;
}

function shopFront(origin: string): string {
  return layout({
    title: "Shop | Harbour & Line",
    description: "Rods, reels, lines and everything else you need at the water, from Port Ellory.",
    canonical: `${origin}/shop`,
    breadcrumbs: [["/", "Home"]],
    main: `<h1>Shop</h1>
<picture><source srcset="/assets/shop-800.png 800w, /assets/shop-400.png 400w"><img src="/assets/shop-400.png" alt="The counter" width="400" height="120"></picture>
${list(CATEGORIES.map((category) => `${link(`/shop/${category.slug}`, category.name)}: ${escapeHtml(category.about)}`))}
<p>${link(PLACES.facets, "Everything on one page")} · ${link(PLACES.failing, "Stock levels")} · ${link(PLACES.long, "Gift card")} ·
${link("/search?q=bass", "Search for bass")} · ${link("javascript:window.print()", "Print this page")}</p>`,
  });
}

function shelf(origin: string, category: Category): string {
  const items = category.products.map(
    ([name, price], index) =>
      `${link(productPath(category, index), name)} <span>£${price}</span><br><img src="/assets/${category.slug}.svg" alt="" width="48" height="48">`,
  );
  return layout({
    title: `${category.name} | Harbour & Line`,
    description: category.about,
    canonical: `${origin}/shop/${category.slug}`,
    breadcrumbs: [
      ["/", "Home"],
      ["/shop", "Shop"],
    ],
    main: `<h1>${escapeHtml(category.name)}</h1>
<p>${escapeHtml(category.about)}</p>
<div class="grid">${list(items)}</div>`,
  });
}

/** Lures are titled without their size, so that sizes share a title: a problem for an audit to find. */
function productTitle(category: Category, name: string): string {
  const shown = category.slug === "lures" ? name.replace(/ \d+( g)?$/, "") : name;
  return `${shown} | Harbour & Line`;
}

function product(origin: string, category: Category, index: number): string {
  const [name, price] = category.products[index]!;
  const path = productPath(category, index);
  const next = (index + 1) % category.products.length;
  const making = category.making[index % category.making.length]!;
  const care = category.making[(index + 1) % category.making.length]!;
  const image = `/assets/${category.slug}.svg`;
  const colours =
    category.slug === "clothing"
      ? `<p>Also in ${link(`${path}?colour=navy`, "navy")} and ${link(`${path}?colour=rust`, "rust")}.</p>\n`
      : "";
  return layout({
    title: productTitle(category, name),
    // The care shelf has no descriptions: another problem to find.
    description: category.slug === "care" ? undefined : `${name} for £${price}. ${making}`,
    canonical: `${origin}${path}`,
    breadcrumbs: [
      ["/", "Home"],
      ["/shop", "Shop"],
      [`/shop/${category.slug}`, category.name],
    ],
    main: `<h1>${escapeHtml(name)}</h1>
<img src="${image}" srcset="${image} 1x, /assets/${category.slug}-large.svg 2x" alt="${escapeHtml(name)}" width="240" height="240">
<p><strong>£${price}</strong>, sent within two days from Port Ellory.</p>
${paragraphs([making, care])}
${colours}<h2>Goes well with</h2>
${list([
  link(productPath(category, next), category.products[next]![0]),
  link(
    `${productPath(CATEGORIES[0]!, index)}?utm_source=related&utm_medium=product`,
    CATEGORIES[0]!.products[index]![0],
  ),
])}`,
  });
}
