import assert from "node:assert/strict";
import { test } from "node:test";
import { smallSite } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";
import { openCrawl, savedSettings } from "./open-crawl.ts";

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

test("openCrawl reads URLs, links, issues and findings of a crawl", async (t) => {
  const site = await smallSite(t, 5);
  const { app, crawl } = temporaryApp(t);
  const id = await crawl(site.url);
  const options = { home: app.home.root };
  await using opened = await openCrawl("last", options);
  assert.equal(opened.id, id);
  assert.equal((await opened.describe()).state, "completed");
  const urls = await all(opened.urls({ fields: ["url", "status"], filter: ["title=Page 3"] }));
  assert.deepEqual(urls, [{ url: `${site.url}page/3`, status: 200 }]);
  assert.equal((await all(opened.urls())).length, 5);
  const links = await all(opened.links({ search: "Page 5" }));
  assert.deepEqual(
    links.map(({ source, target }) => [source, target]),
    [[`${site.url}page/2`, `${site.url}page/5`]],
  );
  const issues = await all(opened.issues());
  const { rule, found } = issues[0]!;
  assert.equal((await all(opened.findings(rule))).length, found);
});

test("openCrawl rejects for a crawl that is not there", async (t) => {
  const { app } = temporaryApp(t);
  const options = { home: app.home.root };
  for (const name of [7, "last", "example.com"]) {
    await assert.rejects(openCrawl(name, options), { code: "CRAWL_NOT_FOUND" });
  }
});

test("rows come in pages, and every one of them", async (t) => {
  const links = Array.from({ length: 2_500 }, (_, index) => `<a href="https://other.test/${index}">${index}</a>`);
  const site = await smallSite(t, 1, (path, response) => {
    if (path !== "/") return false;
    response.writeHead(200, { "content-type": "text/html" }).end(`<title>Many</title>${links.join("")}`);
    return true;
  });
  const { app, crawl } = temporaryApp(t);
  await crawl(site.url, { checkExternalLinks: false });
  await using opened = await openCrawl(1, { home: app.home.root });
  const urls = await all(opened.urls({ fields: ["url"] }));
  assert.equal(new Set(urls.map(({ url }) => url)).size, 2_501);
});

test("savedSettings gives what was saved for a site, secrets included, and nothing else", async (t) => {
  const { app } = temporaryApp(t);
  const settings = { maxUrls: 12, headers: { "x-key": "secret" } };
  app.configs.update({ url: "https://example.com/", settings } as never);
  const options = { home: app.home.root };
  assert.deepEqual(await savedSettings("https://example.com/a", options), settings);
  assert.deepEqual(await savedSettings("https://other.example/", options), {});
});
