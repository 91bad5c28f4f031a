/** The journal: articles, their list in pages of ten, topics and years. */
import { ARTICLES, type Article, TOPIC_SENTENCES, type Topic } from "./data/articles.ts";
import { CATEGORIES } from "./data/products.ts";
import { escapeHtml, layout, link, list, paragraphs, slug } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource } from "./resource.ts";
import { productPath } from "./shop.ts";

const PER_PAGE = 10;
const TOPICS = Object.keys(TOPIC_SENTENCES) as Topic[];

export function* journalPages(origin: string): Generator<[string, Resource]> {
  const newest = ARTICLES.toReversed();
  for (let page = 1; page <= Math.ceil(newest.length / PER_PAGE); page++) {
    yield [listPath(page), htmlResource(listing(origin, newest, page))];
  }
  for (let index = 0; index < ARTICLES.length; index++) {
    yield [articlePath(ARTICLES[index]!), htmlResource(article(origin, index))];
  }
  for (const topic of TOPICS) {
    const titles = newest.filter((entry) => entry.topic === topic);
    // Topic lists repeat what the journal says elsewhere: useful to readers, not to search engines.
    yield [`/blog/tags/${topic}`, htmlResource(index(`Topic: ${topic}`, titles, "noindex, follow"))];
  }
  for (const year of new Set(newest.map((entry) => entry.date.slice(0, 4)))) {
    const titles = newest.filter((entry) => entry.date.startsWith(year));
    yield [`/blog/${year}`, htmlResource(index(`Journal of ${year}`, titles))];
  }
}

export function articlePath(entry: Article): string {
  return `/blog/${slug(entry.title)}`;
}

function listPath(page: number): string {
  return page === 1 ? "/blog" : `/blog/page/${page}`;
}

function listing(origin: string, newest: readonly Article[], page: number): string {
  const pages = Math.ceil(newest.length / PER_PAGE);
  const around = [page - 1, page + 1].filter((other) => other >= 1 && other <= pages);
  const shown = newest.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  return layout({
    title: page === 1 ? "Journal | Harbour & Line" : `Journal, page ${page} | Harbour & Line`,
    description: `Notes from the beach, the river and the workshop${page === 1 ? "." : `, page ${page}.`}`,
    canonical: `${origin}${listPath(page)}`,
    head: around.map((other) => `<link rel="${other < page ? "prev" : "next"}" href="${listPath(other)}">`).join("\n"),
    main: `<h1>Journal</h1>
${shown.map((entry) => `<article><h2>${link(articlePath(entry), entry.title)}</h2><p><time>${entry.date}</time> ${escapeHtml(entry.lead)}</p></article>`).join("\n")}
<p>${around.map((other) => link(listPath(other), other < page ? "Newer" : "Older")).join(" ")}</p>
<aside><h2>Topics</h2>${list(TOPICS.map((topic) => link(`/blog/tags/${topic}`, topic)))}
<h2>Years</h2>${list(["2024", "2025", "2026"].map((year) => link(`/blog/${year}`, year)))}
<p>${link(PLACES.windows1252, "A letter from Brittany")} · ${link(PLACES.noindexByHeader, "The November newsletter")} · ${link(PLACES.gone, "The 2019 catalogue")}</p></aside>`,
  });
}

function article(origin: string, position: number): string {
  const entry = ARTICLES[position]!;
  const pool = TOPIC_SENTENCES[entry.topic];
  const sentences = [0, 1, 3].map((step) => pool[(position + step) % pool.length]!);
  const category = CATEGORIES[position % CATEGORIES.length]!;
  const product = position % category.products.length;
  const earlier = ARTICLES[(position + ARTICLES.length - 1) % ARTICLES.length]!;
  // Every seventh article keeps a link to something that is no longer there.
  const stale = position % 7 === 3 ? PLACES.missing[position % PLACES.missing.length]! : undefined;
  return layout({
    title: `${entry.title} | Harbour & Line`,
    description: entry.lead,
    canonical: `${origin}${articlePath(entry)}`,
    breadcrumbs: [
      ["/", "Home"],
      ["/blog", "Journal"],
    ],
    main: `<article><h1>${escapeHtml(entry.title)}</h1>
<p><time datetime="${entry.date}">${entry.date}</time>, in ${link(`/blog/tags/${entry.topic}`, entry.topic)}</p>
${paragraphs([entry.lead, sentences.slice(0, 2).join(" "), sentences[2]!])}
${stale ? `<p>See also ${link(stale, "what we wrote before")}.</p>\n` : ""}<p>We used the ${link(`${productPath(category, product)}?utm_source=journal&utm_campaign=${entry.date}`, category.products[product]![0])}.</p>
</article>
<p>Earlier: ${link(articlePath(earlier), earlier.title)}. Elsewhere: ${link(`https://example.com/tides/${entry.date}`, "tide table of that day", 'rel="external nofollow"')}</p>`,
  });
}

function index(heading: string, entries: readonly Article[], robots?: string): string {
  return layout({
    title: `${heading} | Harbour & Line`,
    description: `${heading}: ${entries.length} pieces from the journal.`,
    robots,
    breadcrumbs: [
      ["/", "Home"],
      ["/blog", "Journal"],
    ],
    main: `<h1>${escapeHtml(heading)}</h1>
${list(entries.map((entry) => link(articlePath(entry), entry.title)))}`,
  });
}
