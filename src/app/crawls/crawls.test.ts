import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PassThrough, Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { parseConfig, type SiteOptions } from "../../site/site-config.ts";
import { startKillableCrawl } from "../testing/killable-crawl.ts";
import { smallSite, temporaryCrawls, temporaryHome } from "../testing/small-site.ts";
import type { ActiveCrawl } from "./active-crawl.ts";
import { Crawls } from "./crawls.ts";

const config = (options: SiteOptions = {}) => parseConfig({ discovery: ["spider"], checkResources: false, ...options });

const urlsOf = (crawls: Crawls, id: number, filters: string[] = []): string[] => {
  const reader = crawls.read(id);
  try {
    return [...reader.each({ fields: ["url"], filters, search: null })].map(
      (row) => new URL(row["url"] as string).pathname,
    );
  } finally {
    reader.close();
  }
};

/** A crawl of `pages` pages, stopped after a few of them. */
async function stoppedCrawl(t: TestContext, crawls: Crawls, pages: number): Promise<{ id: number; asked: string[] }> {
  const site = await smallSite(t, pages);
  let visits = 0;
  const active: ActiveCrawl = await crawls.start(site.url, {
    config: config({ parallelism: 2 }),
    events: { onVisit: () => void (++visits === 5 && active.site.stop()) },
  });
  const end = await active.ended;
  assert.deepEqual([end.state, end.record.state], ["stopped", "paused"]);
  return { id: active.id, asked: site.asked };
}

test("crawls: started, completed, listed, read, removed", async (t) => {
  const site = await smallSite(t, 7);
  const crawls = temporaryCrawls(t);
  const active = await crawls.start(site.url, { config: config() });
  assert.equal(active.record.state, "running");
  assert.equal(crawls.get(active.id).state, "running");
  assert.throws(() => crawls.remove(active.id), { code: "CRAWL_BUSY" });
  assert.throws(() => crawls.resume(active.id), { code: "CRAWL_BUSY" });
  const { state, record } = await active.ended;
  assert.deepEqual([state, record.state, record.crawled, record.message], ["completed", "completed", 7, null]);
  assert.ok(record.durationMs > 0);
  assert.deepEqual(
    crawls.list().map(({ id, domain }) => [id, domain]),
    [[1, new URL(site.url).host]],
  );
  assert.equal(urlsOf(crawls, 1).length, 7);
  assert.equal(crawls.canonical(1, `${site.url}page/1?utm_source=x`), `${site.url}page/1`);

  crawls.remove(1);
  assert.equal(existsSync(crawls.home.crawlFolder(1)), false);
  assert.deepEqual(crawls.list(), []);
  for (const gone of [() => crawls.get(1), () => crawls.read(1), () => crawls.remove(1), () => crawls.resume(1)]) {
    assert.throws(gone, { code: "CRAWL_NOT_FOUND" });
  }
});

test("crawls: a start that cannot be is refused before anything is kept", async (t) => {
  const crawls = temporaryCrawls(t);
  await assert.rejects(crawls.start("ftp://example.com", { config: config() }), { code: "BAD_URL" });
  await assert.rejects(crawls.start("example.com", { config: config(), since: "last" }), { code: "CRAWL_NOT_FOUND" });
  await assert.rejects(crawls.start("example.com", { config: config(), since: 7 }), { code: "CRAWL_NOT_FOUND" });
  assert.deepEqual(crawls.list(), []);
});

test("crawls: the earlier crawl of another site has nothing to compare with, and is refused", async (t) => {
  const [site, other] = [await smallSite(t, 2), await smallSite(t, 2)];
  const crawls = temporaryCrawls(t);
  await (await crawls.start(site.url, { config: config() })).ended;
  const { host } = new URL(other.url);
  await assert.rejects(crawls.start(other.url, { config: config(), since: 1 }), {
    code: "BAD_USAGE",
    message: `Crawl 1 is of ${new URL(site.url).host}, not of ${host}.`,
  });
  assert.deepEqual(crawls.list().length, 1);
});

