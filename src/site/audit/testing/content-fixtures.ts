/** Sites for the rules about titles, descriptions, headings, text, images, link previews and the document. */
import type { Answer, Fixture, Fixtures } from "./fixture.ts";
import { type PageParts, page } from "./healthy-page.ts";
import { words as own } from "./healthy-site.ts";

/** A page with the first markup, and one with the second. */
const parts = (fires: PageParts, silent: PageParts = {}): Fixture => ({ fires: page(fires), silent: page(silent) });
const linking = (...hrefs: string[]): string =>
  page({ body: hrefs.map((href, at) => `<a href="${href}">Page number ${at} of the shop</a>`).join(" ") });
/** Two pages that share something, and two that do not. */
const twins = (shared: PageParts): Fixture => ({
  at: "/one",
  fires: { "/": linking("/one", "/two"), "/one": page(shared), "/two": page(shared) },
  silent: { "/": linking("/one", "/two"), "/one": page(), "/two": page() },
});
/** Pages that have a text of their own, unlike those of all other fixtures. */
const apart = (name: string): Record<`/${string}`, Answer> => ({
  "/": page({ words: 0, body: `<p>${own(name)}</p>` }),
  "/about": page({ words: 0, body: `<p>${own(`about ${name}`)}</p>` }),
});
const image = (attributes: string): string => `<img src="/icon.png" ${attributes}>`;
const photo = (bytes: number, type = "image/jpeg"): Answer => ({ type, body: Buffer.alloc(bytes, 1) });
const photos = (type: string): Record<`/${string}`, Answer> => ({
  "/": page({ body: [1, 2, 3, 4, 5].map((n) => `<img src="/photo-${n}" alt="Photo" width="1" height="1">`).join("") }),
  ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`/photo-${n}`, photo(10, type)])),
});
const script = (bytes: number): Record<`/${string}`, Answer> => ({
  "/": page({ head: '<script src="/app.js"></script>' }),
  "/app.js": { type: "text/javascript", body: "x".repeat(bytes) },
});
const noIcon = (html: string): string => html.replace('<link rel="icon" href="/icon.png">', "");
const LONG = "A text that goes on and on about quiet mornings at the water and everything one might take along there, ";

export const CONTENT_FIXTURES: Fixtures = {
  "title.missing": parts({ title: null }),
  "title.multiple": parts({ head: "<title>Another title of the same page</title>" }),
  "title.duplicate": twins({ title: "The same title for all of {origin}" }),
  "title.too_long": parts({ title: LONG }),
  "title.too_short": parts({ title: "Tackle" }),
  "title.same_as_h1": parts({ title: "Tackle for quiet mornings at sea", h1: "Tackle for quiet mornings at sea" }),
  "title.placeholder": {
    fires: page({ title: "Untitled document" }),
    silent: {
      "/": page({ title: "Undefined behaviour of quiet mornings", body: '<p><a href="/terms">All our terms</a></p>' }),
      "/terms": page({ title: "Index" }),
    },
  },
  "desc.missing": parts({ description: null }),
  "desc.multiple": parts({ head: '<meta name="description" content="Another one">' }),
  "desc.duplicate": twins({ description: "The same description for all pages of {origin}, which is not of much use" }),
  "desc.too_long": parts({ description: LONG + LONG }),
  "desc.too_short": parts({ description: "Tackle." }),
  "desc.same_as_title": parts({
    title: "Tackle for quiet mornings at sea",
    description: "Tackle for quiet mornings at sea",
  }),
  "keywords.multiple": parts(
    { head: '<meta name="keywords" content="a"><meta name="keywords" content="b">' },
    { head: '<meta name="keywords" content="a">' },
  ),
  "h1.missing": parts({ h1: null }),
  "h1.multiple": parts({ body: "<h1>Another one</h1>" }),
  "h1.empty": parts({ h1: "" }),
  "h1.duplicate": twins({ h1: "The same heading for all of {origin}" }),
  "h1.too_long": parts({ h1: LONG }),
  "h2.missing": parts({ h2: null, words: 400 }, { words: 400 }),
  "h2.duplicate": twins({ h2: "The same for all of {origin}" }),
  "content.exact_duplicate": twins({ name: "the same for all of {origin}" }),
  "content.near_duplicate": {
    at: "/rods",
    fires: {
      "/": linking("/rods", "/reels"),
      "/rods": page({ words: 0, body: `<p>${own("near duplicate")} And rods.</p>` }),
      "/reels": page({ words: 0, body: `<p>${own("near duplicate")} And reels.</p>` }),
    },
    silent: apart("rods that are unlike"),
  },
  "content.boilerplate_high": {
    fires: page({ words: 0, body: `<p>${own("boilerplate")}</p><nav>${own("menu")} ${own("more menu")}</nav>` }),
    silent: apart("no boilerplate"),
  },
  "content.thin": parts({ words: 40 }),
  "content.empty": parts({ words: 0, name: "x", h1: "x", h2: null, links: false, body: "<a href=/about>x</a>" }),
  "content.text_ratio_low": parts({ body: `<script>${"code();".repeat(8_000)}</script>` }, { words: 3_000 }),
  "img.broken": {
    at: "/missing.png",
    fires: page({ body: '<img src="/missing.png" alt="Missing" width="1" height="1">' }),
    silent: page({ body: image('alt="An icon" width="1" height="1"') }),
  },
  "img.too_big": {
    at: "/photo.jpg",
    fires: { "/": page({ body: '<img src="/photo.jpg" alt="Photo">' }), "/photo.jpg": photo(150_000) },
    silent: { "/": page({ body: '<img src="/photo.jpg" alt="Photo">' }), "/photo.jpg": photo(50_000) },
  },
  "img.alt_attr_missing": parts({ body: image("") }, { body: image('alt=""') }),
  "img.alt_too_long": parts({ body: image(`alt="${LONG}"`) }, { body: image('alt="An icon"') }),
  "img.no_dimensions": parts(
    { body: image('alt="An icon" width="1"') },
    { body: image('alt="x" width="1" height="1"') },
  ),
  "img.no_modern_format": { fires: photos("image/jpeg"), silent: photos("image/webp") },
  "social.og_missing": parts({ social: false }),
  "social.og_image_bad": parts({ social: false, head: '<meta property="og:image" content="/card.png">' }),
  "social.twitter_missing": parts({ social: false }),
  "html.doc_too_big": parts({ body: `<!-- ${"x".repeat(2_000_001)} -->` }),
  "html.resource_too_big": { at: "/app.js", fires: script(2_000_001), silent: script(2_000) },
  "html.charset_missing": {
    fires: { body: page().replace('<meta charset="utf-8">', ""), type: "text/html" },
    silent: { body: page(), type: "text/html" },
  },
  "html.lang_missing": parts({ lang: null }),
  "html.lang_invalid": parts({ lang: "english" }, { lang: "pt-BR" }),
  "html.favicon_missing": {
    fires: { "/": noIcon(page()), "/about": noIcon(page({ name: "about" })) },
    silent: page(),
  },
  "mobile.viewport_missing": parts({ viewport: null }),
};
