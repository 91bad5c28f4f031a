import assert from "node:assert/strict";
import { test } from "node:test";
import { about } from "./operations/index.ts";
import { smallSite, temporaryHome } from "./testing/small-site.ts";
import { temporaryApp } from "./testing/temporary-app.ts";

test("app: reports its version, and does not check for a newer one when that is off", async (t) => {
  const { app } = temporaryApp(t, { version: "1.2.3", updateCheck: false, runNpm: () => assert.fail("asked") });
  assert.deepEqual(await about.getVersion.run(app, {}), { version: "1.2.3" });
  const update = await about.checkForUpdate.run(app, {});
  assert.deepEqual([update.current, update.isOff], ["1.2.3", true]);
});

test("app: closed twice is closed once, with a crawl under way or not", async (t) => {
  const site = await smallSite(t, 31);
  const { app } = temporaryApp(t);
  const { crawlId } = await app.activeCrawls.start({ url: site.url, settings: { rate: 5 }, since: null });
  const ended = app.activeCrawls.ended(crawlId)!;
  await Promise.all([app.close(), app.close()]);
  assert.equal((await ended).record.state, "paused");
});

test("app: a crawl that is on its way while the app closes is stopped too", async (t) => {
  const home = temporaryHome(t);
  const site = await smallSite(t, 31);
  const { app } = temporaryApp(t, { home });
  const starting = app.activeCrawls.start({ url: site.url, settings: { rate: 5 }, since: null });
  const closing = app.activeCrawls.close();
  const { crawlId } = await starting;
  await closing;
  await app.activeCrawls.ended(crawlId);
  await app.close();
  assert.equal(temporaryApp(t, { home }).app.crawls.get(crawlId).state, "paused");
});

test("app: a schedule crawls the project with its own settings, and tells a webhook what changed", async (t) => {
  const answers = { title: "Page 2" };
  const site = await smallSite(t, 7, (path, response) => {
    if (path !== "/page/2") return false;
    response.writeHead(200, { "content-type": "text/html" }).end(`<title>${answers.title}</title>`);
    return true;
  });
  const posted: Record<string, unknown>[] = [];
  const { app, crawl } = temporaryApp(t, {
    postWebhook: async (_url, body) => {
      posted.push(JSON.parse(body) as Record<string, unknown>);
      return 200;
    },
  });
  const first = await crawl(site.url);
  const { projectId } = app.crawls.get(first);
  app.configs.update({ url: site.url, settings: { discovery: ["spider"], checkResources: false } });
  app.schedules.set({
    ...{ projectId, cron: "@yearly", timezone: "UTC", jitterSeconds: 0, isEnabled: true },
    ...{ webhook: "https://hooks.test/", notifyOn: ["changed"] },
  });
  answers.title = "Another title";
  const { crawlId } = await app.schedules.runNow(projectId);
  await app.scheduler.idle();
  assert.deepEqual(posted[0]!["changes"], {
    previousId: first,
    added: 0,
    gone: 0,
    notCrawled: 0,
    changed: 1,
    removed: 0,
  });
  assert.equal(app.crawls.get(crawlId).crawled, 5);
  assert.deepEqual(app.schedules.list()[0]!.lastRuns[0]!.state, "completed");
  app.projects.remove(projectId);
  assert.deepEqual(app.schedules.list(), []);
});