test("crawls: one that fails to start leaves nothing: no crawl, no folder, no project, no lock", async (t) => {
  const crawls = temporaryCrawls(t);
  const refused = [
    { settings: config({ exclude: ["/(/"] }), code: "BAD_CONFIG" },
    { settings: config({ ca: "/no/such.pem" }), code: "FILE_NOT_READABLE" },
  ];
  for (const { settings, code } of refused) {
    await assert.rejects(crawls.start("example.com", { config: settings }), { code });
    await assert.rejects(crawls.startList(listOf("https://example.com/"), { configFor: () => settings }), { code });
  }
  assert.deepEqual([crawls.list(), crawls.registry.projects()], [[], []]);
  assert.deepEqual(readdirSync(dirname(crawls.home.crawlFolder(1))), []);
});

test("crawls: a stopped crawl is resumed with its own settings, and asks for nothing twice", async (t) => {
  const crawls = temporaryCrawls(t);
  const { id, asked } = await stoppedCrawl(t, crawls, 31);
  const before = crawls.get(id);
  const active = await crawls.resume(id);
  const { record } = await active.ended;
  assert.deepEqual([record.state, record.crawled, record.discovered], ["completed", 31, 31]);
  assert.deepEqual(record.settings, before.settings);
  assert.ok(record.durationMs >= before.durationMs);
  assert.equal(urlsOf(crawls, id, ["status=200"]).length, 31);
  // What was under way at the stop is fetched again; nothing else is.
  const repeated = asked.length - new Set(asked).size;
  assert.ok(repeated <= 2, `${repeated} requests were made twice`);
});

test("crawls: one whose process was killed shows as paused, and can be resumed", async (t) => {
  const home = temporaryHome(t);
  const site = await smallSite(t, 15);
  const child = await startKillableCrawl(t, home, site.url);
  const crawls = temporaryCrawls(t, home);
  assert.equal(crawls.get(1).state, "running");
  assert.throws(() => crawls.resume(1), { code: "CRAWL_BUSY" });
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(crawls.get(1).state, "paused");
  assert.equal(crawls.list()[0]!.state, "paused");
  const { record } = await (await crawls.resume(1)).ended;
  assert.deepEqual([record.state, record.crawled], ["completed", 15]);
});

test("crawls: two processes do not work on one crawl, even when both think that it is free", async (t) => {
  const home = temporaryHome(t);
  const crawls = temporaryCrawls(t, home);
  const { id } = await stoppedCrawl(t, crawls, 31);
  const both = await Promise.allSettled([crawls.resume(id), temporaryCrawls(t, home).resume(id)]);
  const running = both.filter((result) => result.status === "fulfilled");
  assert.equal(running.length, 1);
  await running[0]!.value.ended;
});

test("crawls: since an earlier crawl, pages are requested conditionally", async (t) => {
  const site = await smallSite(t, 3);
  const crawls = temporaryCrawls(t);
  await (await crawls.start(site.url, { config: config() })).ended;
  const again = await crawls.start(site.url, { config: config(), since: "last" });
  assert.equal(again.record.baselineId, 1);
  assert.equal((await again.ended).record.crawled, 3);
  crawls.remove(1);
  // The baseline is gone: the crawl is made whole, not refused.
  const { record } = await (await crawls.resume(2)).ended;
  assert.equal(record.state, "completed");
});

test("crawls: a site where nothing answers is a failed crawl, and no baseline", async (t) => {
  const crawls = temporaryCrawls(t);
  // A port that was free a moment ago.
  const site = await smallSite(t, 1);
  const dead = site.url.replace(/:\d+/, ":1");
  const { record } = await (await crawls.start(dead, { config: config({ retries: 0 }) })).ended;
  assert.equal(record.state, "failed");
  assert.match(record.message!, /did not answer\. The server refused the connection/);
  await assert.rejects(crawls.start(dead, { config: config(), since: "last" }), { code: "CRAWL_NOT_FOUND" });
});

const listOf = (...lines: string[]) => Readable.from([lines.join("\n")]);

