/** Sites for the rules about addresses. */
import type { Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const linking = (...hrefs: string[]): string =>
  page({ body: hrefs.map((href, at) => `<a href="${href}">Page number ${at} of the shop</a>`).join(" ") });
const good = page();
/** A page at this path, and one at another. */
const at = (path: `/${string}`, other: `/${string}` = "/plain-path"): Fixture => ({
  at: path,
  fires: { "/": linking(path), [path]: good },
  silent: { "/": linking(other), [other]: good },
});

export const URL_FIXTURES: Fixtures = {
  "url.uppercase": at("/Shop", "/caf%C3%A9"),
  "url.underscore": at("/my_shop", "/my-shop"),
  "url.non_ascii": at("/caf%C3%A9"),
  "url.space": at("/my%20shop"),
  "url.multiple_slashes": at("/shop//rods"),
  "url.repetitive_path": at("/shop/rods/shop/rods/", "/shop/rods/"),
  "url.too_long": at(`/${"long-".repeat(25)}`),
  "url.parameters": at("/shop?colour=red"),
  "url.many_parameters": at("/shop?a=1&b=2&c=3&d=4", "/shop?a=1&b=2"),
  "url.session_id": {
    fires: linking("/about;jsessionid=A1B2C3"),
    silent: linking("/about?utm_source=menu", "{out}/?PHPSESSID=1"),
  },
  "url.tracking_params_internal": {
    fires: linking("/about?utm_source=menu"),
    silent: linking("/about", "{out}/?utm_source=shop"),
  },
  "url.internal_search": at("/search?q=rods", "/research"),
  "url.crawl_trap": {
    at: "/a/a/a/a/a/a/a/a/",
    fires: linking("/a/a/a/a/a/a/a/a/"),
    silent: { "/": linking("/a/b/"), "/a/b/": good },
  },
  "url.duplicate_after_normalise": {
    at: "/Rods",
    fires: { "/": linking("/rods", "/Rods"), "/rods": good, "/Rods": good },
    silent: { "/": linking("/rods", "/reels"), "/rods": good, "/reels": good },
  },
  "url.trailing_slash_mixed": {
    at: "/rods/",
    fires: { "/": linking("/rods", "/rods/"), "/rods": good, "/rods/": good },
    silent: { "/": linking("/rods", "/reels/"), "/rods": good, "/reels/": good },
  },
  "url.www_or_scheme_variants": {
    fires: { "/": linking("{http}/"), "http/": good },
    silent: good,
  },
  "url.broken_bookmark": {
    fires: linking("#prices", "/about#nowhere"),
    silent: {
      "/": page({
        body: `<p id="d%C3%A9j%C3%A0">x</p><p id="a b">y</p><a name="old">z</a>
          <a href="/about#prices">Prices of the shop</a> <a href="/moved#prices">Prices as before</a>
          ${["#", "#top", "#old", "#d%C3%A9j%C3%A0", "#a%20b", "#/route", "#!route", "#:~:text=x", "/icon.png#nowhere"]
            .map((href, at) => `<a href="${href}">Place number ${at} of the page</a>`)
            .join(" ")}`,
      }),
      "/about": page({ title: "About", body: '<p id="prices">Prices</p>' }),
      "/moved": { status: 301, headers: { location: "/about" } },
    },
  },
};
