import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { smallSite } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";

test("projects: one a site, the one crawled last first, with its history", async (t) => {
  const [one, other] = [await smallSite(t, 3), await smallSite(t, 7)];
  const { app, crawl } = temporaryApp(t);
  await crawl(one.url);
  await crawl(other.url);
  await crawl(one.url, { maxUrls: 2 });
  const projects = app.projects.list();
  assert.deepEqual(
    projects.map(({ url, domain, latestCrawlId, latestState, pagesCrawled, crawls }) => [
      ...[url, domain, latestCrawlId, latestState, pagesCrawled, crawls],
    ]),
    [
      [one.url, new URL(one.url).host, 3, "limit_reached", 2, 2],
      [other.url, new URL(other.url).host, 2, "completed", 7, 1],
    ],
  );
  assert.deepEqual(
    projects[0]!.history.map(({ id, pages }) => [id, pages]),
    [
      [1, 3],
      [3, 2],
    ],
  );
  assert.deepEqual(
    app.projects.crawls(projects[0]!.id).map(({ id, state, mode, url }) => [id, state, mode, url]),
    [
      [3, "limit_reached", "site", one.url],
      [1, "completed", "site", one.url],
    ],
  );
  assert.throws(() => app.projects.crawls(99), { code: "PROJECT_NOT_FOUND" });
});

test("projects: deleted with crawls, data and settings, but not while one of them is worked on", async (t) => {
  const site = await smallSite(t, 7);
  const { app, crawl } = temporaryApp(t);
  await crawl(site.url);
  app.configs.update({ url: site.url, settings: { maxUrls: 5 } });
  app.crawlData.urls({
    ...{ id: 1, fields: ["url"], filter: [], search: null, sort: null },
    ...{ limit: 5, cursor: null, offset: null },
  });
  const { crawlId, projectId } = await app.activeCrawls.start({ url: site.url, settings: { rate: 1 }, since: null });
  assert.throws(() => app.projects.remove(projectId), { code: "CRAWL_BUSY" });
  assert.equal(app.projects.crawls(projectId).length, 2, "nothing of it is gone");
  await app.activeCrawls.stop(crawlId);
  assert.deepEqual(app.projects.remove(projectId), { done: true });
  assert.deepEqual(app.projects.list(), []);
  assert.equal(existsSync(app.home.crawlFolder(1)), false);
  assert.deepEqual(app.configs.get(site.url).changed, []);
  assert.throws(() => app.projects.remove(projectId), { code: "PROJECT_NOT_FOUND" });
});
