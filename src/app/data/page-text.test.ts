import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../net/testing/until.ts";
import { smallSite } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";

const site = (t: Parameters<typeof smallSite>[0]) =>
  smallSite(t, 3, (path, response) => {
    if (path === "/robots.txt") response.end("User-agent: *\nDisallow: /page/3\n");
    else if (path === "/page/2") {
      response.writeHead(200, { "content-type": "text/html; charset=iso-8859-1" });
      response.end(Buffer.from('<h1>Caf\xe9</h1><p>See <a href="/gone">more</a>.</p><script>x()</script>', "latin1"));
    } else return false;
    return true;
  });

test("page text: what the crawl stored, without asking the site", async (t) => {
  const { url, asked } = await site(t);
  const { app, crawl } = temporaryApp(t);
  const id = await crawl(url, { storeHtml: true });
  await app.favicons.close();
  const before = asked.length;
  const text = await app.pageText.get({ id, url: "/page/2", fetch: true });
  assert.deepEqual([text.url, text.source, text.characters], [`${url}page/2`, "stored", text.markdown.length]);
  assert.match(text.markdown, /^# Café/);
  assert.match(text.markdown, new RegExp(`\\[more\\]\\(${url}gone\\)`));
  assert.doesNotMatch(text.markdown, /x\(\)|<h1>/);
  const { html } = app.pageText.source({ id, url: "/page/2" });
  assert.match(html, /<h1>Café<\/h1>/);
  assert.equal(asked.length, before);
});

test("page text: fetched now when it was not stored, by the crawl's rules", async (t) => {
  const { url, asked } = await site(t);
  const { app, crawl } = temporaryApp(t);
  const id = await crawl(url);
  await until(() => asked.includes("GET /favicon.ico"));
  const before = asked.length;
  const text = await app.pageText.get({ id, url: "/page/2", fetch: true });
  assert.equal(text.source, "fetched now");
  assert.match(text.markdown, /^# Café/);
  assert.deepEqual(asked.slice(before), ["GET /page/2"], "robots.txt was known");

  await assert.rejects(app.pageText.get({ id, url: "/page/3", fetch: true }), { code: "ROBOTS_DISALLOWED" });
  await assert.rejects(app.pageText.get({ id, url: "/page/2", fetch: false }), { code: "PAGE_NOT_STORED" });
  await assert.rejects(app.pageText.get({ id, url: "/gone", fetch: true }), {
    code: "PAGE_NOT_FETCHED",
    message: /404/,
  });
  await assert.rejects(app.pageText.get({ id, url: "/unknown", fetch: true }), { code: "URL_NOT_IN_CRAWL" });
  assert.throws(() => app.pageText.source({ id, url: "/page/2" }), { code: "PAGE_NOT_STORED" });
  assert.ok(!asked.includes("GET /page/3") && !asked.includes("GET /unknown"));
});
