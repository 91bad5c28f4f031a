/** A crawl of many URLs that was never crawled: its database is written at once. */
import { mkdirSync, renameSync } from "node:fs";
import type { App } from "../../src/app/app.ts";
import { siteDatabase } from "../../src/site/testing/site-database.ts";

/** Returns its id. Every tenth page is broken. */
export function addBigCrawl(app: App, urls: number, cleanUp: (remove: () => void) => void): number {
  const { registry, home } = app.crawls;
  const start = "https://big.test/";
  const projectId = registry.project(start, "big.test");
  const id = registry.addCrawl({ projectId, mode: "site", startUrls: [start], settings: {}, baselineId: null });
  const counts = { durationMs: 1_000, crawled: urls, discovered: urls, message: null, progress: null };
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
