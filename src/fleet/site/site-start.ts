/** What a fleet crawl of sites begins with: the start URLs and sitemaps of its settings, or a list, as inbox rows. */
import type { Found } from "../../kernel/task.ts";
import { NAMED, SITE_META, type SiteMeta, siteMeta, type Via } from "../../site/links/link-kinds.ts";
import type { SiteConfig } from "../../site/site-config.ts";
import { readsSitemaps } from "../../site/site-seeds.ts";
import { siteCanonicalizer } from "../../site/url-rules.ts";
import { hostOf, prepareBase } from "../../web/url.ts";
import type { StartRow } from "../job.ts";
import { packFinds } from "../packed-finds.ts";
import { partOfLane } from "../partition.ts";

const seed = (key: string, via: Via, kind: "start" | "sitemap", flags = 0): Found<SiteMeta> => ({
  key,
  depth: 0,
  parent: 0,
  hops: 0,
  meta: siteMeta(via, kind, flags),
});

/** How many URLs are sorted by partition at once, so that a long list fills each row with some hundred. */
const TOGETHER = 20_000;

async function* together(batches: AsyncIterable<string[]> | Iterable<string[]>): AsyncGenerator<string[]> {
  let urls: string[] = [];
  for await (const batch of batches) {
    urls = urls.concat(batch);
    if (urls.length < TOGETHER) continue;
    yield urls;
    urls = [];
  }
  if (urls.length > 0) yield urls;
}

/** `batches` are canonical. Yields the rows of some thousand URLs at once. */
export async function* startRows(
  via: "initial" | "list",
  batches: AsyncIterable<string[]> | Iterable<string[]>,
  config: SiteConfig,
  parts: number,
): AsyncGenerator<StartRow[]> {
  for await (const urls of together(batches))
    yield rowsOf(
      urls.map((url) => seed(url, via, "start")),
      parts,
    );
  if (via === "list" || !readsSitemaps(config)) return;
  const canonicalize = siteCanonicalizer(config);
  const sitemaps = config.sitemapUrls
    .map((url) => canonicalize(url, prepareBase(url)))
    .filter((url) => typeof url === "string");
  yield rowsOf(
    sitemaps.map((url) => seed(url, "sitemap", "sitemap", NAMED)),
    parts,
  );
}

function rowsOf(finds: Found<SiteMeta>[], parts: number): StartRow[] {
  const byPart = new Map<number, Found<SiteMeta>[]>();
  for (const found of finds) {
    const part = partOfLane(hostOf(found.key), parts);
    const list = byPart.get(part);
    if (list === undefined) byPart.set(part, [found]);
    else list.push(found);
  }
  return [...byPart].map(([part, list]) => ({ part, bytes: packFinds(list, SITE_META) }));
}
