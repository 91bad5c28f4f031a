import assert from "node:assert/strict";
import { test } from "node:test";
import { bigDiscoverySite } from "./big-discovery-site.ts";
import { countingSite } from "./counting-site.ts";
import { startServerProcess } from "./server-process.ts";

async function hrefs(url: string): Promise<string[]> {
  const html = await (await fetch(url)).text();
  return [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1]!);
}

test("counting site: all pages are reachable, and every request is counted", async (context) => {
  const site = await countingSite({ pages: 150 });
  context.after(() => site.close());
  const seen = new Set(["/"]);
  for (const path of seen) {
    for (const href of await hrefs(new URL(path, site.url).href)) seen.add(href.split("#")[0]!);
  }
  assert.deepEqual([...seen].sort(), [...site.paths].sort());
  assert.equal(site.requests().length, 150);
  assert.ok([...site.counts().values()].every((count) => count === 1));
  assert.ok(site.openSockets() >= 1 && site.openSockets() <= site.peakSockets());
});

test("counting site: links of a page repeat, and are the same each time", async (context) => {
  const site = await countingSite({ pages: 50, linksPerPage: 10 });
  context.after(() => site.close());
  const first = await hrefs(site.url);
  assert.equal(first.length, 12);
  assert.equal(new Set(first.map((href) => href.split("#")[0])).size, 10);
  assert.deepEqual(await hrefs(site.url), first);
});

test("counting site: bursts of 429, and 304 for a known tag", async (context) => {
  const busy = { every: 2, burst: 1, retryAfterSeconds: 7 };
  const site = await countingSite({ pages: 5, etag: true, busy });
  context.after(() => site.close());
  const statuses: number[] = [];
  for (let turn = 0; turn < 4; turn++) statuses.push((await fetch(site.url)).status);
  assert.deepEqual(statuses, [200, 200, 429, 200]);
  const known = await fetch(site.url, { headers: { "if-none-match": '"page-0"' } });
  assert.equal(known.status, 304);
  assert.equal((await fetch(site.url)).headers.get("retry-after"), "7");
});

test("big discovery site: links are never repeated, and a page asked for twice is the same", async (context) => {
  const site = await bigDiscoverySite({ pages: 4, linksPerPage: 25 });
  context.after(() => site.close());
  const first = await hrefs(site.url);
  const all = [...first];
  for (const href of first.slice(0, 3)) all.push(...(await hrefs(new URL(href, site.url).href)));
  assert.equal(new Set(all).size, 100);
  assert.deepEqual(await hrefs(site.url), first);
  assert.deepEqual(await hrefs(new URL(first[9]!, site.url).href), []);
  assert.equal(site.stats().discovered, 101);
});

test("a server process reports its port and stats, and ends when asked", async () => {
  const server = await startServerProcess("big", { pages: 2, linksPerPage: 3 });
  assert.equal((await hrefs(server.url)).length, 3);
  assert.equal((await server.stats<{ discovered: number }>()).discovered, 4);
  await server.close();
  await assert.rejects(fetch(server.url));
});
