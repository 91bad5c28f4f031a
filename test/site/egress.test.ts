/** A page must not make Trawl send requests to the user's own network. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { crawlInto, facts, temporaryFolder } from "./crawling.ts";
import { type Answer, linking, redirect, tableSite, text } from "./table-site.ts";

test("private addresses that the start does not name are refused, however they are found", async (t) => {
  const inner = await tableSite(t, { "/": "<title>Secret</title>", "/secret": "x" });
  const local = `http://127.0.0.1:${inner.port}`;
  const site = await tableSite(t, {
    "/": `<img src=${local}/secret><img src="http://169.254.169.254/latest/meta-data/"><img src="http://[::1]:${inner.port}/x">
      <img src="http://localhost:${inner.port}/y"><img src="http://2130706433:${inner.port}/z">${linking("/out", `${local}/link`)}`,
    "/robots.txt": text(`Sitemap: ${local}/sitemap.xml`),
    "/out": redirect(`${local}/redirected`),
  });
  const { summary, database } = await crawlInto(t, site.url, { checkExternalLinks: true });
  assert.equal(summary.state, "completed");
  const errors = facts(database, local, "error", ["error!="]);
  assert.deepEqual(errors, {
    "/sitemap.xml": "private_address",
    "/secret": "private_address",
    "http://169.254.169.254/latest/meta-data/": "private_address",
    [`http://[::1]:${inner.port}/x`]: "private_address",
    [`http://localhost:${inner.port}/y`]: "private_address",
    "/z": "private_address",
    "/link": "private_address",
    "/redirected": "private_address",
  });
  assert.deepEqual(inner.requests, []);
});

test("the start's own address may be private, on its own port; with the setting, all may", async (t) => {
  const inner = await tableSite(t, { "/secret": "x" });
  const site = await tableSite(t, { "/": `<img src=${inner.url}secret>` });
  const { database } = await crawlInto(t, site.url, { allowPrivate: true });
  assert.equal(facts(database, inner.origin, "status")["/secret"], 200);
});

const PAGES = Array.from({ length: 10 }, (_, n) => `/p${n}`);
const TABLE: Record<string, Answer> = Object.fromEntries(PAGES.map((path) => [path, "<p>x"]));

test("addresses that are refused do not use up the limit on URLs", async (t) => {
  const refused = Array.from({ length: 30 }, (_, n) => `<img src="http://10.0.0.${n}/x.png">`);
  const site = await tableSite(t, { ...TABLE, "/": refused.join("") + linking(...PAGES) });
  const { summary, database } = await crawlInto(t, site.url, { maxUrls: 11, discovery: ["spider"] });
  assert.equal(summary.state, "completed");
  assert.equal(Object.keys(facts(database, site.origin, "status", ["outcome=page"])).length, 11);
  assert.equal(Object.keys(facts(database, site.origin, "error", ["error=private_address"])).length, 30);
});

test("host names that lead to refused addresses give their place back, also after a restart", async (t) => {
  const names = Array.from({ length: 10 }, (_, n) => `http://n${n}.example.test/x.png`);
  const refused = Promise.withResolvers<void>();
  let left = names.length;
  const site = await tableSite(t, {
    ...TABLE,
    "/": names.map((url) => `<img src="${url}">`).join("") + linking("/next"),
    "/next": (_request, response) => {
      void refused.promise.then(() => response.setHeader("content-type", "text/html").end(linking(...PAGES)));
    },
  });
  const database = join(temporaryFolder(t), "crawl.db");
  const run = () =>
    SiteCrawl.start({
      store: () => sqliteSiteStore(database),
      config: parseConfig({ maxUrls: 12, discovery: ["spider"] }),
      startUrls: [site.url],
      sources: seedSources({ via: "initial", batches: batchesOf([site.url]) }),
      lookup: async () => [{ address: "10.0.0.1", family: 4 }],
      events: {
        onFailure: () => {
          if (--left === 0) refused.resolve();
        },
      },
    });
  const crawl = await run();
  await refused.promise;
  await crawl.stop();
  await (await run()).ended;
  assert.equal(Object.keys(facts(database, site.origin, "status", ["outcome=page"])).length, 12);
});

async function* batchesOf(urls: string[]): AsyncGenerator<string[]> {
  yield urls;
}
