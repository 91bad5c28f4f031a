import assert from "node:assert/strict";
import { test } from "node:test";
import type { SiteConfig } from "../../site/site-config.ts";
import { startCrawl } from "../operations/crawling.ts";
import { smallSite } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";
import { repeatedSettings } from "./crawl-again.ts";
import type { CrawlRecord } from "./registry.ts";

test("crawl again: the newest crawl's start URL and settings, not the project's first", async (t) => {
  const site = await smallSite(t, 7);
  const { app, crawl } = temporaryApp(t, { favicons: false });
  await crawl(site.url, { maxUrls: 2 });
  const headers = { "X-Key": "key" };
  const last = await crawl(`${site.url}page/3`, { maxUrls: 3, auth: "me:pass", headers });
  const request = app.projects.lastRequest(1);
  assert.deepEqual(
    [request.again, request.mode, request.url, request.settings["maxUrls"], request.settings["auth"]],
    [last, "site", `${site.url}page/3`, 3, "…"],
  );
  assert.doesNotMatch(JSON.stringify(request), /pass|"key"/);
  app.configs.update({ url: site.url, settings: { maxUrls: 1 } });
  const repeat = async (more: object) => {
    const { crawlId } = await app.activeCrawls.start({ again: request.again, since: null, ...more });
    await app.activeCrawls.ended(crawlId);
    return app.crawls.get(crawlId);
  };
  const record = await repeat({});
  assert.deepEqual([record.startUrls, record.crawled], [[`${site.url}page/3`], 3]);
  assert.deepEqual(record.settings, app.crawls.get(last).settings);
  const edited = await repeat({ url: site.url, settings: { ...request.settings, maxUrls: 4 } });
  assert.deepEqual([edited.startUrls, edited.crawled], [[site.url], 4]);
  assert.equal((edited.settings as { auth: string }).auth, "me:pass", "hidden and sent back is kept");
  // As a request: its form is checked first, and an ellipsis is neither a password nor the value of a header.
  const question = startCrawl.input.parse({ again: request.again, settings: { ...request.settings, maxUrls: 1 } });
  const sentBack = (await repeat(question)).settings as Partial<SiteConfig>;
  assert.deepEqual([sentBack.auth, sentBack.headers], ["me:pass", headers]);
  const unknown = startCrawl.input.parse({ again: request.again, settings: { headers: { "X-Other": "…" } } });
  await assert.rejects(repeat(unknown), { code: "BAD_CONFIG" });
  assert.throws(() => app.projects.lastRequest(9), { code: "PROJECT_NOT_FOUND" });
});

test("crawl again: a list is the same list", async (t) => {
  const site = await smallSite(t, 7);
  const { app } = temporaryApp(t, { favicons: false });
  const ended = async (question: object) => {
    const { crawlId } = await app.activeCrawls.start({ since: null, ...question });
    await app.activeCrawls.ended(crawlId);
    return app.crawls.get(crawlId);
  };
  const first = await ended({ urls: [`${site.url}page/2`, `${site.url}page/3`] });
  const again = await ended({ again: first.id });
  assert.deepEqual([again.mode, again.crawled, again.startUrls], ["list", 2, first.startUrls]);
  assert.equal(app.projects.lastRequest(first.projectId).mode, "list");
});

test("crawl again: secrets go where the first crawl sent them, and elsewhere only if they are given again", () => {
  const record = { startUrls: ["https://example.com/"], settings: { auth: "me:pass" } } as unknown as CrawlRecord;
  const originsOf = (url: string, given = {}) => repeatedSettings(record, url, given).credentialOrigins;
  assert.deepEqual(originsOf("https://example.com/a"), []);
  assert.deepEqual(originsOf("https://other.test/"), ["https://example.com"]);
  assert.deepEqual(originsOf("https://other.test/", { auth: "…" }), ["https://example.com"]);
  assert.deepEqual(originsOf("https://other.test/", { auth: "new:pass" }), []);
  const named = { credentialOrigins: ["https://other.test"] };
  assert.throws(() => originsOf("https://example.com/", named), { code: "BAD_CONFIG" });
  assert.deepEqual(originsOf("https://example.com/", { ...named, auth: "new:pass" }), named.credentialOrigins);
});
