import assert from "node:assert/strict";
import { after, test } from "node:test";
import { linking, tableSite } from "../site/table-site.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

test("trawl again repeats the newest crawl of a site with its settings, which it prints; flags change them", async (t) => {
  const site = await tableSite(t, { "/": linking("/a"), "/deep/": linking("/deep/a", "/deep/b"), "/deep/a": "<p>x" });
  await trawl.run("crawl", site.url, "--json");
  await trawl.run("crawl", `${site.url}deep/`, "--start-folder", "--header", "X-Key: rabbit", "--json");
  site.requests.length = 0;
  const { code, stderr } = await trawl.run("again", site.url.slice(7, -1), "--max-depth", "1", "--json");
  assert.equal(code, 0, stderr);
  assert.match(stderr, /crawling http:\/\/127\.0\.0\.1:\d+\/deep\/ again, with .*startFolder true/);
  assert.doesNotMatch(stderr, /rabbit/);
  const pages = site.requests.filter(({ path }) => path.startsWith("/deep/"));
  assert.ok(pages.length >= 3 && pages.every(({ headers }) => headers["x-key"] === "rabbit"));
  assert.ok(!site.asked().includes("GET /a"));
  const { lines } = await trawl.json("show", "3");
  const { crawl } = lines[0] as unknown as { crawl: { settings: { maxDepth: number; startFolder: boolean } } };
  assert.deepEqual([crawl.settings.maxDepth, crawl.settings.startFolder], [1, true]);
  assert.equal((await trawl.run("again", "nowhere.test")).code, 2);
});
