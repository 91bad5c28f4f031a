import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { Configs } from "../../src/app/config/configs.ts";
import { Crawls } from "../../src/app/crawls/crawls.ts";
import { openHome } from "../../src/app/home.ts";
import { COMMAND_READING, Reading } from "../../src/app/reading/reading.ts";
import { startDemoSite } from "../../src/demo/index.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

test("crawl starts with the settings saved for the domain and names them; flags override them", async (t) => {
  const site = await startDemoSite({ port: 0 });
  t.after(() => site.close());
  const home = openHome({ TRAWL_HOME: join(trawl.folder, "home") });
  const crawls = new Crawls(home);
  t.after(() => crawls.close());
  new Configs({ db: () => crawls.registry.db, clock: systemClock, reading: new Reading(COMMAND_READING) }).update({
    url: site.url,
    settings: { maxUrls: 9, maxDepth: 1 },
  });
  const { code, stderr } = await trawl.run("crawl", site.url, "--max-urls", "4", "--json");
  assert.equal(code, 0);
  assert.match(stderr, /settings saved for 127\.0\.0\.1:\d+: maxUrls, maxDepth/);
  const { maxUrls, maxDepth } = crawls.get(1).settings as { maxUrls: number; maxDepth: number };
  assert.deepEqual([maxUrls, maxDepth, crawls.get(1).crawled], [4, 1, 4]);
  const other = await trawl.run("crawl", site.url.replace("127.0.0.1", "localhost"), "--max-urls", "1", "--json");
  assert.doesNotMatch(other.stderr, /saved/);
});

test("config save sets what only the owner may, keeps the rest, and removes it again", async () => {
  const save = async (...flags: string[]) => {
    const { code, lines } = await trawl.json("config", "save", "https://shop.test/", ...flags);
    assert.equal(code, 0);
    return lines[0]!["changed"];
  };
  assert.deepEqual(await save("--proxy", "http://127.0.0.1:3128", "--max-depth", "3"), ["maxDepth", "proxy"]);
  assert.deepEqual(await save("--header", "X-Key: one"), ["maxDepth", "headers", "proxy"]);
  assert.deepEqual(await save("--proxy", "", "--insecure"), ["maxDepth", "headers", "insecure"]);
  const { code, stderr } = await trawl.run("config", "save", "https://shop.test/", "--connect-to", "nonsense");
  assert.equal(code, 2);
  assert.match(stderr, /--connect-to/);
});
