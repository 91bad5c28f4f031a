import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { Configs } from "../../src/app/config/configs.ts";
import { Crawls } from "../../src/app/crawls/crawls.ts";
import { openHome } from "../../src/app/home.ts";
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
  new Configs({ db: () => crawls.registry.db, clock: systemClock }).update({
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
