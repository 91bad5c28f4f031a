/** A page on which no rule finds anything, and the parts of it that a fixture can change. */

export interface PageParts {
  title?: string | null;
  description?: string | null;
  h1?: string | null;
  h2?: string | null;
  lang?: string | null;
  /** `{url}` stands for the page's own address; null leaves it out. */
  canonical?: string | null;
  viewport?: string | null;
  words?: number;
  /** Further elements of the head and the body. */
  head?: string;
  body?: string;
  /** What makes this page differ from others. */
  name?: string;
  /** Whether it has a link to another page of the site, `/about`. */
  links?: boolean;
  social?: boolean;
  /** JSON-LD; null for none. */
  data?: string | null;
}

const WORDS =
  "harbour tackle river morning quiet reel feather cast water stone bridge keeper lantern drift meadow".split(" ");

/** `{url}` and `{origin}` are replaced by the server. */
export function page(parts: PageParts = {}): string {
  const {
    name = "{url}",
    title = `Tackle for quiet mornings ${short(name)}`,
    description = `What to take along for a quiet morning at the water, and where to find it near you: ${name}`,
    h1 = `Quiet mornings at ${name}`,
    h2 = `What to take along to ${name}`,
    lang = "en",
    canonical = "{url}",
    viewport = "width=device-width, initial-scale=1",
    words = 230,
    links = true,
    social = true,
    data = '{"@context":"https://schema.org","@type":"WebPage"}',
  } = parts;
  const text = Array.from(
    { length: words },
    (_, at) => `${WORDS[((at * 7 + at / 15) % WORDS.length) | 0]}${at % 9 === 8 ? "." : ""}`,
  ).join(" ");
  return [
    `<!doctype html><html${lang === null ? "" : ` lang="${lang}"`}><head><meta charset="utf-8">`,
    title === null ? "" : `<title>${title}</title>`,
    description === null ? "" : `<meta name="description" content="${description}">`,
    viewport === null ? "" : `<meta name="viewport" content="${viewport}">`,
    canonical === null ? "" : `<link rel="canonical" href="${canonical}">`,
    social
      ? `<meta property="og:title" content="T"><meta property="og:image" content="{origin}/card.png"><meta name="twitter:card" content="summary">`
      : "",
    data === null ? "" : `<script type="application/ld+json">${data}</script>`,
    `<link rel="icon" href="/icon.png">${parts.head ?? ""}</head><body><main>`,
    h1 === null ? "" : `<h1>${h1}</h1>`,
    h2 === null ? "" : `<h2>${h2}</h2>`,
    `<p>${name} ${text}</p>`,
    links ? `<p><a href="/about">About the shop</a></p>` : "",
    `${parts.body ?? ""}</main></body></html>`,
  ].join("");
}

/** Titles should not be too long: the end of an address is enough to tell pages apart. */
const short = (name: string): string => (name === "{url}" ? "{path}" : name.slice(-20));
