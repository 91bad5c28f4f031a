/**
 * The inbox of a partition as a source of its crawl. The commit that admits a row's finds, or a later one, uses the row
 * up: its note follows after the kernel has been offered all of the finds.
 */
import type { CrawlContext } from "../../kernel/product.ts";
import type { Found } from "../../kernel/task.ts";
import { SITE_META, type SiteMeta } from "../../site/links/link-kinds.ts";
import { guessedSitemap, namedSitemaps, readsSitemaps, type SourceParts } from "../../site/site-seeds.ts";
import { siteHosts } from "../../site/url-rules.ts";
import { originOf } from "../../web/url.ts";
import { consumedNote, foreignNote } from "../fleet-notes.ts";
import type { PartInbox } from "../inbox.ts";
import { unpackFinds } from "../packed-finds.ts";

export interface SiteSourceOptions {
  inbox: PartInbox;
  owns: (url: string) => boolean;
}

export async function* inboxFinds(
  { inbox, owns }: SiteSourceOptions,
  parts: SourceParts,
  context: CrawlContext,
): AsyncGenerator<Found<SiteMeta>[]> {
  const hosts = new NewHosts(parts, owns);
  for (;;) {
    const rows = await inbox.next();
    if (rows.length === 0) return;
    const finds = rows.flatMap(({ bytes }) => unpackFinds(bytes, SITE_META));
    const sitemaps = await hosts.meet(finds, context);
    yield finds;
    yield sitemaps;
    context.note(consumedNote(rows.map(({ seq }) => seq)));
  }
}

/** Hosts of the site that appear for the first time: their robots.txt is read before their URLs are decided. */
class NewHosts {
  readonly #parts: SourceParts;
  readonly #owns: (url: string) => boolean;
  readonly #isInternal: (url: string) => boolean;
  readonly #met = new Set<string>();

  constructor(parts: SourceParts, owns: (url: string) => boolean) {
    const scope = siteHosts(parts.config, parts.startUrls);
    this.#parts = parts;
    this.#owns = owns;
    this.#isInternal = (url) => scope.classify(url).internal;
  }

  /** Returns the sitemaps of the new hosts that are this partition's own; the others are sent on. */
  async meet(finds: readonly Found<SiteMeta>[], context: CrawlContext): Promise<Found<SiteMeta>[]> {
    const { robots, config } = this.#parts;
    const origins = new Map<string, boolean>();
    for (const { key, meta } of finds) {
      // A list may name thousands of hosts, so their robots.txt is read when their turn comes.
      if (meta.via === "list" || !this.#isInternal(key)) continue;
      const origin = originOf(key);
      const isStart = meta.via === "initial";
      if (!this.#met.has(origin) || isStart) origins.set(origin, isStart || origins.get(origin) === true);
    }
    if (origins.size === 0) return [];
    for (const origin of origins.keys()) this.#met.add(origin);
    await robots.loadAll([...origins.keys()], config.parallelism, context);
    if (!readsSitemaps(config)) return [];
    const sitemaps = [...origins].flatMap(([origin, isStart]) => {
      const named = namedSitemaps(origin, this.#parts);
      return named.length === 0 && isStart ? [guessedSitemap(origin)] : named;
    });
    const foreign = sitemaps.filter(({ key }) => !this.#owns(key));
    if (foreign.length > 0) context.note(foreignNote(foreign, SITE_META));
    return sitemaps.filter(({ key }) => this.#owns(key));
  }
}
