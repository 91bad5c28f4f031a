/** How the demo's pages are written: the frame around each, and the few helpers for what is inside. */

export interface PageParts {
  /** Missing on purpose in some pages. */
  title?: string;
  description?: string;
  /** An absolute URL. */
  canonical?: string;
  language?: string;
  /** The content of the robots meta element. */
  robots?: string;
  /** More elements for the head, as HTML. */
  head?: string;
  charset?: string;
  /** The way here from the home page: paths and texts. */
  breadcrumbs?: readonly (readonly [string, string])[];
  /** HTML. */
  main: string;
}

const STYLE = `
body{margin:0;font:16px/1.6 Georgia,serif;color:#1d2b33;background:#f7f5f0}
header,footer{background:#16394a;color:#dfe9ec;padding:1rem 2rem}
header a,footer a{color:#fff;margin-right:1.2rem}
header strong{display:block;font-size:1.5rem;letter-spacing:.03em}
main{max-width:46rem;margin:0 auto;padding:1.5rem 2rem;background:#fff}
.crumbs{font-size:.85rem;color:#5d6d75}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:1rem;padding:0;list-style:none}
a{color:#0b6e8a}h1,h2{line-height:1.2;color:#16394a}
`.replaceAll("\n", "");

const NAVIGATION = [
  ["/", "Home"],
  ["/shop", "Shop"],
  ["/blog", "Journal"],
  ["/docs", "Guides"],
  ["/boats", "Boat hire"],
  ["/about", "About"],
  ["/contact", "Contact"],
] as const;

const FOOTER = [
  ["/en/shipping", "Shipping"],
  ["/returns", "Returns"],
  ["/terms", "Terms"],
  ["/privacy", "Privacy"],
  ["/jobs", "Jobs"],
  ["/calendar/2026/11?view=month", "Tide calendar"],
  ["/downloads/size-chart.pdf", "Hook size chart (PDF)"],
] as const;

/** The frame around every page of the demo site: head, header, navigation, main and footer. */
export function layout(parts: PageParts): string {
  const head = [`<meta charset="${parts.charset ?? "utf-8"}">`];
  head.push('<meta name="viewport" content="width=device-width, initial-scale=1">');
  if (parts.title !== undefined) head.push(`<title>${escapeHtml(parts.title)}</title>`);
  if (parts.description) head.push(`<meta name="description" content="${escapeHtml(parts.description)}">`);
  if (parts.robots) head.push(`<meta name="robots" content="${parts.robots}">`);
  if (parts.canonical) head.push(`<link rel="canonical" href="${escapeHtml(parts.canonical)}">`);
  head.push('<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">');
  head.push(`<style>${STYLE}</style>`, '<link rel="stylesheet" href="/assets/site.css">');
  if (parts.head) head.push(parts.head);
  const crumbs = (parts.breadcrumbs ?? []).map(([href, text]) => link(href, text)).join(" › ");
  return `<!doctype html>
<html lang="${parts.language ?? "en-GB"}">
<head>
${head.join("\n")}
</head>
<body>
<header><strong>Harbour &amp; Line</strong>
<nav aria-label="Main">${NAVIGATION.map(([href, text]) => link(href, text)).join("\n")}</nav>
</header>
<main>
${crumbs && `<nav class="crumbs" aria-label="Breadcrumb">${crumbs}</nav>\n`}${parts.main}
</main>
<footer>
<p>Harbour &amp; Line, 4 Slipway Row, Port Ellory. Tackle for people who get up early.</p>
<nav aria-label="Footer">${FOOTER.map(([href, text]) => link(href, text)).join("\n")}</nav>
<p>${link("mailto:hello@harbour-and-line.example", "hello@harbour-and-line.example")} ${link("tel:+441632960144", "01632 960144")}</p>
</footer>
</body>
</html>
`;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

/** A link; `attributes` is used as given. */
export function link(href: string, text: string, attributes = ""): string {
  return `<a href="${escapeHtml(href)}"${attributes && ` ${attributes}`}>${escapeHtml(text)}</a>`;
}

export function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p>${escapeHtml(text)}</p>`).join("\n");
}

export function list(items: readonly string[]): string {
  return `<ul>\n${items.map((item) => `<li>${item}</li>`).join("\n")}\n</ul>`;
}

export function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
