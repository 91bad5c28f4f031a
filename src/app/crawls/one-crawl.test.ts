/** One crawl of a project at a time, and stopping it from any process. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { test } from "node:test";
import { startKillableCrawl } from "../testing/killable-crawl.ts";
import { smallSite, temporaryHome } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";

const SLOW = { discovery: ["spider" as const], rate: 20 };

test("one crawl of a project at a time: a second start is refused with the id of the first", async (t) => {
  const [site, other] = [await smallSite(t, 500), await smallSite(t, 3)];
  const { app, crawl } = temporaryApp(t, { favicons: false });
  const start = (url: string) => app.activeCrawls.start({ url, settings: SLOW, since: null });
  const first = await start(site.url);
  const busy = { code: "PROJECT_BUSY", crawlId: first.crawlId };
  await assert.rejects(start(`${site.url}page/2`), busy);
  const list = Readable.from([`${other.url}\n`, `${site.url}page/3\n`]);
  await assert.rejects(app.activeCrawls.startList(Readable.from([`${site.url}page/3\n`]), { since: null }), busy);
  await app.activeCrawls.startList(list, { since: null });
  await crawl(other.url).catch((error) => assert.equal(error.code, "PROJECT_BUSY"));
  await app.activeCrawls.pause(first.crawlId);
  await assert.rejects(start(site.url), { ...busy, message: /paused/ }, "a paused crawl is not over");
  assert.equal(app.crawls.listOf(first.projectId).length, 1, "what was refused leaves nothing behind");
  assert.deepEqual(await app.activeCrawls.stopProject(first.projectId), { stopped: [first.crawlId] });
  const second = await start(site.url);
  await assert.rejects(app.activeCrawls.resume(first.crawlId), { code: "PROJECT_BUSY", crawlId: second.crawlId });
  await app.activeCrawls.stop(second.crawlId);
  assert.deepEqual(await app.activeCrawls.stopProject(first.projectId), { stopped: [] });
});

test("one crawl of a project at a time: of two starts at once, one is refused", async (t) => {
  const site = await smallSite(t, 500);
  const { app } = temporaryApp(t, { favicons: false });
  const start = () => app.activeCrawls.start({ url: site.url, settings: SLOW, since: null });
  const starts = await Promise.allSettled([start(), start(), start()]);
  assert.deepEqual(
    starts.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected"],
  );
  await app.activeCrawls.stop(1);
});

test("a crawl that another process runs is refused a second, and can be stopped from here", async (t) => {
  const site = await smallSite(t, 100_000);
  const { app } = temporaryApp(t, { favicons: false });
  const child = await startKillableCrawl(t, app.home, site.url);
  const exit = once(child, "exit");
  const start = () => app.activeCrawls.start({ url: site.url, settings: SLOW, since: null });
  await assert.rejects(start(), { code: "PROJECT_BUSY", crawlId: 1 });
  assert.deepEqual(await app.activeCrawls.stopProject(1), { stopped: [1] });
  const asked = site.asked.length;
  assert.equal(app.crawls.get(1).state, "stopped");
  assert.equal(app.crawls.isHeld(1), false);
  await exit;
  assert.equal(site.asked.length, asked, "no request follows");
  // What was asked of that process is not asked of the next.
  await app.activeCrawls.resume(1);
  assert.equal(app.activeCrawls.list()[0]!.state, "running");
  assert.equal(app.crawls.registry.asked(1), null);
  await app.activeCrawls.stop(1);
});

test("a crawl that another process runs can be paused from here, and resumed", async (t) => {
  const site = await smallSite(t, 100_000);
  const { app } = temporaryApp(t, { favicons: false });
  const child = await startKillableCrawl(t, app.home, site.url);
  const exit = once(child, "exit");
  await app.activeCrawls.pause(1);
  const asked = site.asked.length;
  assert.equal(app.crawls.get(1).state, "paused");
  assert.equal(app.crawls.isHeld(1), false, "its process lets it go");
  await exit;
  assert.equal(site.asked.length, asked, "no request follows");
  await app.activeCrawls.resume(1);
  assert.equal(app.activeCrawls.list()[0]!.state, "running");
  assert.equal(app.crawls.registry.asked(1), null, "what was asked of that process is not asked of the next");
  await app.activeCrawls.stop(1);
});

test("a crawl that another process has paused is taken over by the process that resumes it", async (t) => {
  const site = await smallSite(t, 500);
  const home = temporaryHome(t);
  const [first, second] = [temporaryApp(t, { home, favicons: false }), temporaryApp(t, { home, favicons: false })];
  const { crawlId } = await first.app.activeCrawls.start({ url: site.url, settings: SLOW, since: null });
  await first.app.activeCrawls.pause(crawlId);
  await second.app.activeCrawls.resume(crawlId);
  assert.equal(first.app.activeCrawls.has(crawlId), false);
  assert.deepEqual(
    second.app.activeCrawls.list().map(({ state, isOwn }) => [state, isOwn]),
    [["running", true]],
  );
  await second.app.activeCrawls.stop(crawlId);
});

test("a crawl whose process died does not keep its project from being crawled", async (t) => {
  const site = await smallSite(t, 100_000);
  const { app } = temporaryApp(t, { favicons: false });
  const child = await startKillableCrawl(t, app.home, site.url);
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
  assert.deepEqual(await app.activeCrawls.stopProject(1), { stopped: [] }, "nothing is active any more");
  const { crawlId } = await app.activeCrawls.start({ url: site.url, settings: SLOW, since: null });
  await app.activeCrawls.stop(crawlId);
  await app.activeCrawls.stop(1);
  assert.equal(app.crawls.get(1).state, "stopped");
});
