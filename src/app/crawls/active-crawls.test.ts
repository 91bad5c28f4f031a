import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { serveHttp } from "../../net/testing/servers.ts";
import { until } from "../../net/testing/until.ts";
import { startKillableCrawl } from "../testing/killable-crawl.ts";
import { smallSite, temporaryHome } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";

const settings = { discovery: ["spider" as const], checkResources: false };

/** A site whose answers wait until they are let go; it knows the most that were under way at once. */
async function heldSite(t: Parameters<typeof smallSite>[0], pages: number, shared = { underWay: 0, most: 0 }) {
  const held: (() => void)[] = [];
  const server = await serveHttp(t, ({ url = "/" }, response) => {
    const answer = () => {
      shared.underWay--;
      const links = Array.from({ length: pages }, (_, index) => `<a href="/page/${index}">x</a>`).join("");
      response.writeHead(url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" }).end(links);
    };
    shared.most = Math.max(shared.most, ++shared.underWay);
    held.push(answer);
  });
  return { url: `${server.origin}/`, held, server };
}

test("active crawls: a crawl is started, announced, listed while it runs, and leaves the list when it ends", async (t) => {
  const site = await smallSite(t, 15);
  const { app, events } = temporaryApp(t);
  const { crawlId, projectId } = await app.activeCrawls.start({ url: site.url, settings, since: null });
  const [running] = app.activeCrawls.list();
  assert.deepEqual(
    [running!.crawlId, running!.projectId, running!.isOwn, running!.url],
    [crawlId, projectId, true, site.url],
  );
  const { record } = (await app.activeCrawls.ended(crawlId))!;
  assert.deepEqual([record.state, record.crawled], ["completed", 15]);
  assert.deepEqual(app.activeCrawls.list(), []);
  assert.deepEqual(events[0], { type: "crawl:started", crawlId, projectId });
  assert.deepEqual(events.at(-1), { type: "crawl:completed", crawlId, projectId });
  const { progress, statuses } = app.activeCrawls.live(crawlId);
  assert.deepEqual([progress.state, progress.isOwn, progress.pagesCrawled, progress.open], ["completed", false, 15, 0]);
  assert.deepEqual(statuses, [{ value: 200, count: 15 }]);
});

test("active crawls: a crawl that is about to start is not one of another process, and is listed all the same", async (t) => {
  const site = await smallSite(t, 3);
  const { app } = temporaryApp(t);
  const input = new PassThrough();
  const starting = app.activeCrawls.startList(input, { settings, since: null });
  input.write(`${site.url}page/1\n`);
  await until(() => app.crawls.list().length === 1);
  const { id } = app.crawls.list()[0]!;
  assert.deepEqual([app.crawls.isOwn(id), app.crawls.isHeld(id)], [true, true]);
  assert.deepEqual(app.activeCrawls.others(), []);
  assert.deepEqual(
    app.activeCrawls.list().map(({ crawlId, state }) => [crawlId, state]),
    [[id, "running"]],
  );
  input.end();
  const { crawlId } = await starting;
  await app.activeCrawls.ended(crawlId);
  assert.deepEqual([crawlId, app.crawls.isOwn(id)], [id, false]);
});

test("active crawls: what cannot be started leaves nothing behind", async (t) => {
  const { app } = temporaryApp(t);
  const wrong: [Parameters<typeof app.activeCrawls.start>[0], string][] = [
    [{ since: null }, "BAD_USAGE"],
    [{ url: "example.com", urls: ["example.com"], since: null }, "BAD_USAGE"],
    [{ url: "ftp://example.com", since: null }, "BAD_URL"],
    [{ urls: ["example.com", "mailto:x@y.test"], since: null }, "BAD_URL"],
    [{ url: "example.com", settings: { exclude: ["/(/"] }, since: null }, "BAD_CONFIG"],
    [{ url: "example.com", since: "last" }, "CRAWL_NOT_FOUND"],
  ];
  for (const [request, code] of wrong) await assert.rejects(app.activeCrawls.start(request), { code });
  assert.deepEqual(app.projects.list(), []);
});

test("active crawls: settings are the given ones over the project's over the defaults", async (t) => {
  const site = await smallSite(t, 31);
  const { app } = temporaryApp(t);
  app.configs.update({ url: site.url, discoveryMechanisms: ["spider"], settings: { maxUrls: 9, maxDepth: 1 } });
  const { crawlId } = await app.activeCrawls.start({ url: site.url, settings: { maxDepth: 2 }, since: null });
  const { record } = (await app.activeCrawls.ended(crawlId))!;
  assert.equal(record.crawled, 7);
});

test("active crawls: a list is one crawl", async (t) => {
  const site = await smallSite(t, 31);
  const { app } = temporaryApp(t);
  const urls = [3, 5, 9].map((number) => `${site.url}page/${number}`);
  const { crawlId, projectId } = await app.activeCrawls.start({ urls, settings, since: null });
  const { record } = (await app.activeCrawls.ended(crawlId))!;
  assert.deepEqual([record.mode, record.crawled, record.projectId], ["list", 3, projectId]);
});

test("active crawls: paused here it goes on here, and pauses are not part of its duration", async (t) => {
  const site = await heldSite(t, 20);
  const { app, reached } = temporaryApp(t);
  const { crawlId } = await app.activeCrawls.start({
    url: site.url,
    settings: { ...settings, detectSoft404: false },
    since: null,
  });
  await until(() => site.held.length === 1);
  site.held.shift()!();
  await until(() => site.held.length === 1);
  site.held.shift()!();
  await until(() => site.held.length === 5);
  const pausing = app.activeCrawls.pause(crawlId);
  await reached(crawlId, ({ state }) => state === "pausing");
  for (const answer of site.held.splice(0)) answer();
  assert.deepEqual(await pausing, { done: true });
  const paused = app.activeCrawls.list()[0]!;
  assert.deepEqual([paused.state, paused.inFlight, paused.pagesCrawled], ["paused", 0, 6]);
  assert.equal(app.crawls.get(crawlId).state, "paused", "other processes can read it");
  assert.throws(() => app.crawlData.remove(crawlId), { code: "CRAWL_BUSY" });
  assert.equal(site.held.length, 0);
  await app.activeCrawls.pause(crawlId);

  const pausedAt = performance.now();
  await until(() => performance.now() > pausedAt + 5);
  assert.equal(app.activeCrawls.list()[0]!.durationMs, paused.durationMs);
  await app.activeCrawls.resume(crawlId);
  const timer = setInterval(() => site.held.shift()?.(), 0);
  t.after(() => clearInterval(timer));
  const { record } = (await app.activeCrawls.ended(crawlId))!;
  assert.deepEqual([record.state, record.crawled], ["completed", 21]);
  await assert.rejects(app.activeCrawls.resume(crawlId), { code: "WRONG_STATE" });
});

test("active crawls: a stop leaves no socket, and the crawl is opened again where it was", async (t) => {
  const site = await heldSite(t, 20);
  const { app, events } = temporaryApp(t);
  const { crawlId, projectId } = await app.activeCrawls.start({ url: site.url, settings, since: null });
  for (let answered = 0; answered < 2; answered++) {
    await until(() => site.held.length === 1);
    site.held.shift()!();
  }
  await until(() => site.held.length === 5);
  assert.deepEqual(await app.activeCrawls.stop(crawlId), { done: true, openSockets: 0 });
  await until(() => site.server.sockets.size === 0);
  const asked = site.server.requests;
  assert.equal(app.crawls.get(crawlId).state, "stopped");
  assert.deepEqual(events.at(-1), { type: "crawl:stopped", crawlId, projectId });
  assert.deepEqual(await app.activeCrawls.stop(crawlId), { done: true, openSockets: 0 });
  assert.deepEqual(await app.activeCrawls.pause(crawlId), { done: true });
  assert.equal(site.server.requests, asked);

  site.held.length = 0;
  const timer = setInterval(() => site.held.shift()?.(), 0);
  t.after(() => clearInterval(timer));
  await app.activeCrawls.resume(crawlId);
  const { record } = (await app.activeCrawls.ended(crawlId))!;
  assert.deepEqual([record.state, record.crawled], ["completed", 21]);
  assert.deepEqual(app.activeCrawls.live(crawlId).statuses, [{ value: 200, count: 21 }]);
});

test("active crawls: errors and speed can still be read after the crawl has ended", async (t) => {
  const site = await smallSite(t, 3, (path, response) => {
    if (path === "/page/3") response.writeHead(503).end();
    return path === "/page/3";
  });
  const { app } = temporaryApp(t);
  const { crawlId } = await app.activeCrawls.start({
    url: site.url,
    settings: { ...settings, retries: 0 },
    since: null,
  });
  await app.activeCrawls.ended(crawlId);
  const { series, lastErrors: errors } = app.activeCrawls.live(crawlId);
  assert.deepEqual(
    errors.filter(({ url }) => url.endsWith("/page/3")).map(({ error }) => error),
    ["status 503"],
  );
  assert.ok(series.length > 0);
});

test("active crawls: two at once stay under the cap of the process, and both go on", async (t) => {
  const shared = { underWay: 0, most: 0 };
  const sites = [await heldSite(t, 15, shared), await heldSite(t, 15, shared)];
  const { app } = temporaryApp(t, { maxFetches: 3 });
  const starts = sites.map(({ url }) =>
    app.activeCrawls.start({ url, settings: { ...settings, parallelism: 10 }, since: null }),
  );
  const ids = (await Promise.all(starts)).map(({ crawlId }) => crawlId);
  // robots.txt and the first page of each; from there on both have more to ask than the cap allows.
  for (const { held } of [...sites, ...sites]) {
    await until(() => held.length === 1);
    held.shift()!();
  }
  await until(() => shared.underWay === 3);
  const timer = setInterval(() => {
    for (const { held } of sites) for (const answer of held.splice(0)) answer();
  }, 0);
  t.after(() => clearInterval(timer));
  const ends = await Promise.all(ids.map((id) => app.activeCrawls.ended(id)!));
  assert.deepEqual(
    ends.map(({ record }) => record.crawled),
    [16, 16],
  );
  assert.equal(shared.most, 3);
});

test("active crawls: that of a project is stopped, and others are left alone", async (t) => {
  const [one, other] = [await heldSite(t, 5), await heldSite(t, 5)];
  const { app } = temporaryApp(t);
  const first = await app.activeCrawls.start({ url: one.url, settings, since: null });
  const third = await app.activeCrawls.start({ url: other.url, settings, since: null });
  assert.deepEqual(await app.activeCrawls.stopProject(first.projectId), { stopped: [first.crawlId] });
  assert.deepEqual(
    app.activeCrawls.list().map(({ crawlId }) => crawlId),
    [third.crawlId],
  );
  assert.deepEqual(await app.activeCrawls.stopProject(first.projectId), { stopped: [] });
  await assert.rejects(app.activeCrawls.stopProject(99), { code: "PROJECT_NOT_FOUND" });
});

test("active crawls: another process's crawl is seen, not resumed; killed, it is paused and resumed here", async (t) => {
  const home = temporaryHome(t);
  const site = await smallSite(t, 15);
  const child = await startKillableCrawl(t, home, site.url);
  const { app, events } = temporaryApp(t, { home });
  const [other] = app.activeCrawls.list();
  assert.deepEqual([other!.crawlId, other!.state, other!.isOwn], [1, "running", false]);
  await assert.rejects(app.activeCrawls.resume(1), { code: "CRAWL_BUSY" });
  assert.deepEqual(app.activeCrawls.live(1).hosts, []);
  assert.throws(() => app.projects.remove(other!.projectId), { code: "CRAWL_BUSY" });
  child.kill("SIGKILL");
  await once(child, "exit");

  assert.deepEqual(app.activeCrawls.list(), []);
  assert.equal(app.projects.list()[0]!.latestState, "paused");
  await app.activeCrawls.resume(1);
  const { record } = (await app.activeCrawls.ended(1))!;
  assert.deepEqual([record.state, record.crawled], ["completed", 15]);
  assert.deepEqual([events[0]!.type, events.at(-1)!.type], ["crawl:started", "crawl:completed"]);
});

test("active crawls: closing the app pauses them for the next one, and no request follows", async (t) => {
  const home = temporaryHome(t);
  const site = await heldSite(t, 20);
  const { app } = temporaryApp(t, { home });
  const { crawlId } = await app.activeCrawls.start({ url: site.url, settings, since: null });
  await until(() => site.held.length === 1);
  await app.close();
  await until(() => site.server.sockets.size === 0);
  const next = temporaryApp(t, { home });
  assert.equal(next.app.projects.list()[0]!.latestState, "paused");
  const timer = setInterval(() => site.held.shift()?.(), 0);
  t.after(() => clearInterval(timer));
  await next.app.activeCrawls.resume(crawlId);
  assert.equal((await next.app.activeCrawls.ended(crawlId))!.record.crawled, 21);
});
