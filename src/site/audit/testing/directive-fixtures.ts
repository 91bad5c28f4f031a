/** Sites for the rules about indexability and canonicals. */
import type { Answer, Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const meta = (content: string): string => page({ head: `<meta name="robots" content="${content}">` });
const said = (content: string, other = "index, follow"): Fixture => ({ fires: meta(content), silent: meta(other) });
const linking = (...hrefs: string[]): string =>
  page({ body: hrefs.map((href, at) => `<a href="${href}">Page number ${at} of the shop</a>`).join(" ") });
const naming = (canonical: string, head = ""): string => page({ canonical, head });
const noindexed = (content: string, header: string): Answer => ({
  body: meta(content),
  headers: { "x-robots-tag": header },
});
const robots = (...lines: string[]): Answer => ({
  type: "text/plain",
  body: ["User-agent: *", ...lines, ""].join("\n"),
});
const good = page();
/** The same text, whatever the address. */
const copy = (canonical: string): string => page({ name: "the same for all {origin}", canonical });
const many = (head: string): string => Array.from({ length: 12 }, () => head).join(" ");

export const DIRECTIVE_FIXTURES: Fixtures = {
  "idx.noindex": said("noindex"),
  "idx.nofollow_page": { fires: meta("nofollow"), silent: noindexed("index, follow", "bingbot: nofollow") },
  "idx.none": said("none", "noindex"),
  "idx.noindex_nofollow": said("noindex, nofollow", "noindex"),
  "idx.meta_vs_header_conflict": {
    fires: noindexed("index, follow", "noindex"),
    silent: noindexed("index, follow", "bingbot: noindex"),
  },
  "idx.noimageindex": said("noimageindex"),
  "idx.nosnippet": said("max-snippet:0", "max-snippet:50"),
  "idx.notranslate": said("notranslate"),
  "idx.unavailable_after": said("unavailable_after: 2030-01-01"),
  "idx.noodp_noydir": said("noodp"),
  "idx.noindex_with_inlinks": {
    at: "/hidden",
    fires: { "/": page({ body: many('<a href="/hidden">Hidden page</a>') }), "/hidden": meta("noindex") },
    silent: { "/": linking("/hidden"), "/hidden": meta("noindex") },
  },
  "idx.disallowed_but_linked": {
    at: "/private/",
    fires: { "/": linking("/private/"), "/robots.txt": robots("Disallow: /private/") },
    silent: { "/": linking("/public/"), "/public/": good, "/robots.txt": robots("Disallow: /private/") },
  },
  "can.missing": { fires: page({ canonical: null }), silent: good },
  "can.canonicalised": { fires: naming("{origin}/about"), silent: good },
  "can.multiple": { fires: page({ head: '<link rel="canonical" href="{url}">' }), silent: good },
  "can.to_error": { fires: naming("{origin}/missing"), silent: naming("{origin}/about") },
  "can.to_redirect": {
    fires: { "/": naming("{origin}/old"), "/old": { status: 301, headers: { location: "/about" } } },
    silent: naming("{origin}/about"),
  },
  "can.to_noindex": {
    fires: { "/": naming("{origin}/hidden"), "/hidden": meta("noindex") },
    silent: naming("{origin}/about"),
  },
  "can.to_blocked": {
    fires: { "/": naming("{origin}/private/"), "/robots.txt": robots("Disallow: /private/") },
    silent: naming("{origin}/about"),
  },
  "can.chain": {
    fires: { "/": naming("{origin}/next"), "/next": naming("{origin}/about") },
    silent: naming("{origin}/about"),
  },
  "can.unlinked": {
    fires: { "/": naming("{origin}/alone"), "/alone": good },
    silent: naming("{origin}/about"),
  },
  "can.cross_domain": { fires: naming("{out}/"), silent: naming("{origin}/about") },
  "can.noindex_conflict": {
    fires: naming("{origin}/about", '<meta name="robots" content="noindex">'),
    silent: naming("{origin}/about"),
  },
  "can.conflict_in_duplicate_cluster": {
    at: "/one",
    fires: { "/": linking("/one", "/two"), "/one": copy("{origin}/one"), "/two": copy("{origin}/two") },
    silent: { "/": linking("/one", "/two"), "/one": copy("{origin}/one"), "/two": copy("{origin}/one") },
  },
  "can.all_to_home": {
    fires: {
      "/": linking("/a", "/b", "/c", "/d", "/e"),
      ...Object.fromEntries(["/a", "/b", "/c", "/d", "/e"].map((path) => [path, naming("{origin}/")])),
    },
    silent: {
      "/": linking("/a", "/b", "/c", "/d", "/e"),
      ...Object.fromEntries(["/a", "/b", "/c", "/d", "/e"].map((path) => [path, good])),
    },
  },
};
