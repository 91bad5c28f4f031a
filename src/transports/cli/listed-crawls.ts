/** Crawls by number, as in the list of crawls, for commands that resume, stop, open or delete them. */
import type { App } from "../../app/app.ts";
import { listCrawls } from "../../app/operations/crawls.ts";
import { ask } from "../../app/operations/operation.ts";
import type { CrawlEntry } from "../../app/operations/shapes.ts";
import { TrawlError } from "../../errors.ts";

/** In this order. CRAWL_NOT_FOUND if one is missing. */
export async function listedCrawls(app: App, ids: Iterable<number>): Promise<CrawlEntry[]> {
  const all = new Map((await ask(app, listCrawls, {})).rows.map((crawl) => [crawl.id, crawl]));
  return [...ids].map((id) => {
    const crawl = all.get(id);
    if (crawl === undefined) throw new TrawlError("CRAWL_NOT_FOUND", `There is no crawl ${id}.`);
    return crawl;
  });
}

export const listedCrawl = async (app: App, id: number): Promise<CrawlEntry> => (await listedCrawls(app, [id]))[0]!;
