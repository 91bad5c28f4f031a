/** Where a site crawl begins: its start URLs or its list, and its sitemaps. */
import type { CrawlContext, Source } from "../kernel/product.ts";
import type { Found, Task } from "../kernel/task.ts";
import type { RobotsKeeper } from "../politeness/robots-keeper.ts";
import { type Canonicalize, originOf, prepareBase } from "../web/url.ts";
import { GUESSED, NAMED, type SiteMeta, siteMeta, type Via } from "./links/link-kinds.ts";
import type { SiteConfig } from "./site-config.ts";
import type { Visit } from "./visit/site-visit.ts";

/** What to crawl first: the start URLs, or a list in batches; the same each time it is read. */
export interface Seeds {
  via: "initial" | "list";
  batches: AsyncIterable<string[]>;
}

/** What sources need from the crawl that reads them. */
export interface SourceParts {
  config: SiteConfig;
  /** Canonical URLs whose hosts are the site. */
  startUrls: string[];
  canonicalize: Canonicalize;
  robots: RobotsKeeper;
}

export type SiteSources = (parts: SourceParts) => Source<SiteMeta>[];

/** The seeds, and then the sitemaps of their hosts. */
export const seedSources =
  (seeds: Seeds): SiteSources =>
  (parts) => [
    (context) => firstUrls(seeds, parts.robots, context),
    () => sitemapUrls(seeds, parts),
    () => llmsUrls(seeds, parts),
  ];

/** URLs that are added while the crawl runs. */
export const listedSource = (urls: string[], robots: RobotsKeeper): Source<SiteMeta> => {
  async function* once(): AsyncGenerator<string[]> {
    yield urls;
  }
  return (context) => firstUrls({ via: "list", batches: once() }, robots, context);
};

const seed = (key: string, via: Via, kind: "start" | "sitemap" | "llms", flags = 0): Found<SiteMeta> => ({
  key,
  depth: 0,
  parent: 0,
  hops: 0,
  meta: siteMeta(via, kind, flags),
});

async function* firstUrls(
  seeds: Seeds,
  robots: RobotsKeeper,
  context: CrawlContext,
): AsyncGenerator<Found<SiteMeta>[]> {
  for await (const urls of seeds.batches) {
    // The first verdicts need robots.txt. A list may name thousands of hosts: theirs are read when their turn comes.
    if (seeds.via === "initial") await Promise.all(urls.map((url) => robots.load(url, false, context)));
    yield urls.map((url) => seed(url, seeds.via, "start"));
  }
}

/** Where sitemaps mostly are. The second is requested when the first does not exist. */
const FIRST_GUESS = "/sitemap.xml";
const SECOND_GUESS = "/sitemap_index.xml";

export const readsSitemaps = (config: SiteConfig): boolean =>
  config.discovery.includes("sitemap") && !config.singlePage;

export const readsLlms = (config: SiteConfig): boolean => config.discovery.includes("llms") && !config.singlePage;

/**
 * Many servers answer every address with a page. The target of a guess's redirect may still be a page that is wanted.
 */
export function isGuessThere({ via, kind }: SiteMeta, visit: Visit | null): boolean {
  if (visit === null || visit.response.status >= 400) return false;
  if (kind === "llms" && visit.redirect === null) return visit.contentType !== "text/html";
  const isPage = visit.redirect === null && visit.contentType === "text/html" && visit.links.targets.length === 0;
  return via === "redirect" || !isPage;
}

/** What to request after a wrong guess; null when the URL was not a guess. */
export function nextSitemapGuess(task: Task<SiteMeta>): Found<SiteMeta> | null {
  const origin = originOf(task.key);
  const isFirst = task.meta.isGuess && task.key === origin + FIRST_GUESS;
  return isFirst ? seed(origin + SECOND_GUESS, "sitemap", "sitemap", GUESSED) : null;
}

/** The sitemaps that robots.txt of another host of the site names. */
export const namedSitemaps = (origin: string, { robots, canonicalize }: Pick<SourceParts, "robots" | "canonicalize">) =>
  robots
    .sitemaps(`${origin}/`)
    .map((url) => canonicalize(url, prepareBase(`${origin}/`)))
    .filter((url) => typeof url === "string")
    .map((url) => seed(url, "sitemap", "sitemap", NAMED));

/** Where a host's sitemap may be if its robots.txt names none. */
export const guessedSitemap = (origin: string): Found<SiteMeta> =>
  seed(origin + FIRST_GUESS, "sitemap", "sitemap", GUESSED);

/** The sitemaps in the config and robots.txt; /sitemap.xml if robots.txt names none. */
async function* sitemapUrls(
  seeds: Seeds,
  { config, startUrls, canonicalize, robots }: SourceParts,
): AsyncGenerator<Found<SiteMeta>[]> {
  if (!readsSitemaps(config) || seeds.via === "list") return;
  const named = new Set(config.sitemapUrls);
  const guessed = new Set<string>();
  for (const origin of new Set(startUrls.map(originOf))) {
    const own = robots.sitemaps(`${origin}/`);
    for (const url of own) named.add(url);
    if (own.length === 0) guessed.add(origin + FIRST_GUESS);
  }
  const canonical = (urls: Set<string>): string[] =>
    [...urls].map((url) => canonicalize(url, prepareBase(startUrls[0]!))).filter((url) => typeof url === "string");
  // Named sitemaps come first, so that one offered again as a guess still counts as named.
  yield canonical(named).map((url) => seed(url, "sitemap", "sitemap", NAMED));
  yield canonical(guessed).map((url) => seed(url, "sitemap", "sitemap", GUESSED));
}

async function* llmsUrls(seeds: Seeds, { config, startUrls }: SourceParts): AsyncGenerator<Found<SiteMeta>[]> {
  if (!readsLlms(config) || seeds.via === "list") return;
  yield [...new Set(startUrls.map(originOf))].map((origin) => seed(`${origin}/llms.txt`, "llms", "llms", GUESSED));
}
