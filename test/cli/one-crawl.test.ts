/** One crawl of a project at a time on a machine, and stopping it from another process. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { App } from "../../src/app/app.ts";
import { openHome } from "../../src/app/home.ts";
import { startServer } from "../../src/transports/http/server.ts";
import { linking, tableSite } from "../site/table-site.ts";
import { finished, jsonLines, linesOf, Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

const PAGES = Array.from({ length: 2_000 }, (_, index) => `/${index}`);

test("a second crawl of a site is refused with exit code 1 and the id of the first; a server stops that one", async (t) => {
  const site = await tableSite(t, { "/": linking(...PAGES) });
  const app = new App({ version: "0", home: openHome({ TRAWL_HOME: `${trawl.folder}/home` }), updateCheck: false });
  t.after(() => app.close());
  const server = await startServer(app, { port: 0 });
  t.after(() => server.close());
  const child = trawl.start("crawl", site.url, "--rate", "20", "--json");
  const ended = finished(child);
  for await (const line of linesOf(child)) if (line.event !== undefined) break;

  const second = await trawl.run("crawl", site.url);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /Crawl 1 of 127\.0\.0\.1:\d+ is running already\..*trawl stop/s);
  const json = await trawl.run("crawl", site.url, "--json");
  assert.equal(json.code, 1);
  const { event, code, crawlId } = jsonLines(json.stdout).at(-1)!;
  assert.deepEqual([event, code, crawlId], ["error", "PROJECT_BUSY", 1]);

  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${server.token}` };
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()] as const;
  };
  const [status, problem] = await post("/crawl", { url: site.url });
  assert.deepEqual(
    [status, (problem as { code: string }).code, (problem as { crawlId: number }).crawlId],
    [409, "PROJECT_BUSY", 1],
  );
  assert.deepEqual(await post("/stop-crawl/1", {}), [200, { stopped: [1] }]);
  await ended;
  assert.equal(app.crawls.get(1).state, "stopped");
});

test("trawl pause pauses a crawl that a server runs, and trawl resume takes it over", async (t) => {
  const site = await tableSite(t, { "/": linking(...PAGES.slice(0, 60)) });
  const app = new App({ version: "0", home: openHome({ TRAWL_HOME: `${trawl.folder}/home` }), updateCheck: false });
  t.after(() => app.close());
  const { crawlId } = await app.activeCrawls.start({ url: site.url, settings: { rate: 20 }, since: null });
  const ending = app.activeCrawls.ended(crawlId)!;
  const { code, stdout } = await trawl.run("pause", "last");
  assert.deepEqual([code, stdout.trim()], [0, `Paused crawl ${crawlId}.`]);
  assert.equal((await ending).record.state, "paused");
  const again = await trawl.run("pause", String(crawlId));
  assert.deepEqual([again.code, again.stdout.trim()], [0, `Crawl ${crawlId} was paused already.`]);
  assert.equal((await trawl.run("resume", String(crawlId))).code, 0);
  assert.equal(app.crawls.get(crawlId).state, "completed");
  const ended = await trawl.run("pause", String(crawlId));
  assert.deepEqual([ended.code, ended.stdout.trim()], [0, `Crawl ${crawlId} had ended already.`]);
});

test("trawl stop stops a crawl that a server runs", async (t) => {
  const site = await tableSite(t, { "/": linking(...PAGES) });
  const app = new App({ version: "0", home: openHome({ TRAWL_HOME: `${trawl.folder}/home` }), updateCheck: false });
  t.after(() => app.close());
  const { crawlId } = await app.activeCrawls.start({ url: site.url, settings: { rate: 20 }, since: null });
  const ending = app.activeCrawls.ended(crawlId)!;
  const { code, stdout } = await trawl.run("stop", String(crawlId));
  assert.deepEqual([code, stdout.trim()], [0, `Stopped crawl ${crawlId}.`]);
  assert.equal((await ending).record.state, "stopped");
  const again = await trawl.json("stop", "last");
  assert.deepEqual([again.code, again.lines], [0, [{ id: crawlId, state: "stopped" }]]);
});
