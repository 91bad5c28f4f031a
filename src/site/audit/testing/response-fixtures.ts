/** Sites for the rules about responses and redirects. */
import type { Answer, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const link = (href: string, more = ""): string => `<a href="${href}" ${more}>Another page of the shop</a>`;
const linking = (href: string): string => page({ body: link(href) });
const redirect = (location: string, status = 301): Answer => ({ status, headers: { location } });
const robots = (...lines: string[]): Answer => ({
  type: "text/plain",
  body: ["User-agent: *", ...lines, ""].join("\n"),
});
const styled = (href: string): string => page({ head: `<link rel="stylesheet" href="${href}">` });
const noindex = page({ head: '<meta name="robots" content="noindex">' });
const good = page();

export const RESPONSE_FIXTURES: Fixtures = {
  "resp.no_response_internal": {
    at: "/cut",
    fires: { "/": linking("/cut"), "/cut": { cut: true } },
    silent: { "/": linking("/whole"), "/whole": good },
  },
  "resp.4xx_internal": {
    at: "/missing",
    fires: linking("/missing"),
    silent: { "/": linking("/there"), "/there": good },
  },
  "resp.5xx_internal": {
    at: "/fails",
    fires: { "/": linking("/fails"), "/fails": { status: 500, body: "error" } },
    silent: linking("/missing"),
  },
  "resp.timeout": {
    ...{ fires: good, silent: good },
    facts: {
      fires: { status: null, error: "headers_timeout", title_count: null },
      silent: { status: null, error: "reset", title_count: null },
    },
  },
  "resp.blocked_robots": {
    at: "/private/",
    fires: { "/": linking("/private/"), "/robots.txt": robots("Disallow: /private/") },
    silent: { "/": linking("/public/"), "/public/": good, "/robots.txt": robots("Disallow: /private/") },
  },
  "resp.blocked_resource": {
    at: "/assets/site.css",
    fires: { "/": styled("/assets/site.css"), "/robots.txt": robots("Disallow: /assets/") },
    silent: {
      "/": styled("/site.css"),
      "/site.css": { type: "text/css", body: "a{}" },
      "/robots.txt": robots("Disallow: /assets/"),
    },
  },
  "resp.no_response_external": {
    at: "{out}/cut",
    fires: { "/": linking("{out}/cut"), "out/cut": { cut: true } },
    silent: { "/": linking("{out}/whole"), "out/whole": good },
  },
  "resp.4xx_external": {
    at: "{out}/missing",
    fires: linking("{out}/missing"),
    silent: { "/": `${linking("{out}/wall")}`, "out/wall": { status: 403, body: "no" } },
  },
  "resp.5xx_external": {
    at: "{out}/fails",
    fires: { "/": linking("{out}/fails"), "out/fails": { status: 500, body: "" } },
    silent: linking("{out}/missing"),
  },
  "resp.bot_wall_external": {
    at: "{out}/wall",
    fires: { "/": linking("{out}/wall"), "out/wall": { status: 403, body: "no" } },
    silent: linking("{out}/missing"),
  },
  "resp.dead_external_domain": {
    at: "{gone}/",
    fires: linking("{gone}/"),
    silent: { "/": linking("{out}/cut"), "out/cut": { cut: true } },
  },
  "resp.redirect_internal": {
    at: "/old",
    fires: { "/": linking("/old"), "/old": redirect("/about") },
    silent: linking("/about"),
  },
  "resp.redirect_chain": {
    at: "/old",
    fires: { "/": linking("/old"), "/old": redirect("/older"), "/older": redirect("/about") },
    silent: { "/": linking("/old"), "/old": redirect("/about") },
  },
  "resp.redirect_loop": {
    at: "/one",
    fires: { "/": linking("/one"), "/one": redirect("/two"), "/two": redirect("/one") },
    silent: { "/": linking("/one"), "/one": redirect("/two"), "/two": redirect("/about") },
  },
  "resp.redirect_to_error": {
    at: "/old",
    fires: { "/": linking("/old"), "/old": redirect("/missing") },
    silent: { "/": linking("/old"), "/old": redirect("/about") },
  },
  "resp.redirect_to_noindex": {
    at: "/old",
    fires: { "/": linking("/old"), "/old": redirect("/hidden"), "/hidden": noindex },
    silent: { "/": linking("/old"), "/old": redirect("/shown"), "/shown": good },
  },
  "resp.redirect_canonical_chain": {
    at: "/old",
    fires: { "/": linking("/old"), "/old": redirect("/copy"), "/copy": page({ canonical: "{origin}/about" }) },
    silent: { "/": linking("/old"), "/old": redirect("/own"), "/own": good },
  },
  "resp.meta_refresh": {
    fires: page({ head: '<meta http-equiv="refresh" content="5; url=/about">' }),
    silent: page({ head: '<meta http-equiv="refresh" content="600">' }),
  },
  "resp.http_refresh": {
    fires: { body: good, headers: { refresh: "5; url=/about" } },
    silent: good,
  },
  "resp.js_redirect": {
    ...{ fires: good, silent: good },
    rendered: {
      fires: { raw_word_count: 230, redirected_to: "https://site.test/" },
      silent: { raw_word_count: 230, redirected_to: null },
    },
  },
  "resp.slow_ttfb": {
    ...{ fires: good, silent: good },
    facts: { fires: { time_first_byte: 900 }, silent: { time_first_byte: 300 } },
  },
  "resp.slow": {
    ...{ fires: good, silent: good },
    facts: {
      fires: { time_first_byte: 100, time_download: 2_500 },
      silent: { time_first_byte: 100, time_download: 500 },
    },
  },
  "resp.soft_404": {
    ...{ fires: good, silent: good },
    facts: { fires: { soft_404: "Yes" }, silent: { soft_404: null } },
  },
  "resp.bad_content_type": {
    at: "/site.css",
    fires: { "/": styled("/site.css"), "/site.css": { type: "text/plain", body: "a{}" } },
    silent: { "/": styled("/site.css"), "/site.css": { type: "text/css", body: "a{}" } },
  },
  "resp.no_compression": {
    fires: { body: page({ words: 600 }), plain: true },
    silent: page({ words: 600 }),
  },
  "resp.no_cache_headers": {
    at: "/icon.png",
    fires: { "/": good, "/icon.png": { type: "image/png", body: "x", headers: { "cache-control": null } } },
    silent: good,
  },
};
