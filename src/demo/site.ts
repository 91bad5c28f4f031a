/** The whole demo site: every fixed resource by path, then the traps, then "not found". */
import { assets } from "./assets.ts";
import { boatPages } from "./boats.ts";
import { companyPages } from "./company.ts";
import { guidePages } from "./guides.ts";
import { journalPages } from "./journal.ts";
import { languagePages } from "./languages.ts";
import { errorPage, oddities } from "./oddities.ts";
import type { Resource } from "./resource.ts";
import { shopPages } from "./shop.ts";
import { sitemapFiles } from "./sitemaps.ts";
import { trapPage } from "./traps.ts";

/** HTML pages that answer 200, without the traps, which have no end. */
export const DEMO_PAGE_COUNT = 222;

export interface DemoSite {
  /** Every fixed resource by path. */
  resources: ReadonlyMap<string, Resource>;
  /** The answer to a request target, such as "/shop?page=2". */
  resolve(target: string): Resource;
}

/** Pages name themselves by absolute URL, so the site depends on the origin it is served from. */
export function buildDemoSite(origin: string): DemoSite {
  const resources = new Map<string, Resource>();
  const sections = [companyPages, shopPages, journalPages, guidePages, languagePages, boatPages, oddities, assets];
  for (const section of sections) {
    for (const [path, made] of section(origin)) resources.set(path, made);
  }
  for (const [path, made] of sitemapFiles(origin, pagePaths(resources))) resources.set(path, made);
  const notFound = errorPage(404, "Not found", "The tide took it. Try the shop, or the journal.");
  return {
    resources,
    resolve: (target) => {
      const mark = target.indexOf("?");
      const path = mark < 0 ? target : target.slice(0, mark);
      const query = mark < 0 ? "" : target.slice(mark + 1);
      return resources.get(path) ?? trapPage(path, query) ?? notFound;
    },
  };
}

export function pagePaths(resources: ReadonlyMap<string, Resource>): string[] {
  const paths: string[] = [];
  for (const [path, { status, headers }] of resources) {
    if (status === 200 && headers["content-type"]!.startsWith("text/html")) paths.push(path);
  }
  return paths;
}
