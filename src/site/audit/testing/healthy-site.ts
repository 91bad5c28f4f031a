/** A site of many pages with nothing wrong: every page is linked, listed in the sitemap, and has a text of its own. */
import type { Answer } from "./fixture.ts";
import { page } from "./healthy-page.ts";

/** Pages link to their neighbours and to the start, which links to all, so that no page is far away. */
export function healthySite(pages: number): Record<`/${string}`, Answer> {
  const paths = Array.from({ length: pages - 1 }, (_, at) => `/guide-${at + 1}`);
  const site: Record<string, Answer> = {};
  const add = (path: string, name: string, links: string[]): void => {
    const list = links.map(
      (to) => `<li><a href="${to}">Guide number ${to.replace(/\D/g, "") || "zero, the start"}</a></li>`,
    );
    site[path] = page({ name, links: false, words: 0, body: `<ul>${list.join("")}</ul><p>${words(name)}</p>` });
  };
  add("/", "guide zero of the harbour", paths);
  paths.forEach((path, at) => {
    add(path, `guide ${at + 1} of the harbour`, ["/", paths[(at + 1) % paths.length]!]);
  });
  const urls = ["/", ...paths].map((path) => `<url><loc>{origin}${path}</loc></url>`);
  site["/sitemap.xml"] = {
    type: "application/xml",
    body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`,
  };
  site["/robots.txt"] = { type: "text/plain", body: "User-agent: *\nDisallow:\nSitemap: {origin}/sitemap.xml\n" };
  // Every page of this site is in it.
  site["/about"] = { status: 404, body: "" };
  return site as Record<`/${string}`, Answer>;
}

const STARTS = "b d f g h k l m n p r s t w br cl dr fl gr pl st tr".split(" ");
const ENDS = "ack all and ap ark eam eat ell end est ick ill ind ip ock old ook oon ot ow".split(" ");

/** A text in plain words that differs from that of other pages. */
export function words(name: string): string {
  let state = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
  const next = (of: readonly string[]): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return of[Math.floor((state / 2 ** 32) * of.length)]!;
  };
  return Array.from({ length: 300 }, (_, at) => `${next(STARTS)}${next(ENDS)}${at % 8 === 7 ? "." : ""}`).join(" ");
}
