/** A crawl of many URLs that was never crawled: its database is written at once. */
import { mkdirSync, renameSync } from "node:fs";
import { after, before } from "node:test";
import type { App } from "../../src/app/app.ts";
import { siteDatabase } from "../../src/site/testing/site-database.ts";
import { type Serving, startServing } from "./serving.ts";

/** A server that has such a crawl, for all tests of a file. */
export function serveBigCrawl(urls: number): { readonly serving: Serving; readonly id: number } {
  const world = {} as { serving: Serving; id: number };
  const removals: (() => void)[] = [];
  before(async () => {
    world.serving = await startServing({}, false);
    world.id = addBigCrawl(world.serving.app, urls, (remove) => removals.push(remove));
  });
  after(async () => {
    await world.serving.close();
    for (const remove of removals) remove();
  });
  return world;
}

/** Returns its id. Every tenth page is broken. */
function addBigCrawl(app: App, urls: number, cleanUp: (remove: () => void) => void): number {
  const { registry, home } = app.crawls;
  const start = "https://big.test/";
  const projectId = registry.project(start, "big.test");
  const id = registry.addCrawl({ projectId, mode: "site", startUrls: [start], settings: {}, baselineId: null });
  const counts = {
    durationMs: 1_000,
    pages: urls,
    crawled: urls,
    discovered: urls,
    message: null,
    ending: null,
    progress: null,
  };
  registry.updateCrawl(id, { state: "completed", ...counts });
  const database = siteDatabase(
    { after: (remove) => cleanUp(remove as () => void) },
    Array.from({ length: urls }, (_, index) => ({
      url: `${start}${index === 0 ? "" : index}`,
      page: { status: index % 10 === 9 ? 404 : 200, title: `Page ${index}` },
    })),
  );
  mkdirSync(home.crawlFolder(id), { recursive: true });
  renameSync(database, home.crawlDatabase(id));
  return id;
}
