/** The company: home page, who we are, where, boat hire, and the small print. */
import { ARTICLES } from "./data/articles.ts";
import { BOATS, JOBS, POLICIES, STORES, TEAM } from "./data/company.ts";
import { CATEGORIES } from "./data/products.ts";
import { articlePath } from "./journal.ts";
import { escapeHtml, layout, link, list, paragraphs, slug } from "./layout.ts";
import { PLACES } from "./places.ts";
import { htmlResource, type Resource, resource } from "./resource.ts";
import { productPath } from "./shop.ts";

const SLOW_MS = 300;

export function* companyPages(origin: string): Generator<[string, Resource]> {
  yield ["/", htmlResource(home(origin))];
  const about = htmlResource(aboutPage());
  yield ["/about", about];
  yield [PLACES.duplicate, about];
  yield ["/contact", htmlResource(contact(origin))];
  for (const [name, role, text] of TEAM) {
    yield [`/about/${slug(name)}`, htmlResource(plain(origin, `/about/${slug(name)}`, name, [`${role}.`, text]))];
  }
  yield ["/stores", htmlResource(stores(origin))];
  for (const [name, address, text] of STORES) {
    const path = `/stores/${slug(name)}`;
    const page = plain(origin, path, `${name} shop`, [address, text]);
    yield [path, htmlResource(page, path === PLACES.slow ? { delayMs: SLOW_MS } : {})];
  }
  yield ["/jobs", htmlResource(jobs(origin))];
  for (const [name, text] of JOBS) {
    yield [`/jobs/${slug(name)}`, htmlResource(plain(origin, `/jobs/${slug(name)}`, name, [text]))];
  }
  for (const [path, name, texts] of POLICIES) yield [path, htmlResource(plain(origin, path, name, texts))];
}

function home(origin: string): string {
  const banner = CATEGORIES.slice(0, 4).map((category, index) =>
    link(`${productPath(category, index)}?utm_source=home&utm_medium=banner`, category.products[index]![0]),
  );
  const recent = ARTICLES.slice(-3).map((entry) => link(articlePath(entry), entry.title));
  return layout({
    title: "Harbour & Line: fishing tackle from Port Ellory",
    description: "A small tackle shop on the slipway: rods, reels, guides, a journal and boats for hire.",
    canonical: `${origin}/`,
    main: `<h1>Tackle for people who get up early</h1>
<img src="/assets/harbour.png" srcset="/assets/harbour.png 400w, /assets/harbour-800.png 800w" sizes="(max-width: 40rem) 100vw, 46rem" alt="The harbour at first light" width="400" height="120">
<p>Harbour &amp; Line has stood on the slipway since 1961. We sell what we use, repair what we sell, and write down what we learn.</p>
<h2>This week</h2>
${list([...banner, link(PLACES.movedForToday, "Offer of the day")])}
<h2>From the journal</h2>
${list(recent)}
<p>${link("/stores", "Our four shops")} · ${link(PLACES.movedForGood, "Store")} · ${link(PLACES.chainStart, "Old home page")} ·
${link(PLACES.loopStart, "Log in")} · ${link(PLACES.nofollowPage, "Partners")} · ${link("#top", "Back to the top")}</p>`,
  });
}

function aboutPage(): string {
  return layout({
    title: "About us | Harbour & Line",
    description: "Six people, four shops and a kettle.",
    breadcrumbs: [["/", "Home"]],
    main: `<h1>About us</h1>
<p>The shop began as a net loft. The nets went; the smell of tar did not.</p>
${list(TEAM.map(([name, role]) => `${link(`/about/${slug(name)}`, name)}, ${escapeHtml(role)}`))}
<p>For staff: ${link("/private/staff-rota", "rota")}, ${link("/private/trade-prices", "trade prices", 'rel="nofollow"')}.
An older link to this page: ${link(PLACES.duplicate, "about us")}.</p>`,
  });
}

function contact(origin: string): string {
  return layout({
    title: "Contact | Harbour & Line",
    description: "Write, ring or knock.",
    canonical: `${origin}/contact`,
    breadcrumbs: [["/", "Home"]],
    main: `<h1>Contact</h1>
<p>Write to ${link("mailto:hello@harbour-and-line.example?subject=A%20question", "hello@harbour-and-line.example")}, or come by.</p>
<form action="/search" method="get"><label>Search <input name="q"></label> <button>Go</button></form>
<p>${link("https://example.com/maps?place=port-ellory", "Map")} · ${link("javascript:void(0)", "Chat")} · ${link("/stores", "Shops")}</p>`,
  });
}

function stores(origin: string): string {
  return layout({
    title: "Our shops | Harbour & Line",
    description: "Four shops between the point and the river.",
    canonical: `${origin}/stores`,
    breadcrumbs: [["/", "Home"]],
    main: `<h1>Our shops</h1>
${list(STORES.map(([name, address]) => `${link(`/stores/${slug(name)}`, name)}, ${escapeHtml(address)}`))}`,
  });
}

function jobs(origin: string): string {
  return layout({
    title: "Jobs | Harbour & Line",
    description: "Work with us.",
    canonical: `${origin}/jobs`,
    breadcrumbs: [["/", "Home"]],
    main: `<h1>Jobs</h1>
${list(JOBS.map(([name]) => link(`/jobs/${slug(name)}`, name)))}`,
  });
}

function plain(origin: string, path: string, heading: string, texts: readonly string[]): string {
  return layout({
    title: `${heading} | Harbour & Line`,
    description: texts.at(-1),
    canonical: `${origin}${path}`,
    breadcrumbs: [["/", "Home"]],
    main: `<h1>${escapeHtml(heading)}</h1>
${paragraphs(texts)}`,
  });
}

const DATA_PATH = "/api/boats.json";

const SCRIPT = `const list = document.querySelector("#boats");
/** Boat hire: a page whose links appear only after its script has fetched them as JSON. */
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