test("crawls: a list is fetched, each URL once in its canonical form, and nothing that it links to", async (t) => {
  const site = await smallSite(t, 31);
  const crawls = temporaryCrawls(t);
  const lines = ["page/3", "page/5", "page/5#x", "page/5?utm_source=x", "page/%35", "missing"].map(
    (path) => site.url + path,
  );
  const { active, list } = await crawls.startList(listOf(...lines, "no url"), { configFor: () => parseConfig({}) });
  assert.deepEqual([list.urls, list.rejectedCount], [6, 1]);
  const { record } = await active.ended;
  assert.deepEqual([record.mode, record.state, record.crawled], ["list", "completed", 3]);
  assert.equal(record.domain, new URL(site.url).host);
  assert.deepEqual(urlsOf(crawls, active.id, ["verdict=crawl"]), ["/page/3", "/page/5", "/missing"]);
  assert.deepEqual(urlsOf(crawls, active.id, ["via=list", "status=200", "title~Page"]), ["/page/3", "/page/5"]);
  assert.deepEqual(urlsOf(crawls, active.id, ["reason=spider_off"]), ["/page/6", "/page/7", "/page/10", "/page/11"]);
  assert.deepEqual(site.asked.filter((line) => line !== "GET /robots.txt").sort(), [
    "GET /missing",
    "GET /page/3",
    "GET /page/5",
  ]);
});

test("crawls: hosts of a list get requests only for its URLs, even after redirects", async (t) => {
  const site = await smallSite(t, 31, (path, response) => {
    if (!path.startsWith("/moved/")) return false;
    response.writeHead(302, { location: path.replace("moved", "page") }).end();
    return true;
  });
  const crawls = temporaryCrawls(t);
  const lines = [3, 4, 5].map((n) => `${site.url}moved/${n}`);
  const { active } = await crawls.startList(listOf(...lines), { configFor: () => config({ detectSoft404: true }) });
  await active.ended;
  assert.deepEqual(site.asked.filter((line) => line !== "GET /robots.txt").sort(), [
    ...["GET /moved/3", "GET /moved/4", "GET /moved/5"],
    ...["GET /page/3", "GET /page/4", "GET /page/5"],
  ]);
});

test("crawls: a list whose host sends robots.txt elsewhere does not wait for itself", async (t) => {
  const site = await smallSite(t, 31, (path, response) => {
    if (path === "/robots.txt") response.writeHead(302, { location: "/rules.txt" }).end();
    else if (path === "/rules.txt") response.writeHead(200).end("User-agent: *\nDisallow: /page/3\n");
    else return false;
    return true;
  });
  const crawls = temporaryCrawls(t);
  const lines = Array.from({ length: 10 }, (_, index) => `${site.url}page/${index + 1}`);
  const { active } = await crawls.startList(listOf(...lines), { configFor: () => config({ parallelism: 2 }) });
  await active.ended;
  assert.deepEqual(urlsOf(crawls, active.id, ["reason=robots_disallow"]), ["/page/3"]);
  assert.equal(urlsOf(crawls, active.id, ["status=200"]).length, 9);
});

test("crawls: a stopped list is resumed from its own copy", async (t) => {
  const site = await smallSite(t, 31);
  const crawls = temporaryCrawls(t);
  const lines = Array.from({ length: 20 }, (_, index) => `${site.url}page/${index + 1}`);
  const { active } = await crawls.startList(listOf(...lines), { configFor: () => config({ rate: 100 }) });
  const end = await active.site.stop();
  assert.equal(end.state, "stopped");
  await active.ended;
  const { record } = await (await crawls.resume(active.id)).ended;
  assert.deepEqual([record.state, record.crawled], ["completed", 20]);
});

test("crawls: a list since an earlier one of the same site", async (t) => {
  const site = await smallSite(t, 3);
  const crawls = temporaryCrawls(t);
  const options = { configFor: () => config() };
  await (await crawls.startList(listOf(site.url), options)).active.ended;
  const { active } = await crawls.startList(listOf(site.url), { ...options, since: "last" });
  assert.equal((await active.ended).record.baselineId, 1);
});

test("crawls: a list without a URL, or that cannot be read, leaves nothing behind", async (t) => {
  const crawls = temporaryCrawls(t);
  await assert.rejects(crawls.startList(listOf("# nothing", "no url"), { configFor: () => config() }), {
    code: "BAD_USAGE",
  });
  const broken = new Readable({ read: () => broken.destroy(new Error("torn")) });
  await assert.rejects(crawls.startList(broken, { configFor: () => config() }), { code: "FILE_NOT_READABLE" });
  assert.deepEqual(crawls.list(), []);
  assert.equal(existsSync(crawls.home.crawlFolder(1)), false);
});

test("crawls: a database that is damaged or from a later version is named, and the crawl stays complete", async (t) => {
  const site = await smallSite(t, 3);
  const crawls = temporaryCrawls(t);
  await (await crawls.start(site.url, { config: config() })).ended;
  const path = crawls.home.crawlDatabase(1);
  const db = new DatabaseSync(path);
  db.exec("UPDATE schema_versions SET version = 99");
  db.close();
  assert.throws(() => crawls.read(1), { code: "STORE_TOO_NEW" });
  await assert.rejects(crawls.resume(1), { code: "STORE_TOO_NEW" });
  writeFileSync(path, "no database ".repeat(1_000));
  const damaged = { code: "STORE_FAILED", message: `${path} is damaged: file is not a database.` };
  assert.throws(() => crawls.read(1), damaged);
  await assert.rejects(crawls.resume(1), damaged);
  assert.equal(crawls.get(1).state, "completed");
  truncateSync(path);
  assert.throws(() => crawls.read(1), { code: "STORE_FAILED", message: /stored nothing/, hint: /resume 1/ });
  assert.equal((await (await crawls.resume(1)).ended).record.crawled, 3);
});

test("crawls: a registry that was lost does not make a new crawl go on in the data of an old one", async (t) => {
  const home = temporaryHome(t);
  const before = new Crawls(home);
  const old = await smallSite(t, 3);
  await (await before.start(old.url, { config: config() })).ended;
  before.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(home.registry + suffix, { force: true });
  const crawls = temporaryCrawls(t, home);
  const site = await smallSite(t, 5);
  const { record } = await (await crawls.start(site.url, { config: config() })).ended;
  assert.deepEqual([record.id, record.crawled, crawls.list().length], [2, 5, 1]);
});

test("crawls: while a list is read, no other process may take it, and half a list is never crawled", async (t) => {
  const home = temporaryHome(t);
  const crawls = temporaryCrawls(t, home);
  const input = new PassThrough();
  input.write("http://127.0.0.1:1/\n");
  const starting = crawls.startList(input, { configFor: () => config({ retries: 0 }) });
  const others = temporaryCrawls(t, home);
  assert.equal(others.get(1).state, "running");
  assert.throws(() => others.remove(1), { code: "CRAWL_BUSY" });
  input.end();
  await (await starting).active.ended;
  // As if it had been killed before the end of the list.
  rmSync(home.crawlList(1));
  await assert.rejects(crawls.resume(1), { code: "FILE_NOT_READABLE", hint: /crawls rm 1/ });
});

test("crawls: a start host stays where it was when its crawl began, also when the crawl is resumed or repeated", async (t) => {
  const site = await smallSite(t, 20);
  const url = site.url.replace("127.0.0.1", "start.test");
  let address = "127.0.0.1";
  const lookup = async () => [{ address, family: 4 }];
  const crawls = new Crawls(temporaryHome(t), { lookup });
  t.after(() => crawls.close());
  let visits = 0;
  const first: ActiveCrawl = await crawls.start(url, {
    config: config({ parallelism: 1 }),
    events: { onVisit: () => void (++visits === 3 && first.site.stop()) },
  });
  await first.ended;
  const errors = (id: number) => {
    const reader = crawls.read(id);
    const rows = [...reader.each({ fields: ["error"], filters: ["error!="], search: null })];
    reader.close();
    return [...new Set(rows.map((row) => row["error"]))];
  };
  const asked = site.asked.length;
  address = "93.184.216.34";
  const repeated = await crawls.start(url, { config: config({ retries: 0 }), repeats: first.id });
  await repeated.ended;
  assert.deepEqual(errors(repeated.id), ["address_changed"]);

  // As if it had been on the internet when the crawl began.
  const db = new DatabaseSync(crawls.home.crawlDatabase(first.id));
  assert.equal(db.prepare("SELECT value FROM notes WHERE key GLOB 'address:*'").get()?.["value"], '["loopback"]');
  db.exec(`UPDATE notes SET value = '["public"]' WHERE key GLOB 'address:*'`);
  db.close();
  address = "127.0.0.1";
  await (await crawls.resume(first.id)).ended;
  assert.deepEqual(errors(first.id), ["private_address"]);
  const again = await crawls.start(url, { config: config({ retries: 0 }), repeats: first.id });
  await again.ended;
  assert.deepEqual(errors(again.id), ["private_address"]);
  assert.equal(site.asked.length, asked);
  // Typed again, it is where it is now.
  await (await crawls.start(url, { config: config() })).ended;
  assert.equal(urlsOf(crawls, 4).length, 20);
});
